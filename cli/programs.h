// The executables beside this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace koridor::cli {

// The folder this executable is in; `koridor-trainer` is beside it.
std::filesystem::path programs_folder();

// Replaces this process by arguments[0]. Throws UserError where it cannot be started.
[[noreturn]] void replace_process(const std::vector<std::string>& arguments);

}  // namespace koridor::cli
