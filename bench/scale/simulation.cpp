#include "bench/scale/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "bench/scale/simulated_files.h"
#include "core/base/random.h"
#include "selfplay/generator/continuous_worker.h"

namespace koridor::bench {
namespace {

// A worker takes its next lease when the numbers that it has last for less than this.
constexpr double kAheadSeconds = 2;

struct Flight {
  double work;  // of the worker's shared work, at which it is over
  int lease;
  int model;  // that plays it
  bool operator>(const Flight& other) const { return work > other.work; }
};

enum class Waits : std::uint8_t { nothing, files, model, games };

struct Worker {
  std::priority_queue<Flight, std::vector<Flight>, std::greater<>> flights{};
  double work = 0;                         // that a game in flight since the beginning would have got
  double since = 0;                        // when `work` was right
  std::deque<std::pair<int, int>> hand{};  // leases, and the numbers of each that are not started yet
  int numbers = 0;                         // of all of them
  bool asking = false;                     // for a lease
  bool reading = false;                    // a model, or about to
  std::uint32_t turn = 0;                  // events of earlier turns are void
  Waits waits = Waits::model;
  int model = -1;
};

struct Lease {
  int open = 0;  // games not finished
  int games = 0;
  double models = 0;  // sum of the models' numbers that played them
};

struct Relay {
  int model = -1;               // the newest that it reads or has read
  double there = 0;             // when that one is there
  std::vector<int> finished{};  // leases whose shards it holds
  double bytes = 0;             // of these shards
  int waiting = 0;              // of its workers for a model
};

enum class Kind : std::uint8_t { game_over, lease_taken, lease_done, fetch, model_loaded, trained, published, hand_in };

struct Event {
  double time;
  std::uint64_t order;
  Kind kind;
  int subject;         // worker, lease or relay
  std::uint32_t turn;  // of the worker, with game_over; the model's number, with model_loaded
  bool operator>(const Event& other) const { return std::pair(time, order) > std::pair(other.time, other.order); }
};

class Simulation {
 public:
  Simulation(const ScaleRates& rates, const ScalePlan& plan)
      : rates_(rates),
        plan_(plan),
        files_(rates),
        random_(plan.seed),
        workers_(static_cast<std::size_t>(plan.workers)),
        relays_(static_cast<std::size_t>(plan.relay > 0 ? racks(plan.workers) : 0)),
        asked_(workers_.size(), -1),
        waiting_(racks(plan.workers)) {
    for (int worker = 0; worker < plan.workers; ++worker) {
      if (Relay* relay = relay_of(worker)) ++relay->waiting;
    }
    slow_ = plan.cores > 0 ? std::min(1.0, static_cast<double>(plan.cores) / plan.workers) : 1.0;
    between_models_ = plan.games / (plan.workers * slow_ * rates.games_per_second);
  }

  ScaleFigures run() {
    begin_generation(0);
    while (!is_over() && !events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      handle(event);
    }
    for (Worker& worker : workers_) account(worker);
    return figures();
  }

 private:
  bool in_step() const { return plan_.mode == ScaleMode::in_step; }
  bool is_over() const { return model_ == first_counted() + plan_.generations; }
  Worker& at(int worker) { return workers_[static_cast<std::size_t>(worker)]; }

  void add(double time, Kind kind, int subject, std::uint32_t turn = 0) {
    events_.push({time, order_++, kind, subject, turn});
  }

  // Before, the workers are on the way to where they stay ahead.
  int first_counted() const { return in_step() ? 1 : plan_.ahead + 2; }

  // A new model is there.
  void begin_generation(int model) {
    model_ = model;
    if (now_ > model_since_) between_models_ = now_ - std::exchange(model_since_, now_);
    if (model == first_counted()) start_counting();
    if (is_over()) return;
    if (in_step()) {
      left_ = plan_.games;
      open_leases_ = 0;
    }
    for (int worker = 0; worker < plan_.workers; ++worker) {
      if (at(worker).waits == Waits::model) {
        fetch_model(worker, random_.uniform() * plan_.poll_seconds);
      } else if (!in_step()) {
        fetch_model(worker, random_.uniform() * pause_between_looks(between_models_, has_no_games(at(worker))));
      }
    }
    set_background();
  }

