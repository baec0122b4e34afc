#include "selfplay/session/seat_player.h"

#include <chrono>
#include <thread>
#include <utility>
#include <variant>

#include "core/base/elapsed.h"
#include "selfplay/matches/player_batch.h"

namespace koridor {

class SeatPlayer::Place {
 public:
  virtual ~Place() = default;
  virtual void reset(std::span<const Action> actions, GameClocks clocks) = 0;
  virtual bool get_ready(const std::atomic<bool>& stop) = 0;
  virtual void play(Action action) = 0;
  virtual void begin(const std::atomic<bool>& stop) = 0;
  // Goes on until there is a choice or `leave(seconds)`, asked after each step with the seconds of this call, is true.
  virtual std::optional<SeatChoice> think_on(const std::function<bool(double)>& leave) = 0;
};

template <Game G>
class SeatPlayer::GamePlace final : public Place {
 public:
  GamePlace(const G& game, const MatchPlayer& player, AnyPlayer made, const Evaluation& evaluation, std::uint64_t seed)
      : game_(game), player_(std::get<std::unique_ptr<Player<G>>>(std::move(made))), name_(player.name), random_(seed) {
    const PlayerBatchOptions options{.evaluation = evaluation, .rows = 1};
    batch_ = make_player_batch(game_, player, make_player_evaluators(player, options, 1), options);
    reset({}, {});
  }

  void reset(std::span<const Action> actions, GameClocks clocks) override {
    Position<G> position(game_);
    for (const Action action : actions) position.apply(game_, action);
    player_->follow(actions);
    player_->new_game(position, clocks);
  }

  bool get_ready(const std::atomic<bool>& stop) override {
    while (!player_->ready()) {
      if (stop.load(std::memory_order_relaxed)) return false;
      std::this_thread::sleep_for(kPause);
    }
    return true;
  }

  void play(Action action) override { player_->play(action); }

  void begin(const std::atomic<bool>& stop) override {
    player_->heed(stop);
    player_->begin(random_);
  }

  std::optional<SeatChoice> think_on(const std::function<bool(double)>& leave) override {
    const auto entered = std::chrono::steady_clock::now();
    for (;;) {
      const PlayerStep step = player_->step();
      if (step == PlayerStep::done) break;
      if (step == PlayerStep::forfeit) return given_up(player_->forfeit());
      if (step == PlayerStep::waiting) std::this_thread::sleep_for(kPause);
      if (step == PlayerStep::evaluate) {
        batch_->clear();
        const int leaves = player_->leaves();
        for (int leaf = 0; leaf < leaves; ++leaf) batch_->add(player_->leaf(leaf), 0);
        batch_->evaluate();
        for (int leaf = 0; leaf < leaves; ++leaf) player_->supply(leaf, batch_->prediction(leaf));
      }
      if (leave(seconds_since(entered))) return std::nullopt;
    }
    const Action action = player_->action(0);
    return SeatChoice{.action = action, .value = player_->value()};
  }

 private:
  static constexpr std::chrono::milliseconds kPause{1};  // between two questions to a player that waits for somebody

  SeatChoice given_up(const Forfeit& forfeit) const {
    if (forfeit.kind == Forfeit::Kind::resign && game_.players() == 2) return {.resigns = true};
    if (forfeit.kind == Forfeit::Kind::time) return {.late = true};
    throw UserError(name_ + " gives the game up: " + forfeit.text());
  }

  const G& game_;
  std::unique_ptr<Player<G>> player_;
  std::unique_ptr<EvaluationBatch<G>> batch_;
  std::string name_;
  Random random_;
};

SeatPlayer::SeatPlayer(const AnyGame& any, const MatchPlayer& player, const Evaluation& evaluation, std::uint64_t seed,
                       const std::atomic<bool>& stop)
    : place_(std::visit(
          [&]<Game G>(const G& game) -> std::unique_ptr<Place> {
            return std::make_unique<GamePlace<G>>(game, player, player.prepare(any, stop)(), evaluation, seed);
          },
          any)) {}

SeatPlayer::~SeatPlayer() = default;

void SeatPlayer::reset(std::span<const Action> actions, GameClocks clocks) {
  place_->reset(actions, clocks);
}

bool SeatPlayer::get_ready(const std::atomic<bool>& stop) {
  return place_->get_ready(stop);
}

void SeatPlayer::play(Action action) {
  place_->play(action);
}

std::optional<SeatChoice> SeatPlayer::think(const std::atomic<bool>& stop,
                                            const std::function<void(double)>& progress) {
  place_->begin(stop);
  if (stop.load(std::memory_order_relaxed)) return std::nullopt;
  return place_->think_on([&](double seconds) {
    if (progress) progress(seconds);
    return stop.load(std::memory_order_relaxed);
  });
}

void SeatPlayer::begin(const std::atomic<bool>& stop) {
  place_->begin(stop);
}

std::optional<SeatChoice> SeatPlayer::think_on(double seconds) {
  return place_->think_on([&](double passed) { return passed >= seconds; });
}

}  // namespace koridor
