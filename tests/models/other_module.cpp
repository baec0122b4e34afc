// A module as a build of other sources makes it, by the same compiler.
#include "models/network/module.h"

namespace koridor {

const char* const kModuleSources = "of another day";

}  // namespace koridor

extern "C" [[gnu::visibility("default")]] const char* koridor_torch_build() {
  static const std::string build = koridor::module_build();
  return build.c_str();
}
