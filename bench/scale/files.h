// How fast is the file system below a folder, as the processes of a run use it?
#pragma once

#include <filesystem>

namespace koridor::bench {

struct FileSpeed {
  double operation_seconds = 0;      // of one of many small operations in a row: writing, linking, renaming, removing
  double operations_per_second = 0;  // of several threads together
  double bytes_per_second = 0;       // written to one file and synced
};

// Works for about `seconds` in a new folder below `folder`, and removes it. Throws UserError where that fails.
FileSpeed measure_files(const std::filesystem::path& folder, double seconds);

}  // namespace koridor::bench
