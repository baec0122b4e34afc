#include "core/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/terminal.h"

namespace koridor {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

pid_t holder_of(int file) {
  struct flock lock = whole_file();
  if (::fcntl(file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  // NFS says 0 or a negative number of another machine's, and the kernel 0 of another container's.
  return lock.l_pid > 0 ? lock.l_pid : kProcessElsewhere;
}

}  // namespace

std::string process_text(pid_t process) {
  return process == kProcessElsewhere ? "a process elsewhere" : fmt::format("process {}", process);
}

FileLock::FileLock(const std::filesystem::path& path) : path_(path), file_(-1) {
  make_folder(path.parent_path());
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw UserError("cannot write " + path.string() + ": " + std::strerror(errno));
}

FileLock::~FileLock() {
  ::close(file_);
}

bool FileLock::try_take() {
  struct flock lock = whole_file();
  if (::fcntl(file_, F_SETLK, &lock) == 0) return true;
  if (errno == EACCES || errno == EAGAIN) return false;
  throw UserError("cannot lock " + path_.string() + ": " + std::strerror(errno));
}

bool FileLock::take(const std::string& what, const std::atomic<bool>& stop) {
  for (bool told = false; !try_take();) {
    if (const pid_t process = told ? 0 : holder(); process != 0) {  // 0: it was given back meanwhile
      print_message("koridor", fmt::format("waiting for {}, which still {}", process_text(process), what));
      told = true;
    }
    if (stop) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

bool FileLock::is_in_place() const {
  struct stat own {};
  struct stat there {};
  return ::fstat(file_, &own) == 0 && ::stat(path_.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

pid_t FileLock::holder() const {
  return holder_of(file_);
}

pid_t lock_holder(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  const pid_t holder = holder_of(file);
  ::close(file);
  return holder;
}

}  // namespace koridor
