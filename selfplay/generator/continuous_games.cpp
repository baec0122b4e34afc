#include "selfplay/generator/continuous_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "selfplay/generator/worker_parts.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookAgain{1000};
constexpr std::chrono::milliseconds kOpenAgain{1000};

bool is_complete(const SelfplayJob& job) {
  std::error_code ignored;
  return fs::exists(job.complete, ignored);
}

}  // namespace

ContinuousGames::Open::Open(int number, SelfplayJob of_generation)
    : generation(number), job(std::move(of_generation)), infos(shard_infos(job)) {}

ContinuousGames::ContinuousGames(const ContinuousJob& job, WorkerSign& sign, Fault& fault,
                                 const std::atomic<int>& model, std::size_t in_flight)
    : job_(job), sign_(sign), fault_(fault), model_(model), in_flight_(in_flight) {
  const SelfplayJob first = job.generation(0);
  wanted_ = static_cast<std::uint64_t>(first.games()) +
            static_cast<std::uint64_t>(first.selfplay.games) * static_cast<std::uint64_t>(job.generations - 1);
  // The present model was made of the games of all generations before its own, also where these are not here any more.
  first_wanted_ = next_ = std::max(0, model.load());
}

ContinuousGames::~ContinuousGames() = default;

void ContinuousGames::begin(Progress progress) {
  progress_ = std::move(progress);
  began_ = Clock::now();
  fill();
}

std::size_t ContinuousGames::ranges_held() const {
  std::size_t ranges = 0;
  for (const auto& open : open_) ranges += open->games->ranges_held();
  return ranges;
}

std::uint64_t ContinuousGames::operations() const {
  std::uint64_t operations = past_operations_;
  for (const auto& open : open_) operations += open->leases->operations();
  return operations;
}

std::size_t ContinuousGames::wanted_ready() const {
  return games_ahead(played_, seconds_since(began_), in_flight_);
}

ContinuousGames::Wait ContinuousGames::waits_for() const {
  if (ready_.load() > 0 || !too_far()) return Wait::none;
  // The next model is made of the games of the generation of the present one.
  return !open_.empty() && open_.front()->generation <= model_.load() ? Wait::games : Wait::model;
}

void ContinuousGames::make_games(Open& open) {
  open.games =
      std::make_unique<LeasedGames>(*open.leases, open.infos,
                                    LeasedGamesOptions{.shard_seconds = open.job.selfplay.shard_seconds,
                                                       .in_flight = in_flight_,
                                                       .most_ranges = most_ranges(sign_, open.leases->ranges().size()),
                                                       .work = open.generation},
                                    fault_, LeasedGames::Progress{});
  open.games->begin();
  open.dry = false;
}

// Opens a generation; false where the file system failed. The model that its games begin with must still be there: else
// the run has vanished, or another one has been begun in its directory.
bool ContinuousGames::open(int generation) {
  auto open = std::make_unique<Open>(generation, job_.generation(generation));
  const auto open_files = [&] {
    const fs::path model = job_.generation(std::max(0, model_.load())).model;
    if (std::error_code error; !fs::exists(model, error)) {
      throw UserError(fmt::format("cannot find the model {} that the run had", model.string()));
    }
    open->leases = std::make_unique<Leases>(LeaseSettings{.shards = open->job.shards,
                                                          .workers = sign_.folder(),
                                                          .worker = sign_.name(),
                                                          .games = open->job.games(),
                                                          .expected = open->infos,
                                                          .dead_after = open->job.dead_after});
    make_games(*open);
  };
  if (!fault_.attempt(open_files, generation)) return false;
  const auto place = std::ranges::find_if(open_, [&](const auto& other) { return other->generation > generation; });
  open_.insert(place, std::move(open));
  return true;
}

bool ContinuousGames::is_open(int generation) const {
  return std::ranges::any_of(open_, [&](const auto& open) { return open->generation == generation; });
}

// Opens the next generation that is not complete; false where there is none, or not yet.
bool ContinuousGames::open_next() {
  for (; next_ < job_.generations && !too_far(); ++next_) {
    if (is_complete(job_.generation(next_))) {
      fault_.succeeded(next_);  // others did what failed here
      continue;
    }
    if (!open(next_)) return false;
    ++next_;
    return true;
  }
  return false;
}

// A process that begins to lead the run has the games looked through that were not learned from yet, and may find
// generations damaged that were complete.
void ContinuousGames::open_again() {
  if (over_ || Clock::now() < open_again_after_) return;
  open_again_after_ = Clock::now() + kOpenAgain;
  for (; first_wanted_ < model_.load(); ++first_wanted_) {
    if (!is_open(first_wanted_)) fault_.succeeded(first_wanted_);  // it was learned from, whoever played it
  }
  for (int generation = first_wanted_; generation < next_; ++generation) {
    if (is_open(generation)) continue;
    if (is_complete(job_.generation(generation))) {
      fault_.succeeded(generation);
    } else {
      open(generation);
    }
  }
}

