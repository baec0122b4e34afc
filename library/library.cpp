// What the library says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <string>

#include "core/base/version.h"
#include "library/failure.h"
#include "models/backends.h"

using namespace koridor::library;

namespace {

// The text that is made at the first call and kept; "" where there is no memory for it.
template <class Make>
const char* text_or_nothing(const Make& make) noexcept {
  try {
    return make().c_str();
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

const char* koridor_version() {
  return text_or_nothing([]() -> const std::string& {
    static const std::string version = koridor::this_build().version;
    return version;
  });
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
  return text_or_nothing([]() -> const std::string& {
    static const std::string names = fmt::format("{}", fmt::join(koridor::backend_names(), " "));
    return names;
  });
}
