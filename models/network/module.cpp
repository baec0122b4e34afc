#include "models/network/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"

namespace koridor {
namespace {

// It need not exist.
std::filesystem::path path_of(const ModuleKind& kind) {
  namespace fs = std::filesystem;
  // Without a slash dlopen() would look elsewhere.
  if (const char* path = std::getenv(kind.variable); path != nullptr && *path != '\0') return fs::absolute(path);
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = programs / KORIDOR_MODULES / kind.file;
  return fs::exists(installed) ? installed.lexically_normal() : programs / kind.file;
}

}  // namespace

Module::Module(const ModuleKind& kind) {
  const std::string path = path_of(kind).string();
  if (!std::filesystem::exists(path)) {
    throw UserError(fmt::format("{} needs {}, which is not there: {}", kind.user, path, kind.hint));
  }
  if (kind.prepare != nullptr) kind.prepare();
  library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw UserError(fmt::format("cannot load {}: {}; {}", path, ::dlerror(), kind.hint));
  const auto build = function<const char* (*)()>(kind.build);
  if (build == nullptr || build() != module_build()) {
    throw UserError(
        fmt::format("{} was built from other sources or by another compiler than this program: build both "
                    "again (this: {}; that: {})",
                    path, module_build(), build == nullptr ? "no module of Koridor" : build()));
  }
}

void* Module::symbol(const char* name) const {
  return ::dlsym(library_, name);
}

}  // namespace koridor
