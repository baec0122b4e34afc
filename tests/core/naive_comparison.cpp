#include "tests/core/naive_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/registry.h"
#include "tests/core/naive_wall_game.h"

namespace koridor::wall {
namespace {

std::string describe(const Outcome& outcome) {
  return outcome.kind == Outcome::Kind::win    ? fmt::format("player {} wins", outcome.winner)
         : outcome.kind == Outcome::Kind::draw ? "a draw"
                                               : "ongoing";
}

std::string describe(const naive::WallGame& game) {
  return game.winner() >= 0 ? fmt::format("player {} wins", game.winner()) : game.over() ? "a draw" : "ongoing";
}

// What the two say differently, or nothing.
std::string difference(const WallGame& game, const Position<WallGame>& position, const naive::WallGame& plain,
                       const std::set<std::string>& names) {
  const Outcome outcome = game.outcome(position.state, position.history);
  if (describe(outcome) != describe(plain)) return fmt::format("{}, not {}", describe(outcome), describe(plain));
  const std::vector<std::string> listed = plain.legal_actions();
  const std::set<std::string> expected(listed.begin(), listed.end());
  if (names != expected) return fmt::format("actions {}, not {}", fmt::join(names, " "), fmt::join(expected, " "));
  if (!outcome.over() && game.player_to_move(position.state) != plain.player()) return "another player is to move";
  for (int player = 0; player < game.players() && game.rules().win_pawns == 1; ++player) {
    int nearest = -1;
    for (int pawn = 0; pawn < plain.pawns(); ++pawn) {
      const int here = plain.distance(player, pawn);
      if (here >= 0 && (nearest < 0 || here < nearest)) nearest = here;
    }
    // Two steps a move are counted one by one, as walls are seen there.
    if (game.distance(position.state, player) != nearest) {
      return fmt::format("player {} has {} steps to go, not {}", player, game.distance(position.state, player),
                         nearest);
    }
  }
  return "";
}

naive::WallGame plain_game(const WallGame& game) {
  std::map<std::string, std::string> rules;
  for (const auto& [name, value] : rule_parameters(game.rules())) rules[name] = value;
  return naive::WallGame(rules);
}

std::uint64_t count_leaves(const naive::WallGame& game, int depth) {
  const std::vector<std::string> actions = game.legal_actions();
  if (depth == 1) return actions.size();
  std::uint64_t leaves = 0;
  for (const std::string& action : actions) {
    naive::WallGame next = game;
    next.play(action);
    leaves += count_leaves(next, depth - 1);
  }
  return leaves;
}

}  // namespace

std::string random_variant(Random& random) {
  const auto pick = [&](const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
  };
  for (;;) {
    const int players = 2 + (random.chance(0.4) ? random.below(3) : 0);
    const int columns = 3 + random.below(random.chance(0.3) ? 9 : 5);
    const int rows = players == 2 ? 3 + random.below(random.chance(0.3) ? 12 : 5) : columns;
    std::string variant =
        fmt::format("{}:{}x{},players={},walls={}", pick({"quoridor", "quoridor", "pinko-pallino", "blockade"}),
                    columns, rows, players, random.below(random.chance(0.2) ? 32 : 9));
    if (random.chance(0.2)) variant += ",repetition=" + std::to_string(2 + random.below(2));
    if (random.chance(0.2)) variant += ",max_plies=" + std::to_string(1 + random.below(200));
    if (random.chance(0.5)) variant += ",third_pawn_diagonal=false";
    if (random.chance(0.3)) variant += ",pawns=" + std::to_string(1 + random.below(2));
    if (random.chance(0.3)) variant += ",win_pawns=" + std::to_string(1 + random.below(2));
    if (random.chance(0.3)) variant += ",jumps=" + pick({"true", "false"});
    if (random.chance(0.2)) variant += ",walls_by_kind=" + pick({"true", "false"});
    if (random.chance(0.2)) variant += ",wall_after_move=" + pick({"true", "false"});
    if (random.chance(0.3)) variant += ",step=" + pick({"orthogonal", "diagonal", "double"});
    if (random.chance(0.4)) variant += ",diagonal_step=both";
    if (random.chance(0.2)) variant += ",goal=" + pick({"line", "starts"});
    try {
      return std::get<WallGame>(parse_game(variant)).name();
    } catch (const UserError&) {
      continue;  // rules that do not go together
    }
  }
}

void compare_with_naive(const WallGame& game, Random& random, Compared& compared, int walless_plies) {
  if (!compared.mismatch.empty()) return;
  naive::WallGame plain = plain_game(game);
  Position position(game);
  // Pawns seldom move where every action is as likely: there are many more walls.
  const double moves_share = 0.3 * random.below(4);
  for (int without_walls = 0; without_walls < walless_plies;) {
    std::map<std::string, Action> named;
    std::set<std::string> names;
    const bool over = game.outcome(position.state, position.history).over();
    if (!over) {
      ActionMask legal;
      game.legal_actions(position.state, position.history, legal);
      legal.for_each([&](Action action) { named[game.print_action(position.state, action)] = action; });
      for (const auto& [name, action] : named) names.insert(name);
    }
    const std::string differs = difference(game, position, plain, names);
    if (!differs.empty()) {
      compared.mismatch =
          fmt::format("{}\n{}{}", game.name(), game.print_board(position.state, Notation::standard, false), differs);
      return;
    }
    ++compared.positions;
    if (over) break;
    if (names.contains("--")) ++compared.passes;

    std::vector<std::string> choices;
    const bool move = random.chance(moves_share);
    for (const std::string& name : names) {
      if (!move || (name.back() != 'h' && name.back() != 'v')) choices.push_back(name);
    }
    if (choices.empty()) choices.assign(names.begin(), names.end());
    const std::string& chosen = choices[static_cast<std::size_t>(random.below(static_cast<int>(choices.size())))];
    position.apply(game, named.at(chosen));
    plain.play(chosen);
    int stock = 0;
    for (const int left : position.state.walls_left) stock += left;
    if (stock == 0) ++without_walls;
  }
  if (plain.winner() >= 0) ++compared.wins;
  if (plain.over() && plain.winner() < 0) ++compared.draws;
}

std::uint64_t naive_perft(const WallGame& game, int depth) {
  return count_leaves(plain_game(game), depth);
}

std::vector<GoldenPerft> read_golden_perft() {
  std::ifstream file(KORIDOR_GOLDEN "/wall_perft.txt");
  std::vector<GoldenPerft> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t first = line.find('|');
    const std::size_t last = line.rfind('|');
    GoldenPerft golden;
    std::istringstream(line.substr(0, first)) >> golden.variant;
    std::istringstream counts(line.substr(first + 1, last - first - 1));
    for (std::uint64_t leaves = 0; counts >> leaves;) golden.leaves.push_back(leaves);
    golden.confirmed = std::stoi(line.substr(last + 1));
    all.push_back(golden);
  }
  return all;
}

}  // namespace koridor::wall
