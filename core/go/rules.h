// The parameters of a game of Go; the known rulesets are presets of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koridor::go {

// simple: the move that restores the position before the opponent's last move is illegal, and the third occurrence of a
// position with the same player to move ends the game as a draw.
// positional: no position may occur twice.
// situational: no position may occur twice with the same player to move.
// Passes are always allowed.
enum class Ko : unsigned char { simple, positional, situational };

// area: own stones and empty points that reach only own stones.
// territory: the same area at the end of a second phase, CLEANUP, less the stones placed in the first (see game.h).
enum class Scoring : unsigned char { area, territory };

struct Rules {
  int columns = 19;  // 1..19
  int rows = 19;     // 1..19
  Ko ko = Ko::positional;
  bool suicide = true;  // allowed
  Scoring scoring = Scoring::area;
  int half_points_of_komi = 15;  // twice the komi: -800..800
  bool must_save_atari = false;  // an own chain in atari that can be saved must be
  bool limited_supply = false;   // each player has half as many stones as points, black one more; else unlimited
  int handicap = 0;              // black stones on the star points before white moves first, 0..9
  int max_plies = 0;             // then the game ends and is scored as it stands; 0: 4 * columns * rows

  friend bool operator==(const Rules&, const Rules&) = default;
};

inline constexpr std::string_view kId = "go";
inline constexpr std::string_view kTitle = "Go";
inline constexpr int kMaxSide = 19;

// The names of the rulesets, the default ("tromp-taylor") first.
std::vector<std::string> ruleset_names();

// Throws UserError, naming the rule and its range, where a parameter is out of range or two do not go together.
void check(const Rules& rules);

// The number of plies after which a game ends: max_plies or its default.
int effective_max_plies(const Rules& rules);

// The stones that black and white may place in MAIN with a limited supply.
std::pair<int, int> supplies(const Rules& rules);

// The points of the handicap stones as (row, column) from the top left, in the fixed order of the Go Text Protocol.
// Empty where the board has no room for them; most_handicap() is the number it has room for.
std::vector<std::pair<int, int>> handicap_points(const Rules& rules);
int most_handicap(int columns, int rows);

// Sets the rule of this name from text. The rule "rules" takes a ruleset's name and sets all rules of that set; a
// handicap sets the komi to 0.5. Settings after these override them. Throws UserError for an unknown rule (with the
// nearest that exists), a malformed value or one out of range.
void set_rule(Rules& rules, std::string_view name, std::string_view value);

// Sets the ruleset that a word of a variant string names; false where the word names none.
bool set_word(Rules& rules, std::string_view word);

// All rules as name and value in a fixed order; max_plies has its effective value.
std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules);

// The canonical variant string: id, size, ruleset, then what differs from it ("go:9x9,leaflet,komi=5.5"). The ruleset
// is the one that leaves the fewest differences.
std::string variant_name(const Rules& rules);

// "7.5", "-3", "0".
std::string komi_text(int half_points);

}  // namespace koridor::go
