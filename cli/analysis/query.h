// The queries of the analysis protocol (docs/analysis.md): JSON objects, read into tasks of an AnalysisPool.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/game.h"
#include "core/registry.h"
#include "selfplay/analysis/task.h"

namespace koridor::cli {

// Whose chances win rates, scores and owners are.
enum class Perspective { black, white, mover };  // player 1, player 2, who is to move

// A field that cannot be served: the answer names it, and says why.
class FieldError : public std::runtime_error {
 public:
  FieldError(std::string field_, const std::string& message) : std::runtime_error(message), field(std::move(field_)) {}
  std::string field;
};

struct FieldWarning {
  std::string field;
  std::string message;
};

// Black's, with more than two players the mover's.
inline Perspective usual_perspective(int players) {
  return players == 2 ? Perspective::black : Perspective::mover;
}

// What holds where a query says nothing.
struct QueryDefaults {
  AnyGame game;  // of queries without a board; not for Go, whose queries have one or name a game
  Notation notation = Notation::standard;
  Perspective perspective = Perspective::black;
  int visits = 400;
  double seconds = 0;  // 0: no limit
};

// The words of --perspective and reportAnalysisWinratesAs; throws UserError for another.
Perspective parse_perspective(const std::string& word);

struct Query {
  std::string id{};
  bool board = false;  // it describes a board of Go by boardXSize and its like; its policy is an array
  Perspective perspective = Perspective::black;
  bool line_visits = false;
  std::shared_ptr<const GameLine> line{};
  std::vector<AnalysisTask> tasks{};  // one for each turn asked for, in their order; without `report`
  std::vector<FieldWarning> warnings{};
};

// Reads a query that is no action. `object` is a JSON object with a text `id`. Throws FieldError. Whether the model can
// serve the game is not asked.
Query parse_query(const nlohmann::json& object, const QueryDefaults& defaults);

}  // namespace koridor::cli
