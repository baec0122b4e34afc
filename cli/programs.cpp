#include "cli/programs.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace koridor::cli {

std::filesystem::path programs_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

void replace_process(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  throw UserError("cannot start " + arguments[0] + ": " + std::strerror(errno) + "; build it with cmake --build build");
}

}  // namespace koridor::cli