  void start_counting() {
    set_background();
    for (Worker& worker : workers_) account(worker);
    counted_from_ = now_;
    shares_ = {};
    played_ = shard_bytes_ = model_bytes_ = behind_ = train_seconds_ = background_operations_ = 0;
    learned_ = 0;
    operations_before_ = files_.operations();
    busy_before_ = files_.busy();
  }

  // At once: for it is too far ahead of the models.
  bool has_no_games(const Worker& worker) const { return worker.waits == Waits::games && worker.flights.empty(); }

  // How many processes speak for so many workers.
  int racks(int workers) const { return plan_.relay > 0 ? (workers + plan_.relay - 1) / plan_.relay : workers; }
  // The worker's; null where there are none.
  Relay* relay_of(int worker) {
    return relays_.empty() ? nullptr : &relays_[static_cast<std::size_t>(worker / plan_.relay)];
  }

  // The worker's next look for a model is so many seconds later.
  void fetch_model(int worker, double later) {
    if (!std::exchange(at(worker).reading, true)) add(now_ + later, Kind::fetch, worker);
  }

  // When the worker has the newest model, for which it asks now.
  double read_model(int worker) {
    Relay* relay = relay_of(worker);
    if (relay != nullptr && relay->model == model_) return std::max(now_, relay->there);
    model_bytes_ += rates_.model_bytes;
    const double there = files_.serve(now_, 2 + kPollOperations, rates_.model_bytes);
    if (relay != nullptr) {
      relay->model = model_;
      relay->there = there;
    }
    return there;
  }

  // Beats, and the looks of those who wait.
  void set_background() {
    background_operations_ += background_ * (now_ - background_since_);
    background_since_ = now_;
    background_ = kHeartbeatOperations * racks(plan_.workers) / plan_.heartbeat_seconds +
                  kPollOperations * (waiting_ + 1) / plan_.poll_seconds;
    if (!in_step()) {
      const auto idle = std::ranges::count_if(workers_, [&](const Worker& worker) { return has_no_games(worker); });
      const double waits = racks(static_cast<int>(idle)), plays = racks(plan_.workers) - waiting_ - waits;
      background_ += kWatchOperations * (waits / pause_between_looks(between_models_, true) +
                                         std::max(0.0, plays) / pause_between_looks(between_models_, false));
    }
    background_ = files_.set_background(background_);
  }

  void set_waits(int number, Waits waits) {
    const int change = (waits == Waits::model) - (at(number).waits == Waits::model);
    at(number).waits = waits;
    if (change == 0) return;
    if (Relay* relay = relay_of(number)) {
      // It looks while any of its workers waits.
      waiting_ -= relay->waiting > 0;
      relay->waiting += change;
      waiting_ += relay->waiting > 0;
    } else {
      waiting_ += change;
    }
    set_background();
  }

  // Share of the worker's full speed with so many games in flight.
  double speed(std::size_t flights) const {
    if (flights == 0) return 0;
    if (rates_.slots == 1) return 1;
    return rates_.alone + (1 - rates_.alone) * static_cast<double>(flights - 1) / (rates_.slots - 1);
  }

  // Brings a worker's work and the sums of shares up to now.
  void account(Worker& worker) {
    const double from = std::max(worker.since, counted_from_);
    const double full = speed(worker.flights.size());
    if (now_ > from) {
      shares_[0] += full * (now_ - from);
      shares_[static_cast<std::size_t>(worker.waits)] += (1 - full) * (now_ - from);
    }
    if (!worker.flights.empty()) {
      worker.work +=
          (now_ - worker.since) * slow_ * rates_.games_per_second * full / static_cast<double>(worker.flights.size());
    }
    worker.since = now_;
  }

  // Starts games in empty slots, asks for a lease where numbers run short, and finds when the next game is over. The
  // worker's work is up to date.
  void go_on(int number) {
    Worker& worker = at(number);
    while (worker.numbers > 0 && worker.flights.size() < static_cast<std::size_t>(rates_.slots)) {
      auto& [lease, numbers] = worker.hand.front();
      worker.flights.push({worker.work + length(), lease, worker.model});
      --worker.numbers;
      if (--numbers == 0) worker.hand.pop_front();
    }
    Waits waits = Waits::nothing;
    const bool full = worker.flights.size() == static_cast<std::size_t>(rates_.slots);
    if (!worker.asking && worker.numbers < kAheadSeconds * slow_ * rates_.games_per_second) ask_for_lease(number);
    if (!full && worker.asking) waits = Waits::files;
    if (!full && !worker.asking) waits = worker.flights.empty() && in_step() ? Waits::model : Waits::games;
    set_waits(number, waits);
    ++worker.turn;
    if (!worker.flights.empty()) {
      const double per_work =
          static_cast<double>(worker.flights.size()) / (slow_ * rates_.games_per_second * speed(worker.flights.size()));
      add(now_ + std::max(0.0, worker.flights.top().work - worker.work) * per_work, Kind::game_over, number,
          worker.turn);
    }
  }

