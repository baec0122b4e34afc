#include "train/learner/run_window.h"

#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "train/learner/training_parts.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

std::size_t skip(const UserError& error) {
  warn(std::string(error.what()) + "; skipped");
  return 0;
}

}  // namespace

RunWindow::RunWindow(const RunDirectory& run, const Config& config, const std::string& hash,
                     const std::atomic<bool>& stop)
    : run_(run),
      boards_(games_of(config).size()),
      shards_(run, boards_),
      window_(games_of(config), config.features, config.training, hash),
      stop_(stop) {}

std::size_t RunWindow::add(const fs::path& shard) {
  constexpr int kTries = 5;
  for (int tries = 1;; ++tries) {
    try {
      return window_.add(shard.string());
    } catch (const ForeignFile&) {
      throw;
    } catch (const ReadError& error) {
      std::error_code unknown;
      if (!fs::exists(shard, unknown) && !unknown) return skip(error);
      if (tries == kTries || stop_) throw;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    } catch (const UserError& error) {
      return skip(error);
    }
  }
}

std::size_t RunWindow::add_generation(int generation) {
  std::size_t positions = 0;
  for (const std::string& file : missing(generation)) positions += add(run_.root() / file);
  return positions;
}

std::vector<std::string> RunWindow::missing(int generation) const {
  const std::vector<std::string> there = window_.files();
  const std::set<std::string> added(there.begin(), there.end());
  std::vector<std::string> files;
  for (const auto& [path, board] : shards_.of(generation)) {
    if (added.contains(path.string())) continue;
    std::string file = path.lexically_relative(run_.root()).string();
    if (!is_utf8(file)) {  // a checkpoint could not name it
      warn(path.string() + ": its name is no UTF-8; rename it; skipped");
      continue;
    }
    files.push_back(std::move(file));
  }
  return files;
}

bool RunWindow::is_of(const fs::path& shard, int generation) const {
  for (std::size_t board = 0; board < boards_; ++board) {
    if (shard.parent_path() == run_.shards(generation, static_cast<int>(board))) return true;
  }
  return false;
}

std::vector<std::string> RunWindow::files() const {
  std::vector<std::string> files;
  for (const std::string& file : window_.files()) {
    files.push_back(fs::path(file).lexically_relative(run_.root()).string());
  }
  return files;
}

std::uint64_t RunWindow::checksum() const {
  Checksum sum(0);
  for (const std::string& file : files()) sum.add(file);
  sum.add(std::to_string(window_.positions()));
  return sum.value();
}

}  // namespace koridor
