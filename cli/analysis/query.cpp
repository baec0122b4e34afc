#include "cli/analysis/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "cli/analysis/fields.h"
#include "cli/analysis/query_board.h"
#include "cli/json/start_position.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/colours.h"
#include "core/go/free_play.h"
#include "core/reading.h"

namespace koridor::cli {
namespace {

using nlohmann::json;

constexpr int kMostVisits = 1'000'000'000;
constexpr double kMostSeconds = 1e6;
constexpr int kMostPriority = 1'000'000'000;

// The seat of a player as a word or a number: a colour in Go, elsewhere the player's number. -1: none.
int seat_of(const AnyGame& any, const json& player) {
  const std::string word = player.is_string()           ? player.get<std::string>()
                           : player.is_number_integer() ? player.dump()
                                                        : "";
  const auto colour = parse_colour(word);
  const int players = players_of(any);
  if (colour && players == 2) return static_cast<int>(*colour);
  const bool number = word.size() == 1 && word[0] >= '1' && word[0] < '1' + players;
  return number ? word[0] - '1' : -1;
}

struct MoveText {
  int seat = -1;  // -1: whoever is to move
  std::string action;
};

// "e8" or ["1","e8"]; a query that describes a board of Go has pairs alone.
MoveText parse_move(const json& entry, const AnyGame& game, bool board, std::size_t number) {
  if (entry.is_string() && !board) return {.seat = -1, .action = entry.get<std::string>()};
  if (entry.is_array() && entry.size() == 2 && entry[1].is_string()) {
    const int seat = seat_of(game, entry[0]);
    if (seat >= 0) return {.seat = seat, .action = entry[1].get<std::string>()};
  }
  throw FieldError("moves",
                   fmt::format("move {}: must be {}", number,
                               board ? "a pair such as [\"B\",\"Q4\"]"
                                     : "an action, or a pair of a player and an action such as [\"1\",\"e8\"]"));
}

// Reads an action of the position; throws FieldError for one that is not legal.
template <Game G>
Action read_move(const G& game, const Position<G>& position, const MoveText& move, Notation notation,
                 std::size_t number) {
  std::string text = move.action;
  if constexpr (std::is_same_v<G, go::GoGame>) {
    // "(3,3)" becomes the name of the point.
    if (const auto point = parse_point(game, text)) text = game.print_action(position.state, *point);
  }
  const Reading reading = read_action(game, position.state, position.history, text, notation);
  if (reading.action) return *reading.action;
  throw FieldError("moves", fmt::format("illegal move {}, {}: {}", number, in_quotes(move.action),
                                        refusal_text(game, position.state, reading, notation)));
}

// Adds the moves to the line.
void read_moves(GameLine& line, const json& moves, bool board, Notation notation) {
  if (!moves.is_array()) throw FieldError("moves", "must be a list of moves");
  std::visit(
      [&]<Game G>(const G& game) {
        Position<G> position = start_of(game, line);
        for (std::size_t i = 0; i < moves.size(); ++i) {
          const MoveText move = parse_move(moves[i], line.game, board, i + 1);
          const int turn = game.player_to_move(position.state);
          const int seat = move.seat >= 0 ? move.seat : turn;
          if constexpr (std::is_same_v<G, go::GoGame>) {
            go::hand_to(game, position, seat);
          } else if (seat != turn) {
            throw FieldError("moves", fmt::format("move {}: it is the turn of player {}", i + 1, turn + 1));
          }
          const LineMove played{.action = read_move(game, position, move, notation, i + 1), .seat = seat};
          play_move(game, position, played);
          line.moves.push_back(played);
        }
      },
      line.game);
}

// The line and whether a board of Go was described.
GameLine parse_line(Fields& fields, const QueryDefaults& defaults, Query& query) {
  GameLine line{.game = defaults.game};
  const bool of_go = std::holds_alternative<go::GoGame>(defaults.game);
  if (const auto name = fields.text("game")) {
    try {
      line.game = parse_game(*name);
    } catch (const UserError& error) {
      throw FieldError("game", error.what());
    }
  } else if (of_go) {
    query.board = true;
    line = parse_go_board(fields, query.warnings);
  }
  if (const json* const start = query.board ? nullptr : fields.find("start")) {
    try {
      line.start = read_start(line.game, *start);
    } catch (const UserError& error) {
      throw FieldError("start", error.what());
    }
  }
  read_moves(line, fields.require("moves", "a list of moves, which may be empty"), query.board, defaults.notation);
  return line;
}

// The actions of an entry of avoidMoves or allowMoves. An action need not be legal: it is read by its name.
template <Game G>
ActionMask named_actions(const G& game, const Position<G>& position, const json& moves, const std::string& field,
                         Notation notation) {
  ActionMask mask;
  for (const json& move : moves) {
    const std::string text = move.is_string() ? move.get<std::string>() : "";
    Action action = kNoAction;
    if constexpr (std::is_same_v<G, go::GoGame>) {
      action = parse_point(game, text).value_or(kNoAction);
    } else if constexpr (requires { game.interpret(position.state, text, notation); }) {
      action = game.interpret(position.state, text, notation).action;
    } else {
      action = game.parse_action(position.state, position.history, text, notation).value_or(kNoAction);
    }
    if (action == kNoAction) throw FieldError(field, in_quotes(text) + " is no action of " + game.name());
    mask.set(action);
  }
  return mask;
}

// One entry of avoidMoves or allowMoves: {"player":"B","moves":["Q4"],"untilDepth":1}.
template <Game G>
ActionLimit parse_limit(const json& entry, const std::string& field, const AnyGame& any, const Position<G>& position,
                        Notation notation) {
  if (!entry.is_object()) {
    throw FieldError(field, "must be a list of objects such as {\"player\":\"B\",\"moves\":[\"Q4\"],\"untilDepth\":1}");
  }
  Fields fields(entry);
  const G& game = std::get<G>(any);
  ActionLimit limit{.seat = game.player_to_move(position.state)};
  if (const json* const player = fields.find("player")) {
    limit.seat = seat_of(any, *player);
    if (limit.seat < 0) throw FieldError(field, "player must name a player");
  }
  try {
    limit.plies = fields.integer("untilDepth", 1, 1'000'000).value_or(1);
  } catch (const FieldError& error) {
    throw FieldError(field, std::string("untilDepth ") + error.what());
  }
  const json* const moves = fields.find("moves");
  if (moves == nullptr || !moves->is_array()) throw FieldError(field, "moves must be a list of actions");
  const ActionMask named = named_actions(game, position, *moves, field, notation);
  for (int i = 0; i < ActionMask::kWords; ++i)
    limit.allowed.word(i) = field == "avoidMoves" ? ~named.word(i) : named.word(i);
  return limit;
}

// Whether the limits leave an action at the position, which is not over.
template <Game G>
bool leave_something(const std::vector<ActionLimit>& limits, const G& game, const Position<G>& position) {
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  for (const ActionLimit& limit : limits) {
    if (limit.seat != game.player_to_move(position.state)) continue;
    for (int i = 0; i < ActionMask::kWords; ++i) legal.word(i) &= limit.allowed.word(i);
  }
  return !legal.empty();
}

// What avoidMoves and allowMoves say of the position after so many moves.
std::vector<ActionLimit> parse_limits(const json* avoid, const json* allow, const GameLine& line, int turn,
                                      Notation notation) {
  if (avoid == nullptr && allow == nullptr) return {};
  if (avoid != nullptr && allow != nullptr) throw FieldError("allowMoves", "may not stand beside avoidMoves");
  const std::string field = avoid != nullptr ? "avoidMoves" : "allowMoves";
  const json& entries = avoid != nullptr ? *avoid : *allow;
  if (!entries.is_array()) throw FieldError(field, "must be a list of objects");
  if (allow != nullptr && entries.size() > 1) throw FieldError(field, "must have one entry");
  return std::visit(
      [&]<Game G>(const G& game) {
        Position<G> position = position_after(game, line, static_cast<std::size_t>(turn));
        if constexpr (std::is_same_v<G, go::GoGame>) go::play_on(game, position);
        std::vector<ActionLimit> limits;
        for (const json& entry : entries) {
          limits.push_back(parse_limit(entry, field, line.game, position, notation));
        }
        const bool over = game.outcome(position.state, position.history).over();
        if (!over && !leave_something(limits, game, position)) {
          throw FieldError(field, fmt::format("leaves no legal action after {} moves", turn));
        }
        return limits;
      },
      line.game);
}

// overrideSettings: what it sets of a task; the keys that are not known here become a warning.
void parse_overrides(const json* given, AnalysisTask& task, Query& query) {
  if (given == nullptr) return;
  if (!given->is_object()) throw FieldError("overrideSettings", "must be an object");
  Fields fields(*given);
  try {
    if (const auto visits = fields.integer("maxVisits", 1, kMostVisits)) task.visits = *visits;
    if (const auto seconds = fields.number("maxTime", 0.001, kMostSeconds * 1e15)) {
      task.seconds = std::min(*seconds, kMostSeconds);
    }
    if (const auto word = fields.text("reportAnalysisWinratesAs")) query.perspective = parse_perspective(*word);
  } catch (const FieldError& error) {
    throw FieldError("overrideSettings", error.field + " " + error.what());
  } catch (const UserError& error) {
    throw FieldError("overrideSettings", error.what());
  }
  std::string names;
  for (const std::string& name : fields.unknown()) names += (names.empty() ? "" : ", ") + in_quotes(name);
  if (!names.empty()) query.warnings.push_back({"overrideSettings", "not known here and passed over: " + names});
}

// The turns to analyse, rising, each with its priority.
std::map<int, int> parse_turns(Fields& fields, int moves) {
  const int priority = fields.integer("priority", -kMostPriority, kMostPriority).value_or(0);
  const auto turns = fields.integers("analyzeTurns", 0, moves).value_or(std::vector<int>{moves});
  const auto priorities = fields.integers("priorities", -kMostPriority, kMostPriority);
  if (priorities && priorities->size() != turns.size()) {
    throw FieldError("priorities", "must have as many entries as analyzeTurns");
  }
  if (turns.empty()) throw FieldError("analyzeTurns", "must name at least one turn");
  std::map<int, int> result;
  for (std::size_t i = 0; i < turns.size(); ++i) result.emplace(turns[i], priorities ? (*priorities)[i] : priority);
  return result;
}

}  // namespace

Perspective parse_perspective(const std::string& word) {
  const std::string lower = lower_case(word);
  if (lower == "black" || lower == "first") return Perspective::black;
  if (lower == "white" || lower == "second") return Perspective::white;
  if (lower == "sidetomove" || lower == "mover") return Perspective::mover;
  throw UserError(unknown_word("perspective", printable(shortened(word, 40)), {"black", "white", "sidetomove"}));
}

Query parse_query(const json& object, const QueryDefaults& defaults) {
  Fields fields(object);
  Query query{.id = fields.text("id").value_or(""), .perspective = defaults.perspective};
  GameLine line = parse_line(fields, defaults, query);
  const auto shared = std::make_shared<const GameLine>(std::move(line));
  query.line = shared;

  AnalysisTask task{.line = shared, .visits = defaults.visits, .seconds = defaults.seconds};
  task.notation = defaults.notation;
  // Every position of the query and every answer has it.
  constexpr std::size_t kLongestId = 1000;
  if (query.id.size() > kLongestId) throw FieldError("id", fmt::format("must have at most {} bytes", kLongestId));
  task.name = query.id;
  if (const auto visits = fields.integer("maxVisits", 1, kMostVisits)) task.visits = *visits;
  parse_overrides(fields.find("overrideSettings"), task, query);
  if (const auto length = fields.integer("analysisPVLen", 1, 1000)) task.line_length = *length + 1;
  task.report_seconds = fields.number("reportDuringSearchEvery", 0.001, kMostSeconds).value_or(0);
  task.ownership = fields.truth("includeOwnership");
  task.move_ownership = fields.truth("includeMovesOwnership");
  task.policy = fields.truth("includePolicy");
  query.line_visits = fields.truth("includePVVisits");
  fields.truth("includeNoResultValue");  // draws count as half a win, and there is no other such result

  const json* const avoid = fields.find("avoidMoves");
  const json* const allow = fields.find("allowMoves");
  const std::map<int, int> turns = parse_turns(fields, static_cast<int>(shared->moves.size()));
  // They are read in each position by itself.
  constexpr std::size_t kMostTurnsWithLimits = 1000;
  if ((avoid != nullptr || allow != nullptr) && turns.size() > kMostTurnsWithLimits) {
    throw FieldError(avoid != nullptr ? "avoidMoves" : "allowMoves",
                     fmt::format("may stand beside at most {} analyzeTurns", kMostTurnsWithLimits));
  }
  for (const auto& [turn, priority] : turns) {
    task.plies = turn;
    task.priority = priority;
    task.only = parse_limits(avoid, allow, *shared, turn, defaults.notation);
    query.tasks.push_back(task);
  }
  for (const std::string& name : fields.unknown()) {
    query.warnings.push_back({name, "unexpected or unknown field, which was passed over"});
  }
  return query;
}

}  // namespace koridor::cli
