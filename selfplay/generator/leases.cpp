#include "selfplay/generator/leases.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/write_all.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 8;
constexpr int kMisses = 4;                   // in a row, which say that what was seen is out of date
constexpr std::chrono::seconds kRefresh{5};  // as long as others' steps may stay unseen on a network
constexpr std::size_t kWatched = 8;          // holders that a waiting worker watches

[[noreturn]] void fail(const char* what, const fs::path& path, int error) {
  throw UserError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

bool same_file(const fs::path& a, const fs::path& b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

}  // namespace

std::string new_worker_name() {
  std::random_device device;
  return fmt::format("{}-{}-{:08x}", host_name(), ::getpid(), device());
}

Leases::Leases(LeaseSettings settings)
    : shards_(std::move(settings.shards)),
      workers_(std::move(settings.workers)),
      worker_(std::move(settings.worker)),
      expected_(std::move(settings.expected)),
      run_(fmt::format("{} {}", expected_.at(0).config_hash, expected_.at(0).seed)),
      ranges_(ranges_of(settings.games)),
      watch_(settings.dead_after),
      there_(static_cast<std::size_t>(std::max(0, settings.games))),
      offset_(std::hash<std::string>()(worker_)) {
  if (::access(workers_.c_str(), F_OK) != 0) fail("find", workers_, errno);
  make_folder(leases());
  write_own(own_file(), worker_ + "\n");
  read_uncounted();
  if (holder_in(run_file()) != run_) {
    const fs::path mine = leases() / (worker_ + ".run");
    write_own(mine, run_ + "\n");
    count();
    if (::rename(mine.c_str(), run_file().c_str()) != 0) fail("write", run_file(), errno);
  }
}

Leases::~Leases() {
  for (const auto& [key, turn] : mine_) free_turn(key, turn);
  if (look_turn_) free_turn("look", *look_turn_);
  ::unlink(own_file().c_str());
  ::rmdir((shards_ / "work" / worker_).c_str());  // where it is empty
  ::rmdir((shards_ / "work").c_str());            // likewise, as after a generation that others have completed
}

fs::path Leases::own_file() {
  return leases() / (worker_ + ".worker");
}

fs::path Leases::turn_file(const std::string& key, int turn, const char* kind) const {
  return leases() / fmt::format("{}.{}.{}", key, turn, kind);
}

void Leases::write_own(const fs::path& path, const std::string& content) {
  count(3);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail("create", path, errno);
  int error = write_all(file, content);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0) return;
  ::unlink(path.c_str());
  fail("write", path, error);
}

bool Leases::link_own(const fs::path& own, const fs::path& to) {
  count();
  if (::link(own.c_str(), to.c_str()) == 0) return true;
  int error = errno;
  if (error == EMLINK && own == own_file()) {
    // A file may have so many names, 65,000 on ext4. Others read the worker's name, which a new file has as well.
    count();
    ::unlink(own.c_str());
    write_own(own, worker_ + "\n");
    count();
    if (::link(own.c_str(), to.c_str()) == 0) return true;
    error = errno;
  }
  count(2);
  if (same_file(own, to)) return true;
  if (error == EEXIST) return false;
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS) {
    throw UserError(
        fmt::format("cannot create {}: this file system makes no hard links ({}), which workers need to share "
                    "out games; use a folder on another one",
                    to.string(), std::strerror(error)));
  }
  fail("create", to, error);
}

fs::path Leases::work_folder() {
  count();
  if (::access(leases().c_str(), F_OK) != 0) fail("find", leases(), errno);
  return shards_ / "work" / worker_;
}

// A listing that shows something new came from the file system itself, so that only one which shows nothing new for a
// while may be a network's memory of an old one. `fresh`: it must be as new as what was listed before.
std::map<std::string, LeaseState> Leases::list(bool fresh) {
  count();
  const auto now = std::chrono::steady_clock::now();
  if (fresh || names_.empty() || now - listed_new_ >= kRefresh) {
    count(2);
    refresh_folder(leases());
    listed_new_ = now;
  }
  if (::access(leases().c_str(), F_OK) != 0) fail("find", leases(), errno);
  std::vector<std::string> names = names_in(leases());
  if (names != names_) listed_new_ = now;
  names_ = std::move(names);
  return states_of(names_);
}

