// The rules of Go a second time, as plainly as they read: a board is rows of characters, every move is tried on a copy,
// chains are found by walking, and every earlier board is kept. Shares no code with core/go; only its tests use it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace koridor::go {

class NaiveGo {
 public:
  using Board = std::vector<std::string>;  // '.', 'X' (black), 'O' (white); row 0 at the top
  using Parameters = std::map<std::string, std::string>;
  struct Place {
    int row, column;
    auto operator<=>(const Place&) const = default;
  };

  // A game from this position; `parameters` are the rules by name, as the engine reports them.
  NaiveGo(Parameters parameters, Board board, char mover)
      : rules_(std::move(parameters)), board_(std::move(board)), mover_(mover) {
    for (const std::string& row : board_) {
      placed_['X'] += static_cast<int>(std::count(row.begin(), row.end(), 'X'));
      placed_['O'] += static_cast<int>(std::count(row.begin(), row.end(), 'O'));
    }
    past_.push_back({board_, mover_, cleanup_});
  }

  const Board& board() const { return board_; }
  char mover() const { return mover_; }
  bool cleanup() const { return cleanup_; }
  int prisoners(char by) const { return prisoners_.at(by); }
  // The board when MAIN ended.
  const Board& main_end() const { return main_end_; }
  int prisoners_at_main_end(char by) const { return main_end_prisoners_.at(by); }

  // Places of the stones that may be played.
  std::set<Place> legal_places() const {
    std::set<Place> legal;
    for (const Place& place : all_places()) {
      if (is_legal(place)) legal.insert(place);
    }
    const std::set<Place> duty = saving_places(legal);
    return duty.empty() ? legal : duty;
  }
  bool may_pass() const {
    std::set<Place> legal;
    for (const Place& place : all_places()) {
      if (is_legal(place)) legal.insert(place);
    }
    return saving_places(legal).empty();
  }

  // The rule that a stone there breaks first: "occupied", "suicide", "ko", "superko", "must save"; "" where it is
  // legal.
  std::string objection(const Place& place) const {
    const auto next = after(board_, mover_, place);
    if (!next) return "occupied";
    if (rules_.at("suicide") == "forbidden" && at(*next, place) == '.') return "suicide";
    if (!is_legal(place)) {
      const bool simple = rules_.at("ko") == "simple";
      const bool taken_back = past_.size() > 1 && *next == past_[past_.size() - 2].board && *next != board_;
      return simple || taken_back ? "ko" : "superko";
    }
    return legal_places().contains(place) ? "" : "must save";
  }

  void play(const Place& place) {
    const Board before = board_;
    board_ = *after(board_, mover_, place);
    count_prisoners(before, place);
    if (!cleanup_) ++placed_[mover_];
    passes_ = 0;
    finish_turn();
  }

  void pass() {
    ++passes_;
    if (passes_ == 2 && !cleanup_ && rules_.at("scoring") == "territory") {
      cleanup_ = true;
      passes_ = 0;
      main_end_ = board_;
      main_end_prisoners_ = prisoners_;
    }
    finish_turn();
  }

  // "" while the game goes on, else "X", "O" or "draw".
  std::string result() const {
    const bool passed_out = passes_ == 2;
    if (!passed_out) {
      if (rules_.at("ko") == "simple" && std::count(past_.begin(), past_.end(), past_.back()) >= 3) return "draw";
      const int supply = static_cast<int>(columns() * rows()) / 2 + (mover_ == 'X' ? 1 : 0);
      const bool no_stone = rules_.at("stone_supply") == "half" && !cleanup_ && placed_.at(mover_) >= supply;
      if (plies_ < std::stoi(rules_.at("max_plies")) && !no_stone) return "";
    }
    double points = area('X') - area('O') - std::stod(rules_.at("komi"));
    if (rules_.at("scoring") == "territory") points -= placed_.at('X') - placed_.at('O');
    return points > 0 ? "X" : points < 0 ? "O" : "draw";
  }

  int area(char colour) const {
    int points = 0;
    for (const Place& place : all_places()) points += owner(place) == colour ? 1 : 0;
    return points;
  }
  // The colour of the stone, or the only colour an empty point reaches, or '.'.
  char owner(const Place& place) const {
    if (at(board_, place) != '.') return at(board_, place);
    std::set<char> reached;
    for (const Place& empty : chain(board_, place)) {
      for (const Place& beside : neighbours(empty)) reached.insert(at(board_, beside));
    }
    reached.erase('.');
    return reached.size() == 1 ? *reached.begin() : '.';
  }
  std::vector<Place> all_places() const {
    std::vector<Place> places;
    for (int row = 0; row < static_cast<int>(rows()); ++row) {
      for (int column = 0; column < static_cast<int>(columns()); ++column) places.push_back({row, column});
    }
    return places;
  }

