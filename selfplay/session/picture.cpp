#include "selfplay/session/picture.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "core/game_end.h"
#include "core/reading.h"
#include "selfplay/session/picture_shapes.h"

namespace koridor {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

template <class G>
concept HasShapes = requires(json& target, const G& game, const typename G::State& state, Action action) {
  board_shape(game, Notation::standard);
  add_place(target, game, state, action);
};

template <Game G>
json action_json(const G& game, const typename G::State& state, Action action, Notation notation) {
  json result{{"action", index(action)}, {"text", game.print_action(state, action, notation)}};
  if constexpr (HasShapes<G>) add_place(result, game, state, action);
  return result;
}

template <Game G>
json seats_json(const G& game) {
  json seats = json::array();
  for (int seat = 0; seat < game.players(); ++seat) {
    json one{{"title", "player " + std::to_string(seat + 1)}, {"turns", 0}};
    if constexpr (requires { game.seat_title(seat); }) one["title"] = game.seat_title(seat);
    if constexpr (requires { game.turns_to_bottom(seat); }) one["turns"] = game.turns_to_bottom(seat);
    seats.push_back(std::move(one));
  }
  return seats;
}

json values_json(const Values& values, int players) {
  return std::vector<float>(values.begin(), values.begin() + players);
}

template <Game G>
json outcome_json(const G& game, const typename G::State& state, const Outcome& outcome) {
  if (!outcome.over()) return nullptr;
  const auto end = static_cast<std::size_t>(game_end(game, state, outcome));
  json result{
      {"winner", nullptr}, {"values", values_json(outcome.values, game.players())}, {"reason", kGameEndNames.at(end)}};
  if (outcome.kind == Outcome::Kind::win) result["winner"] = outcome.winner;
  return result;
}

// Every action that a person can point at and that is illegal here, with the reason.
template <Game G>
json reasons_json(const G& game, const Position<G>& position, const ActionMask& legal, Notation notation) {
  json result = json::array();
  if constexpr (requires { can_be_pointed_at(game, position.state, kNoAction); }) {
    for (int number = 0; number < game.num_actions(); ++number) {
      const Action action{static_cast<std::uint16_t>(number)};
      if (legal.test(action) || !can_be_pointed_at(game, position.state, action)) continue;
      const Objection objection = game.objection(position.state, position.history, action, notation);
      json one{{"action", number}, {"reason", kind_name(objection.kind)}, {"message", objection.message}};
      add_place(one, game, position.state, action);
      if (objection.wall != kNoAction) one["wall"] = index(objection.wall);
      if (!objection.players.empty()) one["players"] = objection.players;
      result.push_back(std::move(one));
    }
  }
  return result;
}

// The position reached by the walk, and the moves on the way and behind it.
template <Game G>
class Walk {
 public:
  Walk(const G& game, Position<G> start, std::span<const SessionMove> moves, int ply, Notation notation)
      : position_(std::move(start)) {
    Position<G> walk = position_;
    for (int i = 0; i < static_cast<int>(moves.size()); ++i) {
      const Action action = moves[static_cast<std::size_t>(i)].action;
      json one = action_json(game, walk.state, action, notation);
      one["seat"] = game.player_to_move(walk.state);
      walk.apply(game, action);
      if (i + 1 == ply) {
        last_ = one;
        position_ = walk;
      }
      moves_.push_back(std::move(one));
    }
  }

  const Position<G>& position() const { return position_; }
  const json& last() const { return last_; }    // null at the start
  const json& moves() const { return moves_; }  // all of them