bool Leases::take_key(const std::string& key, int turn, const char* kind) {
  // Who finds the generation complete removes the file that names this worker; without it nothing can be linked.
  if (::access(own_file().c_str(), F_OK) != 0) {
    require_run();
    write_own(own_file(), worker_ + "\n");
  }
  return link_own(own_file(), turn_file(key, turn, kind));
}

// Says that the turn is given back. Its lease stays, so that nobody can win the same turn again. Where that fails, the
// range is free once this worker has ended, or takes it again itself.
void Leases::free_turn(const std::string& key, int turn) {
  count();
  if (::access(turn_file(key, turn, "lease").c_str(), F_OK) != 0) return;  // the whole generation is complete
  try {
    take_key(key, turn, "free");
  } catch (const UserError&) {
    return;
  }
}

// Who holds the turn; empty where that cannot be read now.
const std::string& Leases::holder_of(const std::string& key, int turn) {
  const std::string file = turn_file(key, turn, "lease").string();
  std::string& holder = holders_[file];
  if (!holder.empty()) return holder;
  count();
  // A file without a name is what a crash has left of it.
  if (const auto name = holder_in(file)) holder = name->empty() ? "-" : *name;
  return holder;
}

bool Leases::dead(const std::string& holder) {
  if (holder.empty()) return false;
  if (holder == worker_) return true;  // of a range that it gave up after an error
  const std::uint64_t before = watch_.reads();
  const Life life = watch_.look(workers_ / (holder + ".json"));
  count(static_cast<int>(watch_.reads() - before));
  return life != Life::living;
}

void Leases::look_for_candidates(bool fresh) {
  const std::map<std::string, LeaseState> states = list(fresh);
  std::vector<std::pair<GameRange, int>> free;
  std::vector<std::pair<GameRange, int>> of_others;
  waiting_for_ = 0;
  counted_ = 0;
  for (const GameRange& range : ranges_) {
    const std::string key = range.name();
    const auto found = states.find(key);
    const LeaseState state = found == states.end() ? LeaseState{} : found->second;
    const auto held = mine_.find(key);
    if (state.done) {
      if (held == mine_.end()) counted_ += range.games();
      continue;
    }
    if (held != mine_.end()) continue;
    ++waiting_for_;
    (state.free ? free : of_others).emplace_back(range, state.turn + 1);
  }
  // Who finds nothing free watches some of the holders, others watch others: as the living finish theirs, the dead come
  // to be watched by all.
  std::vector<std::pair<GameRange, int>> of_dead;
  if (free.empty()) {
    std::set<std::string> all;
    for (const auto& [range, turn] : of_others) all.insert(holder_of(range.name(), turn - 1));
    std::vector<std::string> holders(all.begin(), all.end());
    // The one of <algorithm>: that of std::ranges is not compiled by clang 14 (scripts/check_threads).
    std::rotate(holders.begin(),
                holders.begin() + static_cast<std::ptrdiff_t>(offset_ % std::max<std::size_t>(1, holders.size())),
                holders.end());
    holders.resize(std::min(holders.size(), kWatched));
    std::erase_if(holders, [this](const std::string& holder) { return !dead(holder); });
    for (const auto& [range, turn] : of_others) {
      const bool is_dead = std::ranges::find(holders, holder_of(range.name(), turn - 1)) != holders.end();
      if (is_dead) of_dead.emplace_back(range, turn);
    }
  }
  candidates_ = free.empty() ? std::move(of_dead) : std::move(free);
  // Each worker begins elsewhere, so that they do not reach for the same ranges.
  if (!candidates_.empty()) {
    std::rotate(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(offset_ % candidates_.size()),
                candidates_.end());
  }
  std::ranges::reverse(candidates_);
}

