#include "core/base/save_lock.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "core/base/error.h"

namespace koridor {

SaveLock::SaveLock(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) return;
  path_ = fs::weakly_canonical(fs::absolute(file));  // by whatever name and links
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (error) throw UserError(fmt::format("cannot write {}: {}", file.string(), error.message()));
  path_ += ".koridor-lock";  // a name of ours alone: poetry.lock, say, is somebody's
  do {
    lock_.emplace(path_);
    constexpr int kMostTries = 50;
    for (int tries = 0; !lock_->try_take(); ++tries) {
      pid_t holder = lock_->holder();
      if (holder == 0 && tries < kMostTries) {  // it was given back meanwhile
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      if (holder == 0) holder = kProcessElsewhere;  // the file system does not say who
      throw UserError(fmt::format("{}: {} saves there; name another file", file.string(), process_text(holder)));
    }
    // The process before may have removed the file after it was opened here.
  } while (!lock_->is_in_place());
}

SaveLock::~SaveLock() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove(path_, ignored);
}

}  // namespace koridor
