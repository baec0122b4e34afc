// What lies in a folder that a command is about to write into, and is of something else.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace koridor {

// The first, in their order, of the names in the folder for which `is_own` is false; empty where there is none, no such
// folder, or it cannot be read, which whoever writes there says. A temporary file (files.h) is what it would become.
// Hidden files, such as those of NFS, and "lost+found" of a folder that is a file system of its own are of nobody.
std::string foreign_name(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& is_own);

// Throws UserError where there is one. `what` is what the folder should be of: "a match".
void refuse_foreign_files(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& is_own,
                          std::string_view what);

}  // namespace koridor