Leases::Standing Leases::stand() {
  look_for_candidates(false);
  if (!candidates_.empty()) return Standing::takeable;
  return waiting_for_ == 0 ? Standing::done : Standing::held;
}

std::optional<Lease> Leases::take() {
  for (int look = 0;; ++look) {
    for (int misses = 0; !candidates_.empty() && misses < kMisses; ++misses) {
      const auto [range, turn] = candidates_.back();
      candidates_.pop_back();
      if (std::optional<Lease> lease = take_range(range, turn)) return lease;
    }
    if (look == kLooks) return std::nullopt;  // others were faster each time
    look_for_candidates(look > 0);
    if (candidates_.empty()) return std::nullopt;
  }
}

std::optional<Lease> Leases::take_range(const GameRange& range, int turn) {
  const std::string key = range.name();
  if (!take_key(key, turn)) return std::nullopt;
  mine_[key] = turn;
  Lease lease{.range = range, .turn = turn, .missing = {}, .found = {}};
  count();
  if (::access((leases() / (key + ".done")).c_str(), F_OK) == 0) {
    // What was seen is out of date: this worker slept while others played.
    give_back(lease);
    candidates_.clear();
    return std::nullopt;
  }
  try {
    find_games(lease);
  } catch (...) {
    give_back(lease);
    throw;
  }
  return lease;
}

// What the earlier holders have left of the range, in their folders or, where its list did not hold, beside the lists.
void Leases::find_games(Lease& lease) {
  // A list that did not hold says that shards were moved aside since they were read.
  if (lease.turn > 0 && voids() != voids_read_) read_uncounted();
  std::vector<bool> known(lease.range.games());
  for (std::uint32_t i = 0; i < known.size(); ++i) known[i] = there_[lease.range.first + i];
  if (lease.turn > 0) {
    const std::string start = fmt::format("games-{:06}-", lease.range.first);
    // Games of shards beside the lists count in any case, those in folders only if they fit.
    const auto use = [&](const fs::path& folder, const std::string& listed_as, bool counts) {
      count();
      for (const std::string& name : names_in(folder)) {
        if (!is_shard(name) || !name.starts_with(start)) continue;
        count(3);
        try {
          const ShardData data = read_shard((folder / name).string());
          if (std::ranges::find(expected_, data.info) == expected_.end()) continue;
          std::vector<bool> with = known;
          bool fits = true;
          for (const std::uint32_t number : data.game_number) {
            const bool within = number >= lease.range.first && number <= lease.range.last;
            fits = fits && within && !with[number - lease.range.first];
            if (within) with[number - lease.range.first] = true;
          }
          if (!fits && !counts) continue;
          if (!counts) sync_file(folder / name);  // a dead worker's part, which is to count now
          known = std::move(with);
          if (!counts) lease.found.push_back(listed_as + "/" + name);
        } catch (const UserError&) {
          continue;  // damaged, or moved just now: its games are played again
        }
      }
    };
    use(shards_, "", true);
    std::set<std::string> seen;
    for (int turn = 0; turn < lease.turn; ++turn) {
      for (const char* kind : {"lease", "free"}) {
        const std::string holder = holder_in(turn_file(lease.range.name(), turn, kind)).value_or("");
        if (holder.empty() || holder.find('/') != std::string::npos || !seen.insert(holder).second) continue;
        use(shards_ / "work" / holder, "work/" + holder, false);
      }
    }
  }
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    if (!known[i]) lease.missing.push_back(lease.range.first + i);
  }
}

// Lists that did not hold, as the folder was listed last.
std::ptrdiff_t Leases::voids() const {
  return std::ranges::count_if(names_, [](const std::string& name) { return name.ends_with(".void"); });
}

