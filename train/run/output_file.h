// A file that a command is to write, looked at before the work.
#pragma once

#include <filesystem>
#include <string_view>

namespace koridor {

// Throws UserError where the file would take the place of one of a run: its configuration, figures, games, checkpoints,
// or a generation's model. Other files in a run's directory, as pictures and exported models, are nobody's. `option`
// names what gave the path.
void refuse_file_of_run(std::string_view option, const std::filesystem::path& path);

// The same, and where the file cannot be written.
void check_output(std::string_view option, const std::filesystem::path& path);

}  // namespace koridor