 private:
  Position<G> position_;
  json last_;
  json moves_ = json::array();
};

template <Game G>
json picture_json(const G& game, const GamePlace& place, Notation notation, const PictureOptions& options) {
  const auto& [start, moves, ply] = place;
  const Walk<G> walk(game, std::get<Position<G>>(start), moves, ply, notation);
  const Position<G>& position = walk.position();
  const Outcome outcome = game.outcome(position.state, position.history);
  json result{{"format", kFormat},
              {"game", game.name()},
              {"family", game.family()},
              {"players", game.players()},
              {"seats", seats_json(game)},
              {"ply", ply},
              {"game_ply", game.ply(position.state)},
              {"max_plies", game.max_plies()},
              {"mover", nullptr},
              {"outcome", outcome_json(game, position.state, outcome)},
              {"last", walk.last()},
              {"moves", walk.moves()},
              {"text", board_text(game, position, {.notation = notation})}};
  if constexpr (HasShapes<G>) {
    result["board"] = board_shape(game, notation);
    add_shapes(result, game, position.state, moves.first(static_cast<std::size_t>(ply)));
  }
  if (outcome.over()) return result;
  result["mover"] = game.player_to_move(position.state);
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  if (options.actions) {
    json actions = json::array();
    legal.for_each([&](Action action) { actions.push_back(action_json(game, position.state, action, notation)); });
    result["legal"] = std::move(actions);
  }
  if (options.reasons) result["illegal"] = reasons_json(game, position, legal, notation);
  return result;
}

// Actions that are played one after the other from the position.
template <Game G>
json line_json(const G& game, Position<G> position, std::span<const Action> actions, Notation notation) {
  json line = json::array();
  for (const Action action : actions) {
    json one = action_json(game, position.state, action, notation);
    one["seat"] = game.player_to_move(position.state);
    line.push_back(std::move(one));
    position.apply(game, action);
  }
  return line;
}

template <Game G>
json analysis_json(const G& game, const Position<G>& position, const Analysis& analysis, Notation notation) {
  const int players = game.players();
  json candidates = json::array();
  for (const Candidate& candidate : analysis.candidates) {
    json one = action_json(game, position.state, candidate.action, notation);
    one["policy"] = candidate.policy;
    one["prior"] = candidate.prior;
    one["visits"] = candidate.visits;
    one["value"] = candidate.value;
    one["values"] = values_json(candidate.values, players);
    one["proven"] = candidate.proven;
    if (candidate.proven) one["plies"] = candidate.plies;
    if (!candidate.actions.empty()) one["line"] = line_json(game, position, candidate.actions, notation);
    candidates.push_back(std::move(one));
  }
  json result{{"format", kFormat},
              {"seat", analysis.seat},
              {"values", values_json(analysis.values, players)},
              {"raw_values", values_json(analysis.raw_values, players)},
              {"proven", analysis.proven},
              {"visits", analysis.visits},
              {"nodes", analysis.nodes},
              {"seconds", analysis.seconds},
              {"evaluations", analysis.evaluations},
              {"mean_depth", analysis.mean_depth},
              {"candidates", std::move(candidates)},
              {"line", line_json(game, position, analysis.actions, notation)}};
  if (!analysis.ownership.empty()) result["ownership"] = analysis.ownership;
  return result;
}

}  // namespace

std::string picture(const AnyGame& any, const GamePlace& place, Notation notation, const PictureOptions& options) {
  return std::visit([&](const auto& game) { return picture_json(game, place, notation, options); }, any).dump();
}

std::string picture(const Session& session, const PictureOptions& options) {
  return picture(session.game(), {session.start(), session.moves(), session.ply()}, session.notation(), options);
}

std::string analysis_picture(const Session& session, const Analysis& analysis) {
  return std::visit(
             [&]<Game G>(const G& game) {
               const auto position = std::get<Position<G>>(session.position());
               return analysis_json(game, position, analysis, session.notation());
             },
             session.game())
      .dump();
}

std::string refusal_picture(const Refusal& refusal) {
  json result{{"reason", kind_name(refusal.kind)}, {"message", refusal.message}};
  if (!refusal.nearest_text.empty()) result["nearest"] = refusal.nearest_text;
  return result.dump();
}

}  // namespace koridor
