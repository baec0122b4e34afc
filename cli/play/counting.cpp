#include "cli/play/counting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/go/count.h"
#include "core/words.h"
#include "models/network/go_owners.h"

namespace koridor::cli {
namespace {

constexpr const char* kCountHelp =
    "  b3        marks the group of the stone on B3 dead, or alive if it was dead\n"
    "  done      all dead stones are marked      rules     every stone is alive\n"
    "  help      this                            quit      end; every stone is alive\n"
    "After the count `undo` takes moves back.\n";

const go::GoGame& game_of(const Session& session) {
  return std::get<go::GoGame>(session.game());
}

Position<go::GoGame> position_of(const Session& session) {
  return std::get<Position<go::GoGame>>(session.position());
}

std::string names(const go::GoGame& game, const go::State& state, const std::vector<Action>& points) {
  std::vector<std::string> all;
  for (const Action point : points) all.push_back(game.print_action(state, point));
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, " "));
}

void print_count(const go::GoGame& game, const go::State& state, std::string_view what) {
  const go::Score score = game.score(state);
  const bool area = game.rules().scoring == go::Scoring::area;
  fmt::print("{}: {}.\n", what, result_words(go::count_result(game, state)));
  for (int colour = 0; colour < 2; ++colour) {
    const auto of = static_cast<std::size_t>(colour);
    fmt::print("  {}  {:>3} territory + {:>3} {}{}\n", game.seat_title(colour), score.territory[of],
               area ? score.stones[of] : score.prisoners[of], area ? "stones" : "prisoners",
               colour == 1 ? fmt::format(" + komi {}", go::komi_text(game.rules().half_points_of_komi)) : "");
  }
}

// Marks the chain dead, or alive if it was.
void toggle(std::vector<Action>& dead, const std::vector<Action>& chain) {
  const bool was = std::ranges::find(dead, chain.front()) != dead.end();
  std::erase_if(dead, [&](Action stone) { return std::ranges::find(chain, stone) != chain.end(); });
  if (!was) dead.insert(dead.end(), chain.begin(), chain.end());
  std::ranges::sort(dead);
}

// Nothing for a pass and for what is no point of the board.
std::optional<Action> point_named(const go::GoGame& game, const go::State& state, std::string_view text) {
  const Action action = game.interpret(state, text, Notation::standard).action;
  if (action == kNoAction || index(action) + 1 == game.num_actions()) return std::nullopt;
  return action;
}

}  // namespace

bool is_counted(const Session& session) {
  return std::holds_alternative<go::GoGame>(session.game());
}

bool ends_by_count(const Session& session) {
  return is_counted(session) && game_of(session).ends_by_count(position_of(session).state, session.outcome());
}

std::vector<float> owners_of(const Session& session, const MatchPlayer* player) {
  const Model* const model = player != nullptr ? player->model.get() : nullptr;
  return expected_owners(model, game_of(session), position_of(session).state);
}

std::string result_words(const std::string& result) {
  if (result.size() < 2) return "a draw";
  const std::string who = result.front() == 'B' ? "black" : "white";
  return result.substr(2) == "R" ? who + " wins by resignation" : fmt::format("{} wins by {}", who, result.substr(2));
}

void print_owners(const Session& session, const Screen& screen, const std::vector<float>& owners) {
  screen.show(BoardView{.owners = owners});
  float black = 0;
  for (const float share : owners) black += share;
  fmt::print("Who will own each point: X black (x likely), O white (o likely), · open.\n");
  fmt::print("Expected area: black {:.1f}, white {:.1f}; komi {}.\n", black, static_cast<float>(owners.size()) - black,
             go::komi_text(game_of(session).rules().half_points_of_komi));
}

void print_score(const Session& session, const Screen& screen) {
  const go::GoGame& game = game_of(session);
  const go::State state = position_of(session).state;
  const std::vector<Action> dead = go::likely_dead(game, state);
  print_count(game, state, "With all stones alive");
  if (dead.empty()) return;
  screen.show(BoardView{.dead = dead});
  fmt::print("Dead stones, as far as can be told (small letters): {}\n", names(game, state, dead));
  print_count(game, go::without_stones(game, state, dead), "Without them");
}

std::optional<std::string> agree_on_count(const Session& session, const Screen& screen, LineReader& lines) {
  const go::GoGame& game = game_of(session);
  const go::State state = position_of(session).state;
  std::vector<Action> dead = go::likely_dead(game, state);
  print_count(game, state, "By the rules, all stones alive");
  bool marked = !dead.empty();  // since the board was shown
  for (bool first = true;; first = false) {
    if (std::exchange(marked, false)) {
      screen.show(BoardView{.dead = dead});
      fmt::print("Dead stones{}: {}\n", first ? ", as far as can be told (small letters)" : "",
                 names(game, state, dead));
      if (!dead.empty()) print_count(game, go::without_stones(game, state, dead), "Without them");
    }
    if (first) {
      fmt::print(
          "Name a stone to mark its group dead or alive; `done` when all is marked;\n"
          "`rules` to leave every stone alive.\n");
    }
    const auto line = lines.read("dead> ");
    if (!line) return std::nullopt;
    const std::string word = lower_case(trimmed(*line));
    if (word == "rules") return std::nullopt;
    if (says_quit(word)) {
      lines.end();
      return std::nullopt;
    }
    if (word == "help" || word == "?") {
      fmt::print("{}", kCountHelp);
      continue;
    }
    if (word == "done" || word.empty()) {
      if (dead.empty()) return std::nullopt;
      return go::count_result(game, go::without_stones(game, state, dead));
    }
    const auto point = point_named(game, state, word);
    const std::vector<Action> chain = point ? go::chain_at(game, state, *point) : std::vector<Action>();
    if (chain.empty()) {
      fmt::print("There is no stone on {}; name one, or say `done` or `rules`.\n", in_quotes(trimmed(*line)));
    } else {
      toggle(dead, chain);
      marked = true;
    }
  }
}

}  // namespace koridor::cli
