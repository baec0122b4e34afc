#include "core/base/save_lock.h"

#include <fmt/format.h>

#include <system_error>

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
  path_ += ".lock";
  do {
    lock_.emplace(path_);
    if (!lock_->try_take()) {
      throw UserError(
          fmt::format("{}: {} saves there; name another file", file.string(), process_text(lock_->holder())));
    }
    // The process before may have removed the file after it was opened here.
  } while (!lock_->is_in_place());
}

SaveLock::~SaveLock() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove(path_, ignored);
}

}  // namespace koridor
