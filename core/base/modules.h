// The loadable modules that come with the executables: libraries that only some commands need.
#pragma once

#include <filesystem>

namespace koridor {

// The file of a module, "koridor-torch.so": what the environment variable says, else the installed one, else that
// beside this executable. It need not exist.
std::filesystem::path module_path(const char* name, const char* variable);

}  // namespace koridor
