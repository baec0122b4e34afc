#include "core/base/modules.h"

#include <cstdlib>

namespace koridor {

std::filesystem::path module_path(const char* name, const char* variable) {
  namespace fs = std::filesystem;
  if (const char* path = std::getenv(variable)) return path;
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = programs / KORIDOR_MODULES / name;
  return fs::exists(installed) ? installed.lexically_normal() : programs / name;
}

}  // namespace koridor
