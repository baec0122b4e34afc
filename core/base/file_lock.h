// A lock on a file, for processes that must not do the same work at the same time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace koridor {

// Stands for a process that has no number here: on another machine, or in another container.
inline constexpr pid_t kProcessElsewhere = -1;
// "process 4711", or "a process elsewhere".
std::string process_text(pid_t process);

// A POSIX record lock (fcntl) on a whole file. The kernel takes it back when its process ends, however that ends, and a
// forked child does not inherit it. Within one process it excludes nothing: a process takes each file's lock once.
class FileLock {
 public:
  // Makes the file and its folder where they are missing; takes no lock yet. Throws UserError where it cannot.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Takes the lock unless another process has it. Throws UserError where the file system has no locks.
  bool try_take();

  // Takes the lock, waiting as long as another process has it; false where `stop` was set first. The first time that it
  // has to wait it prints a line on standard error, which names that process and says `what` it still does.
  bool take(const std::string& what, const std::atomic<bool>& stop);

  // Whether the file that was opened is still the one of this name, and not one that was removed meanwhile.
  bool is_in_place() const;

  // The process that has the lock: 0 where no other process has it, and kProcessElsewhere.
  pid_t holder() const;

 private:
  std::filesystem::path path_;
  int file_;
};

// The process that holds the lock of this file, as FileLock::holder() says it; 0 where there is no file. A process that
// holds the lock itself must not ask, since closing the file would give its lock back.
pid_t lock_holder(const std::filesystem::path& path);

}  // namespace koridor
