// koridor match: many games between two players.
#include "selfplay/matches/match.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/match_games.h"
#include "cli/options.h"
#include "cli/search_options.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
#include "selfplay/matches/elo.h"

namespace koridor::cli {
namespace {

struct MatchCommand {
  std::string game;
  std::string a;
  std::string b;
  int games = 100;
  int visits = 0;  // 0: not given
  std::string clock = "none";
  int seat = 0;
  double opening_plies = 2;
  std::uint64_t seed = 1;
  int threads = 0;
  std::string algorithm = SearchConfig{}.algorithm;
  std::vector<std::string> search;
  Evaluation evaluation = match_evaluation();
  std::vector<std::string> settings;
  TableOptions tables;
  std::string save;
};

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100.0 * share);
}

using enum ColumnType;

Table seats_table() {
  return {"seats",
          {{"seat", integer}, {"games", integer}, {"wins", integer}, {"draws", integer}, {"losses", integer}},
          [](const TableRow& row) {
            return fmt::format("A as player {}: {}, {} won, {} drawn, {} lost\n", row.integer("seat"),
                               counted(row.integer("games"), "game"), row.integer("wins"), row.integer("draws"),
                               row.integer("losses"));
          }};
}

Table match_table() {
  return {
      "match",
      {{"game", text},
       {"a", text},
       {"b", text},
       {"games", integer},
       {"wins", integer},
       {"draws", integer},
       {"losses", integer},
       {"mean_plies", number, "plies"},
       {"score", number},
       {"low", number},
       {"high", number},
       {"elo", number, "Elo"},
       {"stopped", truth}},
      [](const TableRow& row) {
        const std::string elo =
            row.empty("elo") ? "" : ", " + without_negative_zero(fmt::format("{:+.0f}", row.number("elo"))) + " Elo";
        return fmt::format("{}{} against {}: {} of {:.1f} plies, A scored {} (95%: {} to {}){}\n",
                           row.truth("stopped") ? "Stopped early.\n" : "", row.text("a"), row.text("b"),
                           counted(row.integer("games"), "game"), row.number("mean_plies"),
                           percent(row.number("score")), percent(row.number("low")), percent(row.number("high")), elo);
      }};
}

void show_result(TableWriter& out, const MatchCommand& command, const AnyGame& game, const MatchResult& result) {
  const auto [name, players] =
      std::visit([](const auto& known) { return std::pair(known.name(), known.players()); }, game);
  out.begin(seats_table());
  for (int seat = 0; seat < players; ++seat) {
    const SeatScore& score = result.by_seat[static_cast<std::size_t>(seat)];
    if (score.games > 0) out.row({seat + 1, score.games, score.wins, score.draws, score.losses});
  }
  const SeatScore total = result.total();
  const Cell elo = result.score > 0 && result.score < 1 ? Cell(elo_difference(result.score, players)) : Cell();
  out.begin(match_table());
  out.row({name, command.a, command.b, total.games, total.wins, total.draws, total.losses, result.mean_plies,
           result.score, result.low, result.high, elo, result.stopped});
  out.finish();
}

void run_match(const MatchCommand& command) {
  catch_signals();
  TableWriter out = table_writer(command.tables);
  const AnyGame game = parse_game(command.game, command.settings);
  const int players = std::visit([](const auto& known) { return known.players(); }, game);
  if (command.seat > players) {
    throw UserError(fmt::format("--seat {}: {} has the seats 1 to {}", command.seat, command.game, players));
  }
  SearchConfig search = match_search();
  search.algorithm = command.algorithm;
  apply_search_settings(search, command.search);
  MatchOptions options;
  options.clock = parse_time_control(command.clock);
  int visits = command.visits;
  if (visits == 0) visits = options.clock.none() ? Strength{}.visits : Strength::kEndless;
  const MatchPlayer a = load_player(command.a, visits, search);
  const MatchPlayer b = load_player(command.b, visits, search);

  options.games = command.games;
  options.opening_plies = command.opening_plies;
  options.seat = command.seat - 1;
  options.seed = command.seed;
  options.threads = command.threads;
  options.evaluation = command.evaluation;
  std::optional<MatchGames> kept;
  if (!command.save.empty()) {
    kept.emplace(command.save, game, command.a, command.b);
    options.on_game = [&](const MatchGame& played) { kept->add(played); };
  }
  MatchResult result;
  {
    Progress progress;
    options.progress = [&](int done, int games) {
      if (::isatty(STDOUT_FILENO) == 1) progress.live(fmt::format("{}/{} games", done, games));
    };
    result = play_match(game, a, b, options, stop_requested());
  }
  show_result(out, command, game, result);
}

}  // namespace

void add_match(CLI::App& app) {
  auto command = std::make_shared<MatchCommand>();
  CLI::App* match = app.add_subcommand("match", "Play a match between two players");
  match->footer(players_help());
  match->add_option("game", command->game, "Game id or variant string")->required();
  match->add_option("--a", command->a, "Player A")->required()->type_name("PLAYER");
  match->add_option("--b", command->b, "Player B")->required()->type_name("PLAYER");
  match->add_option("--games", command->games, "Games, in groups of one opening with A in every seat")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  match
      ->add_option("--visits", command->visits,
                   "Simulations a move, of players that search (default: 64, or no limit beside --clock)")
      ->check(CLI::Range(1, 1000000));
  match
      ->add_option("--clock", command->clock,
                   "Each player's time; who oversteps it loses: 60+0.6, 0.1/move, 10/move,300/game, 5m+5x30s, "
                   "5m+25/300s, 40/5m (core/search/clock.h)")
      ->type_name("TIME")
      ->capture_default_str();
  match->add_option("--seat", command->seat, "A always sits here (1 moves first); 0: every seat in turn")
      ->check(CLI::Range(0, kMaxPlayers))
      ->capture_default_str();
  match->add_option("--opening-plies", command->opening_plies, "Random plies before each group, on average")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  match->add_option("--seed", command->seed, "The same seed plays the same games")->capture_default_str();
  match->add_option("--threads", command->threads, "0: all cores")->check(CLI::Range(0, 1024))->capture_default_str();
  match->add_option("--algorithm", command->algorithm, "Search of models")
      ->check(CLI::IsMember(SearchRules::names()))
      ->capture_default_str();
  add_search_settings(*match, command->search);
  match->add_option("--save", command->save, "Write the games into this file: SGF for Go, else notation text")
      ->type_name("FILE");
  add_evaluation(*match, command->evaluation, true);
  add_rule_settings(*match, command->settings);
  add_tables(*match, command->tables, {"match", "seats"});
  match->callback([command] { run_match(*command); });
}

}  // namespace koridor::cli
