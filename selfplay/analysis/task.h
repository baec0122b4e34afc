// One position that somebody wants analysed, and what is said of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/game.h"
#include "selfplay/analysis/game_line.h"
#include "selfplay/analysis/restricted_game.h"
#include "selfplay/session/analysis.h"

namespace koridor {

// What the network expects of the points at the end of a game of Go, from black's view and komi included: the mean, and
// the standard deviation where each point fell to black or white by itself with the same chance.
struct ExpectedScore {
  double lead = 0;
  double deviation = 0;  // >= 0
};

// Besides what Analysis says of a candidate, in the order of Analysis::candidates.
struct CandidateReport {
  std::vector<int> line_visits{};        // of the positions after each action of Candidate::line
  std::optional<ExpectedScore> score{};  // of the position after the action; Go only
  std::vector<float> ownership{};        // as Analysis::ownership, of that position; where asked for
};

struct PositionReport {
  enum class Kind {
    during,   // the search goes on
    last,     // it has ended
    nothing,  // it was ended before it began; only `kind` means something
    failed,   // it could not be done; `error` says why
  };
  Kind kind = Kind::last;
  std::string error{};

  // The game is over. In Go play goes on all the same (core/go/free_play.h), and the rest says how; elsewhere `values`
  // are exact, there are no candidates and nothing was searched.
  bool over = false;
  bool full = false;      // its tree was full before the search met a limit of the task
  double final_lead = 0;  // where it is over in Go: black's points less white's by the rules, komi included
  // The candidates are those that were visited, and `best`; `lines` of the limits does not matter.
  Analysis analysis{};
  std::vector<CandidateReport> candidates{};
  std::optional<ExpectedScore> score{};      // of the candidates, weighted by their policy; Go only
  std::optional<ExpectedScore> raw_score{};  // of the position by the network alone; Go only
  double raw_draw = 0;                       // the network's probability of a draw
  std::vector<float> policy{};               // [num_actions]: the network's, -1 where illegal; where asked for
  std::uint64_t key = 0;                     // of the position
  std::uint64_t symmetric_key = 0;           // of what a network sees of it, the same for all its symmetries
};

struct AnalysisTask {
  // The position after `plies` moves of the line.
  std::shared_ptr<const GameLine> line{};
  int plies = 0;

  // The search ends at the first limit that it reaches; at least one is set.
  int visits = 400;    // simulations; 0: no limit
  double seconds = 0;  // since its search began; 0: no limit
  std::vector<ActionLimit> only{};

  int priority = 0;           // the highest goes first; of equals, the one that came first
  double report_seconds = 0;  // between two reports while it is searched; 0: none before the last
  Notation notation = Notation::standard;
  int line_length = 16;  // most actions of a candidate's line
  bool ownership = false;
  bool move_ownership = false;
  bool policy = false;

  std::string name{};  // by which it can be terminated; need not be its alone
  // Told of the search under way and, last and once, of its end; on a thread of the pool, or on the thread that
  // terminates the task. It must not throw and must not call the pool.
  std::function<void(const PositionReport&)> report{};
};

}  // namespace koridor