  double length() {
    // The sum of two uniform numbers has a standard deviation of 1 / sqrt(6).
    const double deviation = (random_.uniform() + random_.uniform() - 1) * std::sqrt(6.0);
    return std::max(0.05, 1 + rates_.length_spread * deviation);
  }

  void ask_for_lease(int number) {
    Worker& worker = at(number);
    if (in_step() && left_ == 0) return;
    if (!in_step() && too_far_ahead(worker)) return;  // until it has loaded a newer model
    const int games = in_step() ? std::min(left_, plan_.lease_games) : plan_.lease_games;
    left_ -= in_step() ? games : 0;
    taken_ += games;
    ++open_leases_;
    leases_.push_back({games, games});
    worker.asking = true;
    asked_[static_cast<std::size_t>(number)] = static_cast<int>(leases_.size()) - 1;
    add(files_.serve(now_, kTakeOperations, 0), Kind::lease_taken, number);
  }

  // At once: whether every number is taken of the generations that may be played before the worker has a newer model.
  bool too_far_ahead(const Worker& worker) const {
    return taken_ >= static_cast<std::int64_t>(worker.model + 1 + plan_.ahead) * plan_.games;
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::fetch:
        add(read_model(event.subject) + rates_.load_seconds, Kind::model_loaded, event.subject,
            static_cast<std::uint32_t>(model_));
        break;
      case Kind::model_loaded:
        model_loaded(event.subject, static_cast<int>(event.turn));
        break;
      case Kind::lease_taken:
        lease_taken(event.subject);
        break;
      case Kind::game_over:
        if (at(event.subject).turn == event.turn) game_over(event.subject);
        break;
      case Kind::lease_done:
        lease_done(leases_[static_cast<std::size_t>(event.subject)]);
        break;
      case Kind::trained:
        add(files_.serve(now_, 2, rates_.model_bytes), Kind::published, 0);
        break;
      case Kind::published:
        published();
        break;
      case Kind::hand_in:
        hand_in(relays_[static_cast<std::size_t>(event.subject)]);
        break;
    }
  }

  void model_loaded(int number, int model) {
    Worker& worker = at(number);
    account(worker);
    worker.model = model;
    worker.reading = false;
    if (model < model_) {
      fetch_model(number, 0);
      if (in_step()) return;  // what it has read is of the generation before
    }
    go_on(number);
  }

  void lease_taken(int number) {
    Worker& worker = at(number);
    account(worker);
    const int taken = asked_[static_cast<std::size_t>(number)];
    Lease& lease = leases_[static_cast<std::size_t>(taken)];
    worker.asking = false;
    worker.hand.emplace_back(taken, lease.games);
    worker.numbers += lease.games;
    go_on(number);
  }

  void game_over(int number) {
    Worker& worker = at(number);
    account(worker);
    const Flight over = worker.flights.top();
    worker.flights.pop();
    ++played_;
    Lease& lease = leases_[static_cast<std::size_t>(over.lease)];
    lease.models += over.model;
    if (--lease.open == 0) {
      finish_lease(number, over.lease, rates_.bytes_per_game * lease.games);
    }
    go_on(number);
  }

  // The worker, or its relay some time later, writes the shard.
  void finish_lease(int worker, int lease, double bytes) {
    shard_bytes_ += bytes;
    Relay* relay = relay_of(worker);
    if (relay == nullptr) {
      add(files_.serve(now_, kShardOperations + kNoteOperations, bytes), Kind::lease_done, lease);
      return;
    }
    if (relay->finished.empty()) add(now_ + kRelaySeconds, Kind::hand_in, worker / plan_.relay);
    relay->finished.push_back(lease);
    relay->bytes += bytes;
  }

