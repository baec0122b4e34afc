// The searches that the page asks for: so many at once as there are slots, each with a model's session or a player of
// its own. A slot keeps what it searched, so that the next search of the same game goes on with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/serve/game_line.h"
#include "cli/serve/shelf.h"
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

  Searches(Shelf& shelf, SearchSettings settings);
  ~Searches();

  // The action that the player chooses in this position; nothing where `stop` was set. Throws Busy, and UserError for
  // a player, game or position that does not fit.
  std::optional<Choice> choose(const RequestedLine& line, const ChooserRequest& request, const std::atomic<bool>& stop);

  // Searches the line's position with the model until the limits are met. `report` gets a picture of the analysis
  // (selfplay/session/picture.h) now and then; the last is returned.
  std::string analyze(const RequestedLine& line, const std::string& model, const SessionLimits& limits,
                      const std::function<void(const std::string& picture)>& report);

 private:
  struct Slot;
  class Lease;
  Session& session_of(Slot& slot, const RequestedLine& line, const std::string& model);
  SeatPlayer& player_of(Slot& slot, const AnyGame& game, const ChooserRequest& request, const std::atomic<bool>& stop);
  std::optional<Choice> choose_by_search(Slot& slot, const RequestedLine& line, const ChooserRequest& request,
                                         const std::atomic<bool>& stop);

  Shelf& shelf_;
  SearchSettings settings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::uint64_t time_ = 0;  // leases so far
};

// Players that need no model, as players.h names them.
const std::vector<std::string>& plain_players();

}  // namespace koridor::serve
