// The games of a generation shared out among workers on any machines, by files that any shared folder has.
//
// The numbers 0 to games - 1 are cut into ranges. Beside the shards of the generation lie
//
//   leases/FIRST-LAST.k.lease   worker k of the range; its content is that worker's name. The highest k has the range
//   leases/FIRST-LAST.k.free    worker k gave the range back; its lease stays, so that turn k is over for ever
//   leases/FIRST-LAST.done      the range counts: a list of the shards that hold its games, each game once
//   leases/look.k.lease, .free  who looks through the finished generation, in the same way
//   leases/run                  whose games these are: the configuration's hash and the seed
//   work/WORKER/                the shards that a worker writes; only those of a list count, and move beside `leases`
//
// Every step is a link(2) of a file with a name of its own to a name that must not exist, which one worker wins on
// every file system, or a rename(2) of a shard that a list names. Nothing is locked. A worker that others took for dead
// changes nothing when it comes back: a higher k has its range, and the first list of a range is the one that counts. A
// reply that a network loses makes link(2) fail though it was done, so that after each failure the files are compared.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/heartbeat.h"
#include "selfplay/generator/generation_shards.h"
#include "selfplay/generator/lease_files.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// A name that no other process has: "host-4711-5f3a9c21".
std::string new_worker_name();

// A range that this worker holds.
struct Lease {
  GameRange range;
  int turn = 0;                        // the k of its file
  std::vector<std::uint32_t> missing;  // games to play, rising
  std::vector<std::string> found;      // shards of earlier holders that hold the others, as they stand in the list
};

// Which games are leased, and by whom.
struct LeaseSettings {
  std::filesystem::path shards;                       // the generation's folder
  std::filesystem::path workers;                      // that of the heartbeats, named after their workers
  std::string worker;                                 // who leases
  int games = 0;                                      // of the generation
  std::vector<ShardInfo> expected{};                  // the header of every variant
  std::chrono::milliseconds dead_after = kDeadAfter;  // of a heartbeat's silence
};

class Leases {
 public:
  // Makes the generation's folders, and reads which games it has already: shards that lie there without a list, as
  // older builds left them, count. Throws UserError where that fails, where `workers` is not there, since then the
  // whole run has vanished and is not to be made anew, or where a shard is of another run.
  explicit Leases(LeaseSettings settings);
  // Gives back what it still holds.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  // Takes a range that nobody has, or one of a worker that is dead. Nothing where there is none now. Here and below
  // UserError says that the file system failed; the same call may then be tried again.
  std::optional<Lease> take();
  // As the last take() that found nothing saw it: every range counts, or is held here.
  bool nothing_left() const { return waiting_for_ == 0; }
  // The next take() tries what an earlier one saw, before it lists the folder again.
  bool has_candidates() const { return !candidates_.empty(); }
  // Every range counts.
  bool all_done();
  // How the ranges stand by a new listing, for who holds none: all count, take() may find one, or living workers hold
  // those that do not count.
  enum class Standing { done, takeable, held };
  Standing stand();

  // Makes the range count, with `own` shards of the worker's folder and those that were found. `parts` are further
  // files there, whose games these hold as well. They are removed and, where another worker was first, so are `own`,
  // but for what its list names. Returns whether this worker's list counts. Throws ForeignShard where the folder is no
  // longer the one in which the lease was taken, as take() does where the folder is another run's by now.
  bool finish(const Lease& lease, const std::vector<ListedShard>& own, const std::vector<std::string>& parts = {});
  // Gives the range back, with what is played of it in the worker's folder. Throws nothing.
  void give_back(const Lease& lease);

  // Looks through the generation, all of whose ranges count, unless another worker does that. `looking`: it is left to
  // the other one.
  enum class Look { looking, missing, whole };
  // Moves the shards of every list beside the others and reads them all (scan_shards). Damaged ones are moved aside,
  // with a line in `warnings`; where games are missing then, their ranges do not count any more. Where none is, creates
  // the file `complete` and removes what the work has left. Where `complete` is there it is believed, unless all is to
  // be read `anew`.
  Look look(const std::filesystem::path& complete, std::vector<std::string>& warnings, bool anew = false);

  // The worker's own folder for shards. Throws UserError where the generation's folder has vanished, since making it
  // anew would hide that.
  std::filesystem::path work_folder();

  // Games of the ranges that count, as far as it is known here, without those of ranges that are held here.
  std::uint64_t games_counted() const { return counted_; }
  const std::string& worker() const { return worker_; }
  const std::vector<GameRange>& ranges() const { return ranges_; }
  // Calls to the file system so far.
  std::uint64_t operations() const { return operations_.load(std::memory_order_relaxed); }

 private:
  std::filesystem::path leases() const { return shards_ / "leases"; }
  std::filesystem::path turn_file(const std::string& key, int turn, const char* kind) const;
  std::map<std::string, LeaseState> list(bool fresh = false);
  void look_for_candidates(bool fresh);
  void free_turn(const std::string& key, int turn);
  const std::string& holder_of(const std::string& key, int turn);
  bool dead(const std::string& holder);
  std::optional<Lease> take_range(const GameRange& range, int turn);
  bool take_key(const std::string& key, int turn, const char* kind = "lease");
  bool link_own(const std::filesystem::path& own, const std::filesystem::path& to);
  std::filesystem::path own_file();
  std::filesystem::path run_file() const { return leases() / "run"; }
  void write_own(const std::filesystem::path& path, const std::string& content);
  std::optional<std::vector<ListedShard>> listed(const GameRange& range);
  void move_listed(const std::vector<ListedShard>& shards);
  std::ptrdiff_t voids() const;
  void read_uncounted();
  void find_games(Lease& lease);
  void require_run();
  bool is_there(const std::filesystem::path& file);
  void require_lease(const std::string& key, int turn);
  bool take_look();
  void put_back(const std::vector<std::uint32_t>& missing);
  void tidy();
  void count(int operations = 1) { operations_.fetch_add(static_cast<std::uint64_t>(operations)); }

  std::filesystem::path shards_;
  std::filesystem::path workers_;
  std::string worker_;
  std::vector<ShardInfo> expected_;
  std::string run_;  // as in run_file()
  std::vector<GameRange> ranges_;
  Watch watch_;
  std::vector<bool> there_;         // games in shards that no list names
  std::ptrdiff_t voids_read_ = 0;   // lists that did not hold, when these shards were read
  std::vector<std::string> names_;  // of the folder of leases, when it was listed last
  std::chrono::steady_clock::time_point listed_new_{};
  std::map<std::string, int> mine_;                    // turns by range
  std::map<std::string, std::string> holders_;         // names by lease file, which never change
  std::vector<std::pair<GameRange, int>> candidates_;  // with the turn to take; the next one last
  std::size_t waiting_for_ = 0;
  std::uint64_t counted_ = 0;
  std::size_t offset_ = 0;
  int sequence_ = 0;
  std::optional<int> look_turn_;
  std::atomic<std::uint64_t> operations_{0};
};

}  // namespace koridor