// Hands numbers of a generation to the threads; false where it has none now.
bool ContinuousGames::move_numbers(Open& open, std::size_t wanted) {
  bool any = false;
  const std::lock_guard lock(mutex_);
  while (numbers_.size() < wanted) {
    const std::optional<NextGame> next = open.games->next();
    if (!next) break;
    numbers_.push_back(*next);
    any = true;
  }
  ready_ = numbers_.size();
  if (any) wake_.notify_all();
  if (any) open.dry = false;
  return any;
}

// Takes numbers of the earliest generations that have some, and opens the next one where these are not enough.
void ContinuousGames::fill() {
  // After a wait every slot wants a game again, whatever the mean speed was.
  if (ready_.load() == 0 && too_far()) waited_ = true;
  if (waited_ && !too_far()) {
    waited_ = false;
    played_ = 0;
    began_ = Clock::now();
  }
  const std::size_t wanted = wanted_ready();
  for (std::size_t i = 0; ready_.load() < wanted;) {
    if (i == open_.size()) {
      if (!open_next()) break;
      continue;
    }
    Open& open = *open_[i];
    if (move_numbers(open, wanted)) continue;
    if (open.dry || !fault_.attempt([&] { open.games->refill(); }, open.generation)) {
      ++i;
      continue;
    }
    // Where others have the rest, tick() asks again, less and less often.
    if (!move_numbers(open, wanted)) open.dry = true;
  }
  if (all_complete()) {
    over_ = true;
    wake_.notify_all();
  }
}

std::optional<NextGame> ContinuousGames::take() {
  const std::lock_guard lock(mutex_);
  if (numbers_.empty()) return std::nullopt;
  const NextGame next = numbers_.front();
  numbers_.pop_front();
  ready_ = numbers_.size();
  return next;
}

void ContinuousGames::wait() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::milliseconds(20), [this] { return over_ || !numbers_.empty(); });
}

void ContinuousGames::take(const GameRecord& record) {
  ++played_;
  // A generation stays open as long as games of it are in flight.
  const auto open = std::ranges::find_if(
      open_, [&](const auto& one) { return static_cast<std::uint32_t>(one->generation) == record.generation; });
  if (open == open_.end()) throw std::logic_error("ContinuousGames: a game of a generation that is not open");
  (*open)->games->take(record);
  settle_all();
  fill();
}

void ContinuousGames::tick(const SelfplayStatistics& statistics) {
  for (const auto& open : open_) open->games->tick(statistics);
  settle_all();
  open_again();
  fill();
  if (progress_) progress_(statistics);
}

void ContinuousGames::settle_all() {
  std::erase_if(open_, [&](const auto& open) { return settle(*open); });
}

// Has a generation looked through all of whose games are counted; true once it is complete.
bool ContinuousGames::settle(Open& open) {
  const auto whole = [&] {
    fault_.succeeded(open.generation);
    past_operations_ += open.leases->operations();
    return true;
  };
  if (!open.look.valid()) {
    if (!open.games->over() || open.games->ranges_held() > 0 || Clock::now() < open.look_after) return false;
    if (is_complete(open.job)) return whole();
    try {
      open.look = std::async(std::launch::async, [leases = open.leases.get(), complete = open.job.complete] {
        LookResult result{.look = Leases::Look::missing, .warnings = {}};
        result.looked = leases->all_done();
        if (result.looked) result.look = leases->look(complete, result.warnings);
        return result;
      });
    } catch (const std::system_error&) {
      open.look_after = Clock::now() + kLookAgain;  // there is no thread for it now
    }
    return false;
  }
  if (open.look.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  open.look_after = Clock::now() + kLookAgain;
  bool complete = false;
  fault_.hurry();  // what the look found is to be seen now
  const auto take_result = [&] {
    const LookResult result = open.look.get();
    for (const std::string& warning : result.warnings) print_message("koridor", "warning: " + warning);
    complete = result.look == Leases::Look::whole;
    if (result.look != Leases::Look::missing) return;
    if (result.looked && ++open.looks > kMostLooks) {
      throw UserError(
          fmt::format("{}: games just written are not there; is the disk sound?", open.job.shards.string()));
    }
    make_games(open);
  };
  fault_.attempt(take_result, open.generation);
  return complete && whole();
}

void ContinuousGames::finish() {
  // Where one generation's folder fails the games of the others are written all the same. One that is looked through
  // has nothing left to be written.
  std::exception_ptr failure;
  for (const bool looked_through : {false, true}) {
    for (const auto& open : open_) {
      if (open->look.valid() != looked_through) continue;
      try {
        if (looked_through) open->look.wait();
        open->games->finish();
      } catch (const std::exception&) {
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace koridor