 private:
  struct Past {
    Board board;
    char mover;
    bool cleanup;
    bool operator==(const Past&) const = default;
  };

  std::size_t rows() const { return board_.size(); }
  std::size_t columns() const { return board_.front().size(); }
  static char other(char colour) { return colour == 'X' ? 'O' : 'X'; }
  static char at(const Board& board, const Place& place) {
    return board[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)];
  }
  static void put(Board& board, const Place& place, char what) {
    board[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)] = what;
  }
  std::vector<Place> neighbours(const Place& place) const {
    std::vector<Place> found;
    for (const auto& [down, right] : {std::pair(-1, 0), std::pair(1, 0), std::pair(0, -1), std::pair(0, 1)}) {
      const Place beside{place.row + down, place.column + right};
      if (beside.row >= 0 && beside.row < static_cast<int>(rows()) && beside.column >= 0 &&
          beside.column < static_cast<int>(columns())) {
        found.push_back(beside);
      }
    }
    return found;
  }
  // All places of the same content connected with this one.
  std::set<Place> chain(const Board& board, const Place& place) const {
    std::set<Place> found{place};
    std::vector<Place> open{place};
    while (!open.empty()) {
      const Place from = open.back();
      open.pop_back();
      for (const Place& beside : neighbours(from)) {
        if (at(board, beside) == at(board, place) && found.insert(beside).second) open.push_back(beside);
      }
    }
    return found;
  }
  std::set<Place> liberties(const Board& board, const Place& stone) const {
    std::set<Place> found;
    for (const Place& place : chain(board, stone)) {
      for (const Place& beside : neighbours(place)) {
        if (at(board, beside) == '.') found.insert(beside);
      }
    }
    return found;
  }

  // The board after a stone there, captures and suicide done; nothing where the place is taken.
  std::optional<Board> after(const Board& before, char colour, const Place& place) const {
    if (at(before, place) != '.') return std::nullopt;
    Board board = before;
    put(board, place, colour);
    for (const Place& beside : neighbours(place)) {
      if (at(board, beside) != other(colour) || !liberties(board, beside).empty()) continue;
      for (const Place& dead : chain(board, beside)) put(board, dead, '.');
    }
    if (liberties(board, place).empty()) {
      for (const Place& dead : chain(board, place)) put(board, dead, '.');
    }
    return board;
  }

  bool is_legal(const Place& place) const {
    const auto next = after(board_, mover_, place);
    if (!next) return false;
    if (rules_.at("suicide") == "forbidden" && at(*next, place) == '.') return false;
    const std::string& ko = rules_.at("ko");
    if (ko == "simple") return past_.size() < 2 || *next != past_[past_.size() - 2].board;
    return std::none_of(past_.begin(), past_.end(), [&](const Past& past) {
      return past.cleanup == cleanup_ && past.board == *next && (ko == "positional" || past.mover == other(mover_));
    });
  }

  // What the duty to save a chain in atari asks for; empty where there is none.
  std::set<Place> saving_places(const std::set<Place>& legal) const {
    std::set<Place> saving;
    if (rules_.at("must_save_atari") != "true") return saving;
    for (const Place& stone : all_places()) {
      if (at(board_, stone) != mover_) continue;
      const std::set<Place> free = liberties(board_, stone);
      if (free.size() != 1 || !legal.contains(*free.begin())) continue;
      const Board next = *after(board_, mover_, *free.begin());
      if (at(next, stone) == mover_ && liberties(next, stone).size() >= 2) saving.insert(*free.begin());
    }
    return saving;
  }

  void count_prisoners(const Board& before, const Place& place) {
    for (const Place& where : all_places()) {
      if (at(board_, where) != '.') continue;
      if (where == place) ++prisoners_[other(mover_)];  // the stone just played is gone
      if (at(before, where) != '.') ++prisoners_[other(at(before, where))];
    }
  }

  void finish_turn() {
    mover_ = other(mover_);
    ++plies_;
    past_.push_back({board_, mover_, cleanup_});
  }

  Parameters rules_;
  Board board_;
  char mover_;
  bool cleanup_ = false;
  int passes_ = 0;
  int plies_ = 0;
  std::map<char, int> placed_{{'X', 0}, {'O', 0}};
  std::map<char, int> prisoners_{{'X', 0}, {'O', 0}};  // stones of the other colour off the board
  std::vector<Past> past_;                             // every position, the present one last
  Board main_end_;
  std::map<char, int> main_end_prisoners_;
};

}  // namespace koridor::go
