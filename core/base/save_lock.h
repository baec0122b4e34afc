// One process at a time saves in a file: two would each write what they know, and the games of one would be lost.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/file_lock.h"

namespace koridor {

// Holds the lock of FILE.koridor-lock beside the file, and removes that in the end. Of a process that was killed it
// stays, locked by nobody, and stands in nobody's way. Files that are no regular ones, such as /dev/stdout, keep
// nothing and are not locked.
class SaveLock {
 public:
  // Makes the folder. Throws UserError where another process saves in the file, where it cannot be made, and as
  // FileLock.
  explicit SaveLock(const std::filesystem::path& file);
  ~SaveLock();
  SaveLock(const SaveLock&) = delete;
  SaveLock& operator=(const SaveLock&) = delete;

 private:
  std::filesystem::path path_;  // of the lock
  std::optional<FileLock> lock_;
};

}  // namespace koridor
