// Writing files so that they appear whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace koridor {

// Writes to "<path>.<pid>.tmp", closes, syncs, renames over `path`, syncs the folder. Makes missing folders.
// Throws UserError with the system's reason; leaves no temporary file behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The same in two halves, for writers with their own format: the temporary name to write to, then sync and renaming.
std::filesystem::path temporary_name(const std::filesystem::path& path);
void publish_file(const std::filesystem::path& temporary, const std::filesystem::path& path);

// The most that is read of a file: larger than any shard. Of pipes and devices, which may have no end, less is read.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;
inline constexpr std::uintmax_t kLargestStream = std::uintmax_t{64} << 20;

// Returns the whole file. Throws UserError, which names the file, if it cannot be read or has more than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t most = kLargestFile);

// Removes the temporary files in `folder`, not below it, whose processes have ended: what is left of killed ones. This
// process must not be writing there. Files that cannot be removed stay.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace koridor
