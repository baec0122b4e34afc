#include "selfplay/generator/leased_games.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/elapsed.h"

namespace koridor {
namespace {

constexpr double kSecondsAhead = 2.0;
constexpr std::chrono::milliseconds kLongest{2000};

}  // namespace

std::size_t games_ahead(std::uint64_t played, double seconds, std::size_t in_flight) {
  // At first every slot wants a game.
  if (played == 0) return in_flight;
  const double soon = kSecondsAhead * static_cast<double>(played) / std::max(1e-3, seconds);
  return std::clamp<std::size_t>(static_cast<std::size_t>(soon), 1, in_flight);
}

LeasedGames::LeasedGames(Leases& leases, std::vector<ShardInfo> infos, LeasedGamesOptions options, Fault& fault,
                         Progress progress)
    : leases_(leases),
      options_(options),
      fault_(fault),
      progress_(std::move(progress)),
      generation_(static_cast<std::uint32_t>(infos.at(0).generation)),
      writer_(std::move(infos),
              {.folder = leases.work_folder(), .writer = leases.worker(), .seconds = options.shard_seconds}) {
  for (const GameRange& range : leases_.ranges()) wanted_ += range.games();
}

LeasedGames::~LeasedGames() {
  for (const auto& [first, open] : open_) leases_.give_back(open.lease);
}

void LeasedGames::begin() {
  began_ = std::chrono::steady_clock::now();
  refill();
}

void LeasedGames::refill() {
  take_ranges();
  count_whole();
}

std::size_t LeasedGames::ahead() const {
  return games_ahead(played_, seconds_since(began_), options_.in_flight);
}

// Numbers are taken while fewer than wanted are ready, and a range's last games make room for the next range.
void LeasedGames::take_ranges() {
  while (!closed_ && ready_.load() < ahead()) {
    const auto unfinished = std::ranges::count_if(open_, [](const auto& open) { return open.second.left > 0; });
    if (static_cast<std::size_t>(unfinished) >= options_.most_ranges) return;
    std::optional<Lease> lease = leases_.take();
    if (!lease) {
      if (!leases_.nothing_left() && (options_.stays || unfinished > 0)) return;
      closed_ = true;
      wake_.notify_all();
      return;
    }
    const std::vector<std::uint32_t> missing = lease->missing;
    open_[lease->range.first] = {std::move(*lease), missing.size()};
    const std::lock_guard lock(mutex_);
    numbers_.insert(numbers_.end(), missing.begin(), missing.end());
    ready_ = numbers_.size();
    wake_.notify_all();
  }
}

std::optional<NextGame> LeasedGames::take() {
  const std::lock_guard lock(mutex_);
  if (numbers_.empty()) return std::nullopt;
  const std::uint32_t number = numbers_.front();
  numbers_.pop_front();
  ready_ = numbers_.size();
  return NextGame{number, generation_};
}

void LeasedGames::wait() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::milliseconds(20), [this] { return closed_ || !numbers_.empty(); });
}

void LeasedGames::take(const GameRecord& record) {
  auto range = open_.upper_bound(record.number);
  --range;
  ++played_;
  --range->second.left;
  writer_.keep(record, range->first);
  const bool whole = range->second.left == 0;
  if (!whole && ready_.load() >= ahead()) return;
  const auto look_after_ranges = [&] {
    if (whole) count_whole();
    // Where nothing is known to be free, not every game that ends lists the folder.
    if (whole || leases_.has_candidates()) take_ranges();
    ask_again();
    count_whole();
  };
  fault_.attempt(look_after_ranges, options_.work);
}

// Makes the ranges count all of whose games are played. One that cannot be finished keeps none of the others from it;
// the first error is thrown after them, but for that of a folder which is another run's by now.
void LeasedGames::count_whole() {
  std::exception_ptr failure;
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->second.left > 0) {
      ++open;
      continue;
    }
    try {
      count(open->first, open->second.lease);
      open = open_.erase(open);
    } catch (const ForeignShard&) {
      throw;
    } catch (const std::exception&) {
      if (!failure) failure = std::current_exception();
      ++open;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void LeasedGames::count(std::uint32_t first, const Lease& lease) {
  if (!lease.missing.empty()) leases_.work_folder();  // throws where the generation's folder has vanished
  writer_.close_group(first);
  leases_.finish(lease, writer_.files_of(first), writer_.parts_of(first));
  writer_.forget_group(first);
}

void LeasedGames::tick(const SelfplayStatistics& statistics) {
  const auto write_and_ask = [&] {
    if (writer_.any_due()) {
      leases_.work_folder();
      writer_.write_due();
    }
    count_whole();
    ask_again();
    count_whole();
  };
  fault_.attempt(write_and_ask, options_.work);
  if (progress_) progress_(statistics);
}

// Who waits for others asks less and less often.
void LeasedGames::ask_again() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ask_) return;
  const std::size_t before = open_.size();
  take_ranges();
  patience_ = open_.size() > before ? kShortest : std::min(2 * patience_, kLongest);
  next_ask_ = now + patience_;
}

void LeasedGames::finish() {
  if (!open_.empty()) leases_.work_folder();
  std::exception_ptr failure;
  try {
    count_whole();
  } catch (const ForeignShard&) {
    throw;
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  writer_.close();  // what is played of the other ranges, for those who take them
  if (failure) std::rethrow_exception(failure);
}

std::uint64_t LeasedGames::games_known() const {
  std::uint64_t games = leases_.games_counted();
  for (const auto& [first, open] : open_) games += open.lease.range.games() - open.left;
  return games;
}

}  // namespace koridor
