// The rules of the wall games once more, written as plainly as possible: every groove segment a boolean, every wall
// tried by a search for a way. Slow, and independent of the engine it checks.
#pragma once

#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/wall/game.h"

namespace koridor::wall {

class NaivePosition {
 public:
  using Place = std::pair<int, int>;  // row, column

  NaivePosition(const WallGame& game, const State& state)
      : rules_(game.rules()), player_(state.player), walls_left_(state.walls_left[state.player * 2]) {
    for (int row = 0; row + 1 < rules_.rows; ++row) {
      for (int column = 0; column + 1 < rules_.columns; ++column) {
        if (state.horizontal.test(make_square(row, column))) horizontal_.insert({row, column});
        if (state.vertical.test(make_square(row, column))) vertical_.insert({row, column});
      }
    }
    for (int player = 0; player < rules_.players; ++player) {
      const Square square = state.pawns[player * kMaxPawns];
      pawns_.push_back({row_of(square), column_of(square)});
    }
  }

  // Legal actions in the standard notation.
  std::set<std::string> legal_actions() const {
    std::set<std::string> actions;
    for (const Place& place : pawn_moves()) actions.insert(name(place));
    if (walls_left_ > 0) {
      for (int row = 0; row + 1 < rules_.rows; ++row) {
        for (int column = 0; column + 1 < rules_.columns; ++column) {
          for (const bool upright : {false, true}) {
            if (may_place({row, column}, upright)) actions.insert(name({row, column}) + (upright ? "v" : "h"));
          }
        }
      }
    }
    if (actions.empty()) actions.insert("--");
    return actions;
  }

  // Steps from a player's pawn to its goal line, -1 where there is no way.
  int distance(int player) const {
    std::queue<std::pair<Place, int>> open;
    std::set<Place> seen = {pawns_[player]};
    open.push({pawns_[player], 0});
    while (!open.empty()) {
      const auto [place, steps] = open.front();
      open.pop();
      if (at_goal(player, place)) return steps;
      for (const Place& direction : kDirections) {
        const Place next = plus(place, direction);
        if (passable(place, direction) && seen.insert(next).second) open.push({next, steps + 1});
      }
    }
    return -1;
  }

 private:
  static constexpr Place kDirections[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};

  static Place plus(Place a, Place b) { return {a.first + b.first, a.second + b.second}; }
  static std::string name(Place place) {
    return std::string(1, static_cast<char>('a' + place.second)) + std::to_string(place.first + 1);
  }

  bool on_board(Place place) const {
    return place.first >= 0 && place.first < rules_.rows && place.second >= 0 && place.second < rules_.columns;
  }

  bool has_pawn(Place place) const {
    for (const Place& pawn : pawns_) {
      if (pawn == place) return true;
    }
    return false;
  }

  bool at_goal(int player, Place place) const {
    const int seat = rules_.players == 2 ? 2 * player : player;  // south, west, north, east
    if (seat == 0) return place.first == 0;
    if (seat == 1) return place.second == rules_.columns - 1;
    if (seat == 2) return place.first == rules_.rows - 1;
    return place.second == 0;
  }

  // Whether no edge and no wall lies between a place and its neighbour.
  bool passable(Place place, Place direction) const {
    const Place next = plus(place, direction);
    if (!on_board(next)) return false;
    const int row = std::min(place.first, next.first);
    const int column = std::min(place.second, next.second);
    if (direction.first != 0) return !horizontal_.count({row, column}) && !horizontal_.count({row, column - 1});
    return !vertical_.count({row, column}) && !vertical_.count({row - 1, column});
  }

  std::set<Place> pawn_moves() const {
    std::set<Place> moves;
    const Place from = pawns_[player_];
    for (const Place& direction : kDirections) {
      if (!passable(from, direction)) continue;
      const Place next = plus(from, direction);
      if (!has_pawn(next)) {
        moves.insert(next);
        continue;
      }
      const bool wall_behind = !passable(next, direction);
      const bool pawn_behind = !wall_behind && has_pawn(plus(next, direction));
      if (!wall_behind && !pawn_behind) moves.insert(plus(next, direction));
      if (wall_behind || (pawn_behind && rules_.third_pawn_diagonal)) {
        for (const Place& aside : kDirections) {
          const bool perpendicular = (aside.first == 0) != (direction.first == 0);
          if (perpendicular && passable(next, aside) && !has_pawn(plus(next, aside))) moves.insert(plus(next, aside));
        }
      }
    }
    return moves;
  }

  bool may_place(Place anchor, bool upright) const {
    if (horizontal_.count(anchor) || vertical_.count(anchor)) return false;
    NaivePosition after = *this;
    if (upright) {
      if (vertical_.count(plus(anchor, {1, 0})) || vertical_.count(plus(anchor, {-1, 0}))) return false;
      after.vertical_.insert(anchor);
    } else {
      if (horizontal_.count(plus(anchor, {0, 1})) || horizontal_.count(plus(anchor, {0, -1}))) return false;
      after.horizontal_.insert(anchor);
    }
    for (int player = 0; player < rules_.players; ++player) {
      if (after.distance(player) < 0) return false;
    }
    return true;
  }

  Rules rules_;
  int player_;
  int walls_left_;
  std::set<Place> horizontal_, vertical_;
  std::vector<Place> pawns_;
};

}  // namespace koridor::wall
