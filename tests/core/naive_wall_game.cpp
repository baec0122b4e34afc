#include "tests/core/naive_wall_game.h"

#include <algorithm>

namespace naive {

WallGame::WallGame(const std::map<std::string, std::string>& rules)
    : rules_(rules),
      columns_(number("columns")),
      rows_(number("rows")),
      players_(number("players")),
      step_(rules.at("step")),
      both_ways_(rules.at("diagonal_step") == "both"),
      jumps_(flag("jumps")),
      third_pawn_diagonal_(flag("third_pawn_diagonal")),
      starts_are_goals_(rules.at("goal") == "starts"),
      by_kind_(flag("walls_by_kind")),
      wall_after_move_(flag("wall_after_move")),
      win_pawns_(number("win_pawns")),
      max_plies_(number("max_plies")),
      repetition_(number("repetition")) {
  seats_ = players_ == 2 ? std::vector{0, 2} : players_ == 3 ? std::vector{0, 1, 2} : std::vector{0, 1, 2, 3};
  for (const int seat : seats_) {
    pawns_.push_back(starts(seat));
    goals_.push_back(goals_of(seat));
    stocks_.push_back({number("walls"), by_kind_ ? number("walls") : 0});
  }
  look_for_a_draw();
}

std::string WallGame::name(Place place) {
  return std::string(1, static_cast<char>('a' + place.x)) + std::to_string(place.y + 1);
}

bool WallGame::on_board(Place place) const {
  return place.x >= 0 && place.x < columns_ && place.y >= 0 && place.y < rows_;
}

int WallGame::pawns_on(Place place) const {
  int count = 0;
  for (const auto& own : pawns_) count += static_cast<int>(std::count(own.begin(), own.end(), place));
  return count;
}

// A place given as the owner of a seat sees it (own base line at the bottom, left to right), on the board itself.
WallGame::Place WallGame::seen_from(int seat, Place place) const {
  const int last_x = columns_ - 1;
  const int last_y = rows_ - 1;
  switch (seat) {
    case 1:  // the west's base line is the left edge, its left is up
      return {last_y - place.y, place.x};
    case 2:
      return {last_x - place.x, last_y - place.y};
    case 3:
      return {place.y, last_x - place.x};
    default:
      return place;
  }
}

// One pawn in the middle (an even side: left of it), two as Blockade has them: on 11 columns the fourth from either
// edge. Where start squares are goals they lie a quarter of the board up: on 14 rows the fourth.
std::vector<WallGame::Place> WallGame::starts(int seat) const {
  const int y = rows_ - 1 - (starts_are_goals_ ? rows_ / 4 : 0);
  if (number("pawns") == 1) return {seen_from(seat, {(columns_ - 1) / 2, y})};
  const int from_edge = (columns_ - 1) / 3;
  return {seen_from(seat, {from_edge, y}), seen_from(seat, {columns_ - 1 - from_edge, y})};
}

std::vector<WallGame::Place> WallGame::goals_of(int seat) const {
  if (starts_are_goals_) return starts((seat + 2) % 4);
  std::vector<Place> line;
  for (int x = 0; x < columns_; ++x) line.push_back(seen_from(seat, {x, 0}));
  return line;
}

bool WallGame::is_goal(int player, Place place) const {
  const std::vector<Place>& all = goals_[static_cast<std::size_t>(player)];
  return std::find(all.begin(), all.end(), place) != all.end();
}

// Whether no wall and no edge lies between two neighbours.
bool WallGame::border_open(Place place, Place next) const {
  if (!on_board(place) || !on_board(next)) return false;
  const auto x = static_cast<std::size_t>(std::min(place.x, next.x));
  const auto y = static_cast<std::size_t>(std::min(place.y, next.y));
  return place.x == next.x ? !closed_below_[y][x] : !closed_right_[y][x];
}

// Whether a pawn of the player to move may end its move there.
bool WallGame::may_stand(Place place) const {
  if (pawns_on(place) == 0) return true;
  return starts_are_goals_ && win_pawns_ == 1 && is_goal(player_, place);
}

// The squares one step away, pawns not looked at: orthogonal, or in 8 directions.
WallGame::Places WallGame::steps(Place from) const {
  Places found;
  for (int dx = -1; dx <= 1; ++dx) {
    for (int dy = -1; dy <= 1; ++dy) {
      const Place to = {from.x + dx, from.y + dy};
      if ((dx == 0) != (dy == 0)) {
        if (border_open(from, to)) found.push_back(to);
      } else if (dx != 0 && step_ == "diagonal" && on_board(to)) {
        const Place by_x = {to.x, from.y};
        const Place by_y = {from.x, to.y};
        const bool one = border_open(from, by_x) && border_open(by_x, to);
        const bool other = border_open(from, by_y) && border_open(by_y, to);
        if (both_ways_ ? one && other : one || other) found.push_back(to);
      }
    }
  }
  return found;
}

// Face to face with another pawn.
void WallGame::add_jumps(Place from, std::vector<Place>& found) const {
  for (const auto& [dx, dy] : {std::pair{0, -1}, {1, 0}, {0, 1}, {-1, 0}}) {
    const Place neighbour = {from.x + dx, from.y + dy};
    if (!border_open(from, neighbour) || pawns_on(neighbour) == 0) continue;
    const Place behind = {neighbour.x + dx, neighbour.y + dy};
    const bool wall_behind = !border_open(neighbour, behind);
    if (!wall_behind && may_stand(behind)) {
      found.push_back(behind);
      continue;
    }
    if (!wall_behind && !third_pawn_diagonal_) continue;
    for (const int side : {-1, 1}) {
      const Place beside = {neighbour.x + side * dy, neighbour.y + side * dx};
      if (border_open(neighbour, beside) && may_stand(beside)) found.push_back(beside);
    }
  }
}

std::vector<WallGame::Place> WallGame::destinations(Place from) const {
  std::vector<Place> found;
  for (const Place& next : steps(from)) {
    if (may_stand(next)) found.push_back(next);
    if (step_ != "double") continue;
    for (const Place& second : steps(next)) {
      if (second != from && may_stand(second)) found.push_back(second);
    }
  }
  if (jumps_) add_jumps(from, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Steps from a place to every other, -1 where there is no way. Pawns are no obstacles.
WallGame::Grid<int> WallGame::walk(Place from) const {
  Grid<int> distance;
  for (auto& row : distance) row.fill(-1);
  const auto at = [&](Place place) -> int& {
    return distance[static_cast<std::size_t>(place.y)][static_cast<std::size_t>(place.x)];
  };
  std::vector<Place> open = {from};
  open.reserve(static_cast<std::size_t>(rows_ * columns_));
  at(from) = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Place place = open[i];
    for (const Place& next : steps(place)) {
      if (at(next) >= 0) continue;
      at(next) = at(place) + 1;
      open.push_back(next);
    }
  }
  return distance;
}

int WallGame::distance(int player, int pawn) const {
  const Grid<int> steps_to = walk(pawns_[static_cast<std::size_t>(player)][static_cast<std::size_t>(pawn)]);
  int best = -1;
  for (const Place& goal : goals_[static_cast<std::size_t>(player)]) {
    const int here = steps_to[static_cast<std::size_t>(goal.y)][static_cast<std::size_t>(goal.x)];
    if (here >= 0 && (best < 0 || here < best)) best = here;
  }
  return best;
}

// No pawn is cut off: from all of its goal line, or from any of the start squares it goes for.
bool WallGame::everyone_has_a_way() const {
  for (int player = 0; player < players_; ++player) {
    const std::vector<Place>& all = goals_[static_cast<std::size_t>(player)];
    for (const Place& pawn : pawns_[static_cast<std::size_t>(player)]) {
      const Grid<int> steps_to = walk(pawn);
      const auto reached = [&](Place goal) {
        return steps_to[static_cast<std::size_t>(goal.y)][static_cast<std::size_t>(goal.x)] >= 0;
      };
      if (starts_are_goals_ ? !std::all_of(all.begin(), all.end(), reached)
                            : !std::any_of(all.begin(), all.end(), reached)) {
        return false;
      }
    }
  }
  return true;
}

void WallGame::close(const Wall& wall, bool closed) {
  const auto x = static_cast<std::size_t>(wall.middle.x);
  const auto y = static_cast<std::size_t>(wall.middle.y);
  if (wall.upright) {
    closed_right_[y][x] = closed_right_[y + 1][x] = closed;
  } else {
    closed_below_[y][x] = closed_below_[y][x + 1] = closed;
  }
}

bool WallGame::fits(const Wall& wall) const {
  for (const Wall& other : walls_) {
    if (other.middle == wall.middle) return false;
  }
  const auto x = static_cast<std::size_t>(wall.middle.x);
  const auto y = static_cast<std::size_t>(wall.middle.y);
  return wall.upright ? !closed_right_[y][x] && !closed_right_[y + 1][x]
                      : !closed_below_[y][x] && !closed_below_[y][x + 1];
}

int& WallGame::stock(int player, bool upright) {
  return stocks_[static_cast<std::size_t>(player)][by_kind_ && upright ? 1 : 0];
}

std::vector<WallGame::Wall> WallGame::legal_walls(bool one_will_do) const {
  WallGame tried = *this;
  std::vector<Wall> found;
  for (const bool upright : {false, true}) {
    if (tried.stock(player_, upright) == 0) continue;
    for (int y = 0; y + 1 < rows_; ++y) {
      for (int x = 0; x + 1 < columns_; ++x) {
        const Wall wall = {{x, y}, upright};
        if (!fits(wall)) continue;
        tried.close(wall, true);
        if (tried.everyone_has_a_way()) found.push_back(wall);
        if (one_will_do && !found.empty()) return found;
        tried.close(wall, false);
      }
    }
  }
  return found;
}

std::vector<std::string> WallGame::pawn_actions() const {
  std::vector<std::string> actions;
  const auto& own = pawns_[static_cast<std::size_t>(player_)];
  for (const Place& pawn : own) {
    for (const Place& place : destinations(pawn)) {
      actions.push_back(own.size() == 1 ? name(place) : name(pawn) + "-" + name(place));
    }
  }
  return actions;
}

std::vector<std::string> WallGame::legal_actions() const {
  std::vector<std::string> actions;
  if (over()) return actions;
  if (!owes_wall_) actions = pawn_actions();
  if (owes_wall_ || !wall_after_move_) {
    for (const Wall& wall : legal_walls(false)) actions.push_back(name(wall.middle) + (wall.upright ? "v" : "h"));
  }
  if (actions.empty()) actions.push_back("--");
  return actions;
}

void WallGame::play(const std::string& action) {
  const auto place_at = [&](const std::string& text) { return Place{text[0] - 'a', std::stoi(text.substr(1)) - 1}; };
  ++ply_;
  const bool is_wall = action.back() == 'h' || action.back() == 'v';
  if (action == "--") {
    ++passes_;
    next_player();
  } else if (is_wall) {
    const Wall wall = {place_at(action), action.back() == 'v'};
    close(wall, true);
    walls_.push_back(wall);
    --stock(player_, wall.upright);
    passes_ = 0;
    owes_wall_ = false;
    next_player();
  } else {
    auto& own = pawns_[static_cast<std::size_t>(player_)];
    const std::size_t dash = action.find('-');
    const Place to = place_at(dash == std::string::npos ? action : action.substr(dash + 1));
    auto moved = own.begin();
    if (dash != std::string::npos) moved = std::find(own.begin(), own.end(), place_at(action.substr(0, dash)));
    *moved = to;
    passes_ = 0;
    const auto arrived = std::count_if(own.begin(), own.end(), [&](Place pawn) { return is_goal(player_, pawn); });
    if (is_goal(player_, to) && arrived >= win_pawns_) winner_ = player_;
    owes_wall_ = wall_after_move_ && winner_ < 0 && !legal_walls(true).empty();
    if (!owes_wall_) next_player();
  }
  if (winner_ < 0) look_for_a_draw();
}

void WallGame::next_player() {
  player_ = (player_ + 1) % players_;
}

void WallGame::look_for_a_draw() {
  drawn_ = ply_ >= max_plies_ || passes_ >= players_;
  if (repetition_ == 0) return;
  std::vector<Wall> walls = walls_;
  std::sort(walls.begin(), walls.end());
  std::string position = std::to_string(player_) + (owes_wall_ ? "w" : "m");
  for (const Wall& wall : walls) position += name(wall.middle) + (wall.upright ? "v" : "h");
  for (int player = 0; player < players_; ++player) {
    std::vector<Place> own = pawns_[static_cast<std::size_t>(player)];
    std::sort(own.begin(), own.end());
    for (const Place& pawn : own) position += " " + name(pawn);
    position += "/" + std::to_string(stocks_[static_cast<std::size_t>(player)][0]) + "," +
                std::to_string(stocks_[static_cast<std::size_t>(player)][1]);
  }
  if (++seen_[position] >= repetition_) drawn_ = true;
}

}  // namespace naive
