// The features that the sources are compiled for, as a constant: reading it runs no code.
#pragma once

#include <cstdint>

namespace koridor {

extern const std::uint64_t kCompiledFeatures;

}  // namespace koridor
