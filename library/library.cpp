// What the library says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/version.h"
#include "library/failure.h"
#include "models/backends.h"

using namespace koridor::library;

const char* koridor_version() {
  static const std::string version = koridor::this_build().version;
  return version.c_str();
}

int32_t koridor_abi_version() {
  return KORIDOR_ABI_VERSION;
}

koridor_status koridor_require_abi(int32_t version) {
  return guarded([&] {
    if (version == KORIDOR_ABI_VERSION) return;
    throw Failure(KORIDOR_ABI_MISMATCH, fmt::format("the program was compiled for version {} of the interface, this is "
                                                    "libkoridor {} with version {}",
                                                    version, koridor_version(), KORIDOR_ABI_VERSION));
  });
}

const char* koridor_backends() {
  static const std::string names = fmt::format("{}", fmt::join(koridor::backend_names(), " "));
  return names.c_str();
}
