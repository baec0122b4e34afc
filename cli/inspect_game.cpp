#include "cli/inspect_game.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/inspect_summary.h"
#include "core/base/error.h"
#include "core/game_end.h"
#include "core/go/sgf.h"
#include "core/registry.h"
#include "selfplay/shards/verify.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

// The action of this ply. Throws UserError where it is not among the legal ones of the position.
template <Game G>
Action stored_action(const G& game, const Position<G>& position, const ActionMask& legal, const ShardData& data,
                     std::size_t row) {
  const Action action{data.ply_action[row]};
  if (!legal.test(action)) {
    throw UserError(fmt::format("ply {} of this game is not legal; see --verify", game.ply(position.state) + 1));
  }
  return action;
}

Table games_table() {
  return {"games",
          {{"file", text}, {"game", integer}, {"number", integer}, {"record", text}, {"plies", integer, "plies"}},
          [](const TableRow& row) { return row.text("record") + "\n\n"; }};
}

// The search's values, one column per player, and the policy as text: "e8 51.2% e3h 10.0%".
Table plies_table(std::size_t players) {
  std::vector<Column> columns = {
      {"file", text}, {"ply", integer}, {"player", integer}, {"action", text}, {"kind", text}};
  for (std::size_t player = 1; player <= players; ++player) {
    columns.push_back({fmt::format("value{}", player), number});
  }
  columns.push_back({"policy", text});
  return {"plies", columns, [players](const TableRow& row) {
            std::string line =
                fmt::format("{:>4} player {} {:<6}", row.integer("ply"), row.integer("player"), row.text("action"));
            if (!row.empty("kind")) line += fmt::format(" {:<8}", row.text("kind"));
            if (!row.empty("value1")) line += " value";
            for (std::size_t player = 1; player <= players && !row.empty("value1"); ++player) {
              line += fmt::format(" {:.2f}", row.number(fmt::format("value{}", player)));
            }
            return line + (row.empty("policy") ? "" : "  policy " + row.text("policy")) + "\n";
          }};
}

Table outcomes_table(std::size_t players) {
  std::vector<Column> columns = {{"file", text}, {"game", integer}, {"end", text}};
  for (std::size_t player = 1; player <= players; ++player) {
    columns.push_back({fmt::format("outcome{}", player), number});
  }
  return {"outcomes", columns, [players](const TableRow& row) {
            std::string line = fmt::format("ended by {}; outcome", end_text(row.text("end")));
            for (std::size_t player = 1; player <= players; ++player) {
              line += fmt::format(" {:.2f}", row.number(fmt::format("outcome{}", player)));
            }
            return line + "\n";
          }};
}

using StoredPolicy = std::vector<std::pair<double, Action>>;

// The policy target of a ply, which may have none.
StoredPolicy stored_policy(const ShardData& data, std::size_t row) {
  StoredPolicy policy;
  for (std::size_t i = 0; i < data.policy_count[row]; ++i) {
    const std::size_t entry = data.policy_first[row] + i;
    policy.emplace_back(data.probability(entry), Action{data.policy_action[entry]});
  }
  return policy;
}

// As text, the `top` likeliest actions first; nothing for a ply without one.
template <Game G>
Cell policy_text(const G& game, const Position<G>& position, const ActionMask& legal, StoredPolicy policy,
                 const GameView& view) {
  for (const auto& [probability, action] : policy) {
    if (legal.test(action)) continue;
    throw UserError(fmt::format("the policy of ply {} of this game has an action that is not legal; see --verify",
                                game.ply(position.state) + 1));
  }
  if (policy.empty()) return {};
  std::ranges::sort(policy, std::ranges::greater{});
  std::string words;
  for (std::size_t i = 0; i < std::min(policy.size(), static_cast<std::size_t>(view.top)); ++i) {
    words += fmt::format("{}{} {:.1f}%", i == 0 ? "" : " ",
                         game.print_action(position.state, policy[i].second, view.notation), 100.0 * policy[i].first);
  }
  return words;
}

