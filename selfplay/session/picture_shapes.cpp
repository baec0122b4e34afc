#include "selfplay/session/picture_shapes.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/wall/notation.h"

namespace koridor {
namespace {

using nlohmann::json;

json spot(wall::Square square) {
  return {wall::row_of(square), wall::column_of(square)};
}

// The seat whose move placed the wall; null for a wall that stood there at the start.
json owner_of(Action wall, std::span<const SessionMove> moves) {
  for (const SessionMove& move : moves) {
    if (move.action == wall) return move.seat;
  }
  return nullptr;
}

}  // namespace

json board_shape(const wall::WallGame& game, Notation notation) {
  const wall::Geometry& geometry = game.geometry();
  json columns = json::array();
  json rows = json::array();
  json wall_rows = json::array();
  json goals = json::array();
  for (int column = 0; column < geometry.columns; ++column) {
    columns.push_back(std::string(1, wall::column_letter(column)));
  }
  for (int row = 0; row < geometry.rows; ++row) {
    rows.push_back(fmt::to_string(wall::pawn_row_number(geometry, row, notation)));
    if (row + 1 < geometry.rows) wall_rows.push_back(fmt::to_string(wall::wall_row_number(geometry, row, notation)));
  }
  for (int player = 0; player < geometry.players; ++player) {
    json squares = json::array();
    geometry.goal[static_cast<std::size_t>(player)].for_each(
        [&](wall::Square square) { squares.push_back(spot(square)); });
    goals.push_back(std::move(squares));
  }
  return {{"columns", geometry.columns},
          {"rows", geometry.rows},
          {"column_labels", std::move(columns)},
          {"row_labels", std::move(rows)},
          {"wall_row_labels", std::move(wall_rows)},
          {"goals", std::move(goals)},
          {"lattice", "squares"}};
}

json board_shape(const go::GoGame& game, Notation) {
  go::Rules rules = game.rules();
  json columns = json::array();
  json rows = json::array();
  json stars = json::array();
  for (int column = 0; column < rules.columns; ++column) {
    columns.push_back(go::point_name(game.geometry(), 0, column).substr(0, 1));
  }
  for (int row = 0; row < rules.rows; ++row) rows.push_back(fmt::to_string(rules.rows - row));
  rules.handicap = go::most_handicap(rules.columns, rules.rows);
  for (const auto& [row, column] : go::handicap_points(rules)) stars.push_back({row, column});
  return {{"columns", rules.columns},      {"rows", rules.rows},        {"column_labels", std::move(columns)},
          {"row_labels", std::move(rows)}, {"stars", std::move(stars)}, {"lattice", "points"}};
}

void add_shapes(json& picture, const wall::WallGame& game, const wall::State& state,
                std::span<const SessionMove> moves) {
  const wall::Geometry& geometry = game.geometry();
  const wall::Rules& rules = game.rules();
  json pawns = json::array();
  json stocks = json::array();
  json distances = json::array();
  for (int seat = 0; seat < geometry.players; ++seat) {
    for (int pawn = 0; pawn < geometry.pawns; ++pawn) {
      const wall::Square square = state.pawns[static_cast<std::size_t>(seat * wall::kMaxPawns + pawn)];
      pawns.push_back({{"seat", seat}, {"pawn", pawn}, {"at", spot(square)}});
    }
    const int first = state.walls_left[static_cast<std::size_t>(seat * 2)];
    const int second = state.walls_left[static_cast<std::size_t>(seat * 2 + 1)];
    stocks.push_back(rules.walls_by_kind ? json{{"horizontal", first}, {"vertical", second}} : json{{"any", first}});
    distances.push_back(game.distance(state, seat));
  }
  json walls = json::array();
  const auto add_walls = [&](const wall::Bitboard& anchors, wall::ActionKind kind, std::string_view name) {
    anchors.for_each([&](wall::Square anchor) {
      const Action action = geometry.action(kind, anchor);
      walls.push_back(
          {{"kind", name}, {"at", spot(anchor)}, {"action", index(action)}, {"seat", owner_of(action, moves)}});
    });
  };
  add_walls(state.horizontal, wall::ActionKind::horizontal, "horizontal");
  add_walls(state.vertical, wall::ActionKind::vertical, "vertical");
  picture["phase"] = state.phase == 1 ? "wall" : rules.wall_after_move ? "move" : "turn";
  picture["pawns"] = std::move(pawns);
  picture["walls"] = std::move(walls);
  picture["stocks"] = std::move(stocks);
  picture["distances"] = std::move(distances);
}

void add_shapes(json& picture, const go::GoGame& game, const go::State& state, std::span<const SessionMove>) {
  const go::Geometry& geometry = game.geometry();
  json stones = json::array();
  for (int row = 0; row < geometry.rows; ++row) {
    for (int column = 0; column < geometry.columns; ++column) {
      const int point = geometry.point_at(row, column);
      for (int seat = 0; seat < 2; ++seat) {
        if (state.has_stone(seat, point)) stones.push_back({{"seat", seat}, {"at", {row, column}}});
      }
      if (state.ko == point) picture["ko"] = {row, column};
    }
  }
  const go::Score score = game.score(state);
  picture["stones"] = std::move(stones);
  picture["prisoners"] = state.prisoners;
  picture["passes"] = state.passes;
  picture["phase"] = state.phase == go::Phase::cleanup ? "cleanup" : "main";
  picture["komi"] = game.rules().half_points_of_komi / 2.0;
  picture["score"] = {{"lead", game.half_points(state) / 2.0},
                      {"area", {score.area(0), score.area(1)}},
                      {"territory", score.territory}};
  if (game.rules().limited_supply) {
    const auto [black, white] = go::supplies(game.rules());
    picture["stones_left"] = {std::max(0, black - state.placed[0]), std::max(0, white - state.placed[1])};
  }
  std::vector<float> owners(static_cast<std::size_t>(geometry.area()));
  game.ownership(state, 0, owners);
  picture["owners"] = owners;
}

void add_place(json& action, const wall::WallGame& game, const wall::State& state, Action which) {
  const auto [kind, square, pawn] = game.geometry().meaning.at(static_cast<std::size_t>(index(which)));
  switch (kind) {
    case wall::ActionKind::pawn:
      action["kind"] = "pawn";
      action["pawn"] = pawn;
      action["from"] = spot(state.pawns[static_cast<std::size_t>(state.player * wall::kMaxPawns + pawn)]);
      break;
    case wall::ActionKind::horizontal:
      action["kind"] = "horizontal";
      break;
    case wall::ActionKind::vertical:
      action["kind"] = "vertical";
      break;
    case wall::ActionKind::pass:
      action["kind"] = "pass";
      return;
  }
  action["at"] = spot(square);
}

void add_place(json& action, const go::GoGame& game, const go::State&, Action which) {
  if (which == game.geometry().pass()) {
    action["kind"] = "pass";
    return;
  }
  action["kind"] = "stone";
  action["at"] = {index(which) / game.geometry().columns, index(which) % game.geometry().columns};
}

bool can_be_pointed_at(const wall::WallGame& game, const wall::State& state, Action which) {
  const auto [kind, square, pawn] = game.geometry().meaning.at(static_cast<std::size_t>(index(which)));
  switch (kind) {
    case wall::ActionKind::pawn:
      return state.pawns[static_cast<std::size_t>(state.player * wall::kMaxPawns + pawn)] != square;
    case wall::ActionKind::pass:
      return false;
    default:
      return game.geometry().anchors.test(square);
  }
}

bool can_be_pointed_at(const go::GoGame&, const go::State&, Action) {
  return true;
}

std::string_view kind_name(Objection::Kind kind) {
  using Kind = Objection::Kind;
  switch (kind) {
    case Kind::illegal:
      return "illegal";
    case Kind::game_over:
      return "game_over";
    case Kind::unreadable:
      return "unreadable";
    case Kind::off_board:
      return "off_board";
    case Kind::occupied:
      return "occupied";
    case Kind::not_own_pawn:
      return "not_own_pawn";
    case Kind::which_pawn:
      return "which_pawn";
    case Kind::not_now:
      return "not_now";
    case Kind::must_act:
      return "must_act";
    case Kind::too_far:
      return "too_far";
    case Kind::diagonal:
      return "diagonal";
    case Kind::no_jump:
      return "no_jump";
    case Kind::wall_between:
      return "wall_between";
    case Kind::no_walls_left:
      return "no_walls_left";
    case Kind::overlaps:
      return "overlaps";
    case Kind::crosses:
      return "crosses";
    case Kind::cuts_off:
      return "cuts_off";
    case Kind::ko:
      return "ko";
    case Kind::superko:
      return "superko";
    case Kind::suicide:
      return "suicide";
    case Kind::must_save_atari:
      return "must_save_atari";
  }
  return "illegal";
}

}  // namespace koridor