// Shards beside the lists that none of them names, as older builds and lists that did not hold left them.
void Leases::read_uncounted() {
  refresh_folder(shards_);
  const std::vector<std::string> names = names_in(shards_);
  there_.assign(there_.size(), false);
  voids_read_ = voids();
  if (std::ranges::none_of(names, is_shard)) return;
  std::set<std::string> named;
  // After the shards: each of them had its list before it moved.
  const std::map<std::string, LeaseState> again = list(true);
  for (const GameRange& range : ranges_) {
    const auto found = again.find(range.name());
    if (found == again.end() || !found->second.done) continue;
    for (const ListedShard& shard : listed(range).value_or(std::vector<ListedShard>{})) {
      named.insert(fs::path(shard.file).filename().string());
    }
  }
  there_ = unlisted_games(shards_, there_.size(), expected_, names, named);
}

// The shards of a range's list, by their paths in the generation's folder. Nothing where there is no list or it is
// damaged: shards that were moved already are found without it, and games of others are missing at the last look and
// played again.
std::optional<std::vector<ListedShard>> Leases::listed(const GameRange& range) {
  count(3);
  std::vector<ListedShard> files;
  const fs::path list = leases() / (range.name() + ".done");
  try {
    files = listed_shards(read_json(list));
  } catch (const ReadError&) {
    // A list that may be sound is read again later.
    std::error_code missing;
    if (fs::exists(list, missing) || missing) throw;
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
  return files;
}

void Leases::move_listed(const std::vector<ListedShard>& shards) {
  for (const ListedShard& shard : shards) {
    const fs::path from = shards_ / shard.file;
    const fs::path to = shards_ / from.filename();
    count();
    if (::rename(from.c_str(), to.c_str()) == 0) continue;
    const int error = errno;
    // Moved already, or vanished: then the last look misses its games.
    if (error != ENOENT) fail("move", from, error);
  }
}

// The folder may be another run's by now, begun in the same directory.
void Leases::require_run() {
  count();
  if (::access(leases().c_str(), F_OK) != 0) fail("find", leases(), errno);
  count(3);
  const std::optional<std::string> holder = holder_in(run_file());
  if (holder == run_) return;
  // What cannot be read now says nothing.
  if (!holder && is_there(run_file())) fail("read", run_file(), EIO);
  throw ForeignShard(shards_.string() + ": another run was begun here while games of the one before were played");
}

// Whether the file is there; an error that leaves it open is thrown.
bool Leases::is_there(const fs::path& file) {
  count();
  if (::access(file.c_str(), F_OK) == 0) return true;
  if (errno != ENOENT) fail("find", file, errno);
  return false;
}

// A lease stays until its range counts. Where neither is there, the folder is another one than when it was taken.
void Leases::require_lease(const std::string& key, int turn) {
  if (!is_there(leases())) fail("find", leases(), ENOENT);  // all of the run may be gone for a while
  const fs::path file = turn_file(key, turn, "lease");
  for (int look = 0; look < 2; ++look) {
    if (is_there(file)) return;
    count(2);
    refresh_folder(leases());
  }
  if (is_there(leases() / (key + ".done"))) return;
  throw ForeignShard(fmt::format("{}: another run was begun here while games of the one before were played: {} is gone",
                                 shards_.string(), file.filename().string()));
}

bool Leases::finish(const Lease& lease, const std::vector<ListedShard>& own, const std::vector<std::string>& parts) {
  const std::string key = lease.range.name();
  require_lease(key, lease.turn);
  std::vector<ListedShard> shards(lease.found.begin(), lease.found.end());
  std::vector<std::string> mine = parts;
  for (const ListedShard& shard : own) {
    shards.emplace_back("work/" + worker_ + "/" + shard.file, shard.checksum, shard.games);
    mine.push_back(shard.file);
  }
  const fs::path list = leases() / fmt::format("{}.{}.list", worker_, sequence_++);
  write_own(list, sealed_json_text(list_of(worker_, shards)));
  bool first = false;
  try {
    first = link_own(list, leases() / (key + ".done"));
  } catch (const UserError&) {
    ::unlink(list.c_str());
    throw;
  }
  count();
  ::unlink(list.c_str());
  const auto counting = first ? std::optional(shards) : listed(lease.range);
  if (counting) move_listed(*counting);
  // Where no list can say which files count, none is removed. A part may be in the list of a worker that took over.
  for (const std::string& name : mine) {
    const std::string file = "work/" + worker_ + "/" + name;
    if (!counting || std::ranges::find(*counting, file, &ListedShard::file) != counting->end()) continue;
    count();
    ::unlink((shards_ / file).c_str());
  }
  if (!first) candidates_.clear();  // others have played meanwhile: what was seen is out of date
  counted_ += lease.range.games();
  mine_.erase(key);
  return first;
}

void Leases::give_back(const Lease& lease) {
  free_turn(lease.range.name(), lease.turn);
  mine_.erase(lease.range.name());
}

bool Leases::all_done() {
  const std::map<std::string, LeaseState> states = list();
  return std::ranges::all_of(ranges_, [&](const GameRange& range) {
    const auto found = states.find(range.name());
    return found != states.end() && found->second.done;
  });
}

bool Leases::take_look() {
  const std::map<std::string, LeaseState> states = list();
  const auto found = states.find("look");
  const LeaseState state = found == states.end() ? LeaseState{} : found->second;
  if (!state.free && !dead(holder_of("look", state.turn))) return false;
  if (!take_key("look", state.turn + 1)) return false;
  look_turn_ = state.turn + 1;
  return true;
}

Leases::Look Leases::look(const fs::path& complete, std::vector<std::string>& warnings, bool anew) {
  if (!look_turn_ && !take_look()) return Look::looking;
  // The look is free again because it is done, which a network may have been slow to say.
  refresh_folder(complete.parent_path());
  std::error_code ignored;
  if (!anew && fs::exists(complete, ignored)) {
    free_turn("look", *look_turn_);
    look_turn_.reset();
    return Look::whole;
  }
  std::vector<ListedShard> all;
  for (const GameRange& range : ranges_) {
    const std::vector<ListedShard> shards = listed(range).value_or(std::vector<ListedShard>{});
    move_listed(shards);
    all.insert(all.end(), shards.begin(), shards.end());
  }
  refresh_folder(shards_);
  FolderContents contents = scan_shards(shards_, static_cast<int>(there_.size()), expected_, all);
  warnings = std::move(contents.warnings);
  const bool whole = contents.missing.empty();
  const auto states = list(true);
  if (!states.contains("look") || states.at("look").turn != *look_turn_ ||
      (!whole && !anew && fs::exists(complete, ignored))) {
    // This worker slept meanwhile, and another one has looked: what was seen is out of date.
    look_turn_.reset();
    return Look::looking;
  }
  if (whole) {
    write_file_atomically(complete, "");
    tidy();
  } else {
    fs::remove(complete, ignored);
    put_back(contents.missing);
  }
  free_turn("look", *look_turn_);
  look_turn_.reset();
  candidates_.clear();
  return whole ? Look::whole : Look::missing;
}

// Has the ranges of these games played again: their lists count no more. A turn that is free says that there may be
// games of the range already.
void Leases::put_back(const std::vector<std::uint32_t>& missing) {
  const std::map<std::string, LeaseState> states = list(true);
  for (const GameRange& range : ranges_) {
    const auto first = std::ranges::lower_bound(missing, range.first);
    if (first == missing.end() || *first > range.last) continue;
    const std::string key = range.name();
    const auto found = states.find(key);
    int turn = found == states.end() ? 0 : found->second.turn + 1;
    while (!take_key(key, turn)) ++turn;
    take_key(key, turn, "free");
    const fs::path list = leases() / (key + ".done");
    const fs::path aside = leases() / fmt::format("{}.{}-{}.void", key, worker_, sequence_++);
    count();
    if (::rename(list.c_str(), aside.c_str()) != 0 && errno != ENOENT) fail("move aside", list, errno);
  }
}

void Leases::tidy() {
  remove_remains(shards_, {own_file(), run_file(), turn_file("look", *look_turn_, "lease")});
}

}  // namespace koridor
