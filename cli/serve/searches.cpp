#include "cli/serve/searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "selfplay/matches/plain_players.h"
#include "selfplay/session/picture.h"

namespace koridor::serve {
namespace {

constexpr int kVisits = 400;  // of a player that searches without a model
constexpr std::size_t kMostPlayers = 4;

}  // namespace

struct Searches::Slot {
  struct Seated {
    std::string key;
    std::unique_ptr<AnyGame> game;  // which the player looks at
    std::unique_ptr<SeatPlayer> player;
  };

  bool busy = false;
  std::uint64_t used = 0;
  std::string key;  // game and model of the session
  std::unique_ptr<Session> session;
  std::list<Seated> players;  // the one used last first
};

// One slot for as long as the lease lives.
class Searches::Lease {
 public:
  // Prefers a slot that knows the game with this key.
  Lease(Searches& owner, const std::string& key) : owner_(owner) {
    const std::lock_guard lock(owner.mutex_);
    for (const auto& slot : owner.slots_) {
      if (slot->busy) continue;
      const auto worth = [&](const Slot& one) { return std::pair(one.key == key ? 1 : 0, ~one.used); };
      if (slot_ == nullptr || worth(*slot) > worth(*slot_)) slot_ = slot.get();
    }
    if (slot_ == nullptr) {
      throw Busy(fmt::format("all {} searches are at work for others; try again in a moment", owner.slots_.size()));
    }
    slot_->busy = true;
    slot_->used = ++owner.time_;
  }
  ~Lease() {
    const std::lock_guard lock(owner_.mutex_);
    slot_->busy = false;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Slot& slot() { return *slot_; }

 private:
  Searches& owner_;
  Slot* slot_ = nullptr;
};

Searches::Searches(ModelSource& models, SearchSettings settings) : models_(models), settings_(std::move(settings)) {
  for (int i = 0; i < settings_.slots; ++i) slots_.push_back(std::make_unique<Slot>());
}

Searches::~Searches() = default;

void Searches::require_model(const std::string& id, const AnyGame& game) {
  if (!id.empty()) return;
  const std::vector<std::string> ids = models_for(models_, game);
  if (ids.empty()) throw UserError(fmt::format("there is no model for {} here", name_of(game)));
  throw UserError(fmt::format("\"model\" is missing: one of {}", fmt::join(ids, ", ")));
}

Session& Searches::session_of(Slot& slot, const RequestedLine& line, const std::string& model) {
  require_model(model, line.game);
  const std::string key = name_of(line.game) + " " + model;
  if (slot.key != key || !slot.session) {
    slot.session.reset();
    slot.key.clear();
    ThinkerSettings thinker{.model = models_.load(model),
                            .name = models_.name(model),
                            .evaluation = settings_.evaluation,
                            .search = settings_.search,
                            .threads = settings_.threads,
                            .memory_mebibytes = settings_.memory,
                            .seed = settings_.seed};
    slot.session = std::make_unique<Session>(line.game, SessionSettings{.thinker = std::move(thinker)});
    slot.key = key;
  }
  go_to(*slot.session, line);
  return *slot.session;
}

SeatPlayer& Searches::player_of(Slot& slot, const AnyGame& game, const ChooserRequest& request,
                                const std::atomic<bool>& stop) {
  const std::string key = fmt::format("{} {} {} {}", name_of(game), request.player, request.model, request.level);
  auto found = std::ranges::find(slot.players, key, &Slot::Seated::key);
  if (found == slot.players.end()) {
    const MatchPlayer player = request.player == "model"
                                   ? model_player(models_.name(request.model), models_.load(request.model),
                                                  find_level(request.level).strength, settings_.search)
                                   : plain_player(request.player, kVisits, settings_.search);
    auto own = std::make_unique<AnyGame>(game);
    auto seated = std::make_unique<SeatPlayer>(*own, player, settings_.evaluation, settings_.seed, stop);
    slot.players.push_front({key, std::move(own), std::move(seated)});
    found = slot.players.begin();
  }
  slot.players.splice(slot.players.begin(), slot.players, found);
  if (slot.players.size() > kMostPlayers) slot.players.pop_back();
  return *slot.players.front().player;
}

Choosing::Choosing(Searches& searches, const RequestedLine& line, const ChooserRequest& request,
                   const std::atomic<bool>& stop) {
  const bool plain = std::ranges::find(plain_players(), request.player) != plain_players().end();
  if (!plain && request.player != "model") throw UserError(unknown_word("player", request.player, plain_players()));
  if (!plain) searches.require_model(request.model, line.game);
  const int visits = plain ? 0 : std::max(find_level(request.level).strength.visits, 1);
  board_ = std::make_unique<Session>(line.game);
  go_to(*board_, line);
  if (board_->outcome().over()) throw UserError("the game is over");
  if (line.start && plain) {
    throw UserError(fmt::format("{} plays from a game's start only; a model plays from any position", request.player));
  }
  lease_ = std::make_unique<Searches::Lease>(searches, name_of(line.game) + " " + request.model);
  if (line.start) {
    searches.session_of(lease_->slot(), line, request.model)
        .begin_search({.visits = visits, .fresh = true, .stop = &stop});
    return;
  }
  player_ = &searches.player_of(lease_->slot(), line.game, request, stop);
  player_->reset(board_->played_actions());
  player_->begin(stop);
}

Choosing::~Choosing() = default;
Choosing::Choosing(Choosing&&) noexcept = default;

std::optional<Choice> Choosing::go_on(double seconds) {
  if (player_ != nullptr) {
    const std::optional<SeatChoice> choice = player_->think_on(seconds);
    if (!choice) return std::nullopt;
    return Choice{.choice = *choice, .text = choice->resigns ? "" : board_->text(choice->action)};
  }
  Session& session = *lease_->slot().session;
  if (!session.search_on(seconds)) return std::nullopt;
  const Analysis& analysis = *session.analysis();
  return Choice{.choice = {.action = analysis.best, .value = analysis.values[static_cast<std::size_t>(analysis.seat)]},
                .text = analysis.best_text};
}

Analysing::Analysing(Searches& searches, const RequestedLine& line, const std::string& model,
                     const SessionLimits& limits)
    : lease_(std::make_unique<Searches::Lease>(searches, name_of(line.game) + " " + model)),
      session_(&searches.session_of(lease_->slot(), line, model)) {
  session_->begin_search(limits);
}

Analysing::~Analysing() = default;
Analysing::Analysing(Analysing&&) noexcept = default;

bool Analysing::go_on(double seconds) {
  return session_->search_on(seconds);
}

std::string Analysing::picture() const {
  return analysis_picture(*session_, *session_->analysis());
}

}  // namespace koridor::serve
