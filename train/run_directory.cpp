#include "train/run_directory.h"

#include <fmt/format.h>

namespace koridor {

std::string RunDirectory::label(int generation) {
  return fmt::format("gen-{:04}", generation);
}

}  // namespace koridor
