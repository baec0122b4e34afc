// Writing files so that they appear whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

// Writes to "<path>.<pid>-<host>-<machine>.tmp", syncs, renames over `path` or what it links to, syncs the folder.
// Makes folders. Throws UserError with the reason, also where `path` is a device or a pipe; leaves no temporary file
// behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
// The same without the folder's sync, which takes as long as the file's: after a power cut the file is whole or not
// there, until somebody else syncs the folder.
void write_file_unlisted(const std::filesystem::path& path, std::string_view content);

// The folder for temporary files: TMPDIR, or /tmp. Throws UserError where it is none.
std::filesystem::path temporary_folder();

// A name for a temporary file or folder of this process, "<folder>/koridor-XXXXXX/<word><ending>", where nobody else
// can put anything. What stands there at the end is removed, a folder with everything in it.
class TemporaryPath {
 public:
  // Makes the folder of its own, and nothing in it. Throws as temporary_folder(), and where there can be none.
  explicit TemporaryPath(std::string_view word, std::string_view ending = "",
                         const std::filesystem::path& folder = temporary_folder());
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path own_;  // the folder of its own
  std::filesystem::path path_;
};

// Throws UserError where a file could not be written so, before long work whose result is to go there.
void check_writable(const std::filesystem::path& path);
// Throws UserError where `out`, the value of this option, is one of the files that are read: writing would destroy it.
void check_not_read(std::string_view option, const std::filesystem::path& out, const std::vector<std::string>& inputs);

// Replaces a file that stands in a folder that is there: whole or not at all while the machine runs, but not synced,
// for what is written every few seconds and means nothing after a crash. Throws UserError likewise.
void replace_file(const std::filesystem::path& path, std::string_view content);

// The same as write_file_atomically in two halves, for writers with their own format: the temporary name to write to,
// then sync and renaming.
std::filesystem::path temporary_name(const std::filesystem::path& path);
void publish_file(const std::filesystem::path& temporary, const std::filesystem::path& path);

// The most that is read of a file: larger than any shard. Of pipes and devices, which may have no end, less is read.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;
inline constexpr std::uintmax_t kLargestStream = std::uintmax_t{64} << 20;

// Syncs a file that somebody else has written, or a folder's listing. Throws UserError likewise.
void sync_file(const std::filesystem::path& path);

// Returns the whole file. Throws UserError, which names the file, if it is a folder or has more than `most` bytes, and
// ReadError if it cannot be read.
std::string read_file(const std::filesystem::path& path, std::uintmax_t most = kLargestFile);

// Makes a folder and those above it, where they are not there. Throws UserError where it cannot.
void make_folder(const std::filesystem::path& folder);

// While it lives this program makes no folder in `folder`, nor that itself, where the file `witness` is not there: else
// the next write would put back the folders of a directory that has vanished, hidden below its mount point or in the
// way when it comes back. make_folder() throws UserError then, and so does all that writes by it.
class FolderInUse {
 public:
  FolderInUse(const std::filesystem::path& folder, std::filesystem::path witness);
  ~FolderInUse();
  FolderInUse(const FolderInUse&) = delete;
  FolderInUse& operator=(const FolderInUse&) = delete;

  // Throws UserError where the folder is in one that is in use and has vanished.
  static void check(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_;
  std::filesystem::path witness_;
};

// The names in a folder in rising order; none where it does not exist. Throws ReadError where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);
// The same, which never throws but for want of memory: those that could be read, and in `error` why there may be more.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error);

// Has the folder's listing come from the file system itself where a network's would else be as old as a minute: making
// and removing a file of this process's own there does that. Where it cannot, nothing happens.
void refresh_folder(const std::filesystem::path& folder);

// Removes the temporary files in `folder`, not below it, whose processes were on this host and have ended: what is left
// of killed ones. This process must not be writing there. Files that cannot be removed stay.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace koridor