  void hand_in(Relay& relay) {
    const double operations = kShardOperations + kNoteOperations * static_cast<double>(relay.finished.size());
    const double there = files_.serve(now_, operations, std::exchange(relay.bytes, 0));
    for (const int lease : relay.finished) add(there, Kind::lease_done, lease);
    relay.finished.clear();
  }

  void lease_done(Lease& lease) {
    --open_leases_;
    ready_ += lease.games;
    unread_.emplace_back(lease.models / lease.games, lease.games);
    if (in_step()) {
      if (left_ == 0 && open_leases_ == 0) train(plan_.games, plan_.poll_seconds / 2 + plan_.rating_seconds);
    } else if (!training_ && ready_ >= plan_.games) {
      train(plan_.games, 0);
    }
  }

  // Trains on so many games, `more` seconds beside.
  void train(int games, double more) {
    training_ = true;
    ready_ -= games;
    for (int rest = games; rest > 0;) {
      auto& [model, there] = unread_.front();
      const int read = std::min(rest, there);
      behind_ += static_cast<double>(read) * (model_ - model);
      learned_ += read;
      rest -= read;
      there -= read;
      if (there == 0) unread_.pop_front();
    }
    const double read = files_.serve(now_, 2.0 * games / plan_.lease_games, rates_.bytes_per_game * games);
    const double seconds = games * rates_.positions_per_game * plan_.samples_per_position / rates_.samples_per_second;
    train_seconds_ += seconds;
    add(read + seconds + more, Kind::trained, 0);
  }

  void published() {
    training_ = false;
    begin_generation(model_ + 1);
    if (!is_over() && !in_step() && ready_ >= plan_.games) train(plan_.games, 0);
  }

  ScaleFigures figures() {
    set_background();
    const double seconds = now_ - counted_from_;
    const double all = seconds * plan_.workers;
    ScaleFigures result;
    result.seconds = seconds / plan_.generations;
    result.games_per_second = played_ / seconds;
    result.of_ideal = shares_[0] / all;
    result.waiting_for_files = shares_[static_cast<std::size_t>(Waits::files)] / all;
    result.draining = in_step() ? shares_[static_cast<std::size_t>(Waits::games)] / all : 0;
    result.waiting_for_model = shares_[static_cast<std::size_t>(Waits::model)] / all +
                               (in_step() ? 0 : shares_[static_cast<std::size_t>(Waits::games)] / all);
    result.training = std::min(1.0, train_seconds_ / seconds);
    result.operations_per_second = (files_.operations() - operations_before_ + background_operations_) / seconds;
    result.files_busy =
        std::min(1.0, (files_.busy() - busy_before_ + background_operations_ / rates_.operations_per_second) / seconds);
    result.shard_bytes_per_second = shard_bytes_ / seconds;
    result.model_bytes_per_second = model_bytes_ / seconds;
    result.models_behind = learned_ > 0 ? behind_ / learned_ : 0;
    return result;
  }

  const ScaleRates& rates_;
  const ScalePlan& plan_;
  SimulatedFiles files_;
  Random random_;
  std::vector<Worker> workers_;
  std::vector<Relay> relays_;
  std::vector<Lease> leases_;
  std::vector<int> asked_;  // the lease that each worker has asked for last
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  double now_ = 0, slow_ = 1;
  int model_ = 0;
  double model_since_ = 0, between_models_ = 0;  // when it came, and how long after the one before
  int left_ = 0;                                 // in step: numbers of the generation that nobody has taken
  int open_leases_ = 0;                          // taken and not done
  std::int64_t taken_ = 0;                       // numbers taken so far
  int ready_ = 0;                                // games that the trainer may read
  std::deque<std::pair<double, int>> unread_{};  // the mean of the models that played them, and how many
  bool training_ = false;
  int waiting_;  // workers that wait for a model, or relays of such
  double background_ = 0, background_since_ = 0, background_operations_ = 0;

  // Sums since the first generation was over.
  double counted_from_ = 0;
  std::array<double, 4> shares_{};  // seconds at full speed, and seconds lost by what was waited for
  double played_ = 0, shard_bytes_ = 0, model_bytes_ = 0, behind_ = 0, learned_ = 0, train_seconds_ = 0;
  double operations_before_ = 0, busy_before_ = 0;
};

}  // namespace

ScaleFigures simulate_scale(const ScaleRates& rates, const ScalePlan& plan) {
  return Simulation(rates, plan).run();
}

}  // namespace koridor::bench
