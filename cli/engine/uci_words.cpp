#include "cli/engine/uci_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/words.h"

namespace koridor::cli {

std::vector<std::string> uci_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : line) {
    if (c == ' ' || is_control(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    words.back() += c;
    in_word = true;
  }
  return words;
}

int uci_number(std::string_view word, int least, int most, std::string_view what) {
  if (const auto number = read_number<int>(word, least, most)) return *number;
  throw UserError(fmt::format("{}: {} is no whole number from {} to {}", what, in_quotes(word), least, most));
}

GoRequest parse_go(std::span<const std::string> words) {
  constexpr int kMost = std::numeric_limits<int>::max();
  GoRequest request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto number = [&](int least) {
      if (i + 1 == words.size()) throw UserError(fmt::format("go: a number is missing behind {}", word));
      return uci_number(words[++i], least, kMost, "go " + word);
    };
    const auto seconds = [&] { return number(-kMost) / 1000.0; };
    if (word == "infinite") request.infinite = true;
    if (word == "ponder") request.ponder = true;
    if (word == "nodes") request.visits = number(1);
    if (word == "movetime") request.move_seconds = number(1) / 1000.0;
    if (word == "wtime") request.times[0] = seconds();
    if (word == "btime") request.times[1] = seconds();
    if (word == "winc") request.increments[0] = std::max(seconds(), 0.0);
    if (word == "binc") request.increments[1] = std::max(seconds(), 0.0);
    if (word == "movestogo") request.moves_to_go = number(0);
  }
  return request;
}

OptionRequest parse_option(std::span<const std::string> words) {
  if (words.size() < 2 || words[0] != "name") throw UserError("setoption: write setoption name NAME value VALUE");
  const auto value = std::ranges::find(words, "value");
  return {.name = lower_case(fmt::format("{}", fmt::join(words.begin() + 1, value, " "))),
          .value = value == words.end() ? std::string() : fmt::format("{}", fmt::join(value + 1, words.end(), " "))};
}

int score_of(double value) {
  constexpr double kMost = 2400;
  if (value <= 0) return static_cast<int>(-kMost);
  if (value >= 1) return static_cast<int>(kMost);
  return static_cast<int>(std::lround(std::clamp(400 * std::log10(value / (1 - value)), -kMost, kMost)));
}

int own_turns(const wall::WallGame& game, Position<wall::WallGame> position, std::span<const Action> line, int plies) {
  const wall::State& state = position.state;
  const int own = state.player;
  int turns = 0;
  int before = -1;  // who had the ply before
  const auto count = [&](int player) {
    if (player == own && before != own) ++turns;
    before = player;
  };
  const std::size_t known = std::min(line.size(), static_cast<std::size_t>(std::max(plies, 0)));
  for (const Action action : line.first(known)) {
    count(state.player);
    position.apply(game, action);
  }
  const bool walls = std::ranges::any_of(state.walls_left, [](int left) { return left > 0; });
  int player = state.player;
  bool owes_wall = state.phase == 1;
  for (int ply = static_cast<int>(known); ply < plies; ++ply) {
    count(player);
    owes_wall = game.rules().wall_after_move && walls && !owes_wall;
    if (!owes_wall) player = (player + 1) % game.players();
  }
  return turns;
}

}  // namespace koridor::cli
