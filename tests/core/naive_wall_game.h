// The rules of the wall games once more, written as plainly as possible from the rules' text: every border between two
// squares is a boolean, every wall is tried by walking. Slow, and shares nothing with the engine it checks, not even a
// header: rules come in as names and values, actions go in and out in the standard notation.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace naive {

class WallGame {
 public:
  // Rules by name, as the engine lists them: all of them must be there.
  explicit WallGame(const std::map<std::string, std::string>& rules);

  // In no particular order; empty where the game is over.
  std::vector<std::string> legal_actions() const;
  // A legal action.
  void play(const std::string& action);

  bool over() const { return winner_ >= 0 || drawn_; }
  int winner() const { return winner_; }  // from 0; -1: nobody
  int player() const { return player_; }
  int players() const { return players_; }
  int ply() const { return ply_; }

  // Steps from a player's pawn to its nearest goal square, -1 where there is no way.
  int distance(int player, int pawn) const;
  int pawns() const { return static_cast<int>(pawns_[0].size()); }

 private:
  struct Place {
    int x = 0;
    int y = 0;  // 0: player two's base line
    friend bool operator==(const Place&, const Place&) = default;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Wall {
    Place middle;  // the square north-west of it
    bool upright = false;
    friend bool operator==(const Wall&, const Wall&) = default;
    friend auto operator<=>(const Wall&, const Wall&) = default;
  };
  // At most the 8 neighbours of a square.
  struct Places {
    std::array<Place, 8> places{};
    int count = 0;
    void push_back(Place place) { places[static_cast<std::size_t>(count++)] = place; }
    const Place* begin() const { return places.data(); }
    const Place* end() const { return places.data() + count; }
  };
  template <class T>
  using Grid = std::array<std::array<T, 16>, 16>;  // [y][x]

  bool flag(const std::string& name) const { return rules_.at(name) == "true"; }
  int number(const std::string& name) const { return std::stoi(rules_.at(name)); }

  static std::string name(Place place);
  bool on_board(Place place) const;
  int pawns_on(Place place) const;
  bool is_goal(int player, Place place) const;
  std::vector<Place> goals_of(int seat) const;
  std::vector<Place> starts(int seat) const;
  Place seen_from(int seat, Place place) const;
  bool border_open(Place place, Place next) const;
  bool may_stand(Place place) const;
  Places steps(Place from) const;
  std::vector<Place> destinations(Place from) const;
  void add_jumps(Place from, std::vector<Place>& found) const;
  Grid<int> walk(Place from) const;
  bool everyone_has_a_way() const;
  void close(const Wall& wall, bool closed);
  bool fits(const Wall& wall) const;
  std::vector<Wall> legal_walls(bool one_will_do) const;
  std::vector<std::string> pawn_actions() const;
  int& stock(int player, bool upright);
  void next_player();
  void look_for_a_draw();

  std::map<std::string, std::string> rules_;
  int columns_, rows_, players_;
  std::string step_;
  bool both_ways_, jumps_, third_pawn_diagonal_, starts_are_goals_, by_kind_, wall_after_move_;
  int win_pawns_, max_plies_, repetition_;
  std::vector<int> seats_;                  // of each player: 0 south, 1 west, 2 north, 3 east
  std::vector<std::vector<Place>> goals_;   // [player]
  std::vector<std::vector<Place>> pawns_;   // [player][pawn]
  std::vector<std::array<int, 2>> stocks_;  // [player][upright], or all in [player][0]
  std::vector<Wall> walls_;
  Grid<bool> closed_below_{}, closed_right_{};
  int player_ = 0;
  int ply_ = 0;
  int passes_ = 0;
  int winner_ = -1;
  bool drawn_ = false;
  bool owes_wall_ = false;
  std::map<std::string, int> seen_;  // positions with the player to move, with a rule of repetition
};

}  // namespace naive