template <Game G>
void show_plies(TableWriter& out, const std::string& file, const G& game, const ShardData& data, const GameView& view) {
  const std::size_t which = view.place;
  const Notation notation = view.notation;
  const std::size_t first = data.game_first_ply[which];
  const std::size_t plies = data.game_plies[which];
  const auto players = static_cast<std::size_t>(data.info.players);
  const bool match = is_match(data);
  int rounds = 0;
  std::string record;
  Table details = plies_table(players);
  Position position(game);
  for (std::size_t ply = 0; ply < plies; ++ply) {
    const std::size_t row = first + ply;
    const ActionMask legal = legal_actions_of(game, position);
    const Action action = stored_action(game, position, legal, data, row);
    const std::string name = game.print_action(position.state, action, notation);
    // A round starts where the turn comes back to the player who began; a turn may have several plies.
    const bool begins = data.ply_player[row] == data.ply_player[first];
    if (begins && (ply == 0 || data.ply_player[row - 1] != data.ply_player[row])) {
      record += fmt::format("{}{}.", ply == 0 ? "" : " ", ++rounds);
    }
    record += " " + name;
    const Cell kind = match ? Cell() : Cell(kPlyKindNames.at(data.ply_kind[row]));
    std::vector<Cell> cells = {file, ply + 1, data.ply_player[row] + 1, name, kind};
    const bool searched = is_searched(data.kind(row));
    for (std::size_t player = 0; player < players; ++player) {
      cells.push_back(searched ? Cell(data.ply_value[row * players + player]) : Cell());
    }
    cells.push_back(policy_text(game, position, legal, stored_policy(data, row), view));
    details.add(std::move(cells));
    position.apply(game, action);
  }
  out.begin(games_table());
  out.row({file, which, data.game_number[which], record, plies});
  out.show(details);
  out.say(fmt::format("\n{}\n", board_text(game, position, {.notation = notation})));
  std::vector<Cell> outcome = {file, which, kGameEndNames[std::min<std::size_t>(data.game_end[which], kGameEnds - 1)]};
  for (std::size_t player = 0; player < players; ++player) {
    outcome.push_back(data.game_outcome[which * players + player]);
  }
  out.begin(outcomes_table(players));
  out.row(std::move(outcome));
}

// Throws UserError unless the game is Go.
template <Game G>
std::string sgf_record(const G& game, const ShardData& data, std::size_t which) {
  if constexpr (std::is_same_v<G, go::GoGame>) {
    Position position(game);
    std::vector<Action> actions;
    for (std::size_t ply = 0; ply < data.game_plies[which]; ++ply) {
      actions.push_back(
          stored_action(game, position, legal_actions_of(game, position), data, data.game_first_ply[which] + ply));
      position.apply(game, actions.back());
    }
    const auto generation = static_cast<std::uint32_t>(data.info.generation);
    // One model played both colours; who played a match, its games do not say.
    const std::string player =
        is_match(data) ? ""
                       : fmt::format("generation {}", data.game_model.empty() ? generation : data.game_model[which]);
    go::Record record{game, game.initial_state(), std::move(actions), player, player, go::sgf_result(game, position),
                      {}};
    return go::write_sgf(record);
  } else {
    throw UserError(fmt::format("--sgf: SGF records are of Go, not of {}", game.name()));
  }
}

// The game whose rules the shard is played by. Throws UserError where the shard has no game at this place.
AnyGame game_at(const std::string& file, const ShardData& data, std::size_t place) {
  if (place >= data.games()) {
    throw UserError(
        fmt::format("{}: --game {}: it holds the games 0 to {}", file, place, static_cast<long>(data.games()) - 1));
  }
  require_sizes_of_game(data, file);
  return game_of(data, file);
}

}  // namespace

void show_game(TableWriter& out, const std::string& file, const ShardData& data, const GameView& view) {
  std::visit([&](const auto& game) { show_plies(out, file, game, data, view); }, game_at(file, data, view.place));
}

std::string sgf_of(const std::string& file, const ShardData& data, std::size_t place) {
  return std::visit([&](const auto& game) { return sgf_record(game, data, place); }, game_at(file, data, place));
}

}  // namespace koridor::cli
