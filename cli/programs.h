// Koridor's other executables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace koridor::cli {

// The folder of this executable, which also holds `koridor-trainer`.
std::filesystem::path programs_folder();

// Replaces this process by the program arguments[0]. Throws UserError where it cannot be started.
[[noreturn]] void replace_process(const std::vector<std::string>& arguments);

}  // namespace koridor::cli
