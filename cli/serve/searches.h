// The searches that the page asks for: so many at once as there are slots, each with a model's session or a player of
// its own. A slot keeps what it searched, so that the next search of the same game goes on with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/serve/game_line.h"
#include "cli/serve/model_source.h"
#include "core/search/config.h"
#include "models/evaluation.h"
#include "selfplay/session/seat_player.h"

namespace koridor::serve {

struct SearchSettings {
  int slots = 2;
  int threads = 1;   // of each search; 0: all cores
  int memory = 256;  // MiB of each slot's trees
  std::uint64_t seed = 0;
  SearchConfig search{};
  Evaluation evaluation{};
};

// Who is to choose an action: a model and a level, or a player without a model.
struct ChooserRequest {
  std::string player{};  // "model", or one of plain_players()
  std::string model{};   // an id of the shelf, for "model"
  std::string level{};   // of selfplay/matches/levels.h, for "model"
};

struct Choice {
  SeatChoice choice;
  std::string text;  // of the action
};

class Searches {
 public:
  // All slots are at work: the request may come again.
  struct Busy : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  Searches(ModelSource& models, SearchSettings settings);
  ~Searches();

 private:
  friend class Choosing;
  friend class Analysing;
  struct Slot;
  class Lease;
  // Throws UserError, which names the models that can play the game, where the request names none.
  void require_model(const std::string& id, const AnyGame& game);
  Session& session_of(Slot& slot, const RequestedLine& line, const std::string& model);
  SeatPlayer& player_of(Slot& slot, const AnyGame& game, const ChooserRequest& request, const std::atomic<bool>& stop);

  ModelSource& models_;
  SearchSettings settings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::uint64_t time_ = 0;  // leases so far
};

// The choice of an action, under way in a slot of its own. It goes on in parts, so that its thread can look at other
// things in between; `greedy` and `alphabeta:N` choose in one part.
class Choosing {
 public:
  // `stop` ends the player's preparation, and must outlive this. Throws Searches::Busy, and UserError for a player,
  // game or position that does not fit.
  Choosing(Searches& searches, const RequestedLine& line, const ChooserRequest& request, const std::atomic<bool>& stop);
  ~Choosing();
  Choosing(Choosing&&) noexcept;

  // Thinks for about so many seconds; the choice once it is made.
  std::optional<Choice> go_on(double seconds);

 private:
  std::unique_ptr<Searches::Lease> lease_;
  std::unique_ptr<Session> board_;  // at the position
  SeatPlayer* player_ = nullptr;    // null: from a position by hand the slot's session searches
};

// An analysis under way, likewise.
class Analysing {
 public:
  // Searches until the limits are met, whose `stop` must outlive this. Throws as Choosing.
  Analysing(Searches& searches, const RequestedLine& line, const std::string& model, const SessionLimits& limits);
  ~Analysing();
  Analysing(Analysing&&) noexcept;

  // Searches for about so many seconds; true where it is over.
  bool go_on(double seconds);
  // What was found so far (selfplay/session/picture.h); after the first go_on().
  std::string picture() const;

 private:
  std::unique_ptr<Searches::Lease> lease_;
  Session* session_;
};

}  // namespace koridor::serve
