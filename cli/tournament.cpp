// koridor tournament: several players, each of whom meets the others.
#include "selfplay/matches/tournament.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "cli/commands.h"
#include "cli/fault_table.h"
#include "cli/match_options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/signals.h"

namespace koridor::cli {
namespace {

struct TournamentCommand {
  MatchCommandOptions options;
  std::vector<std::string> players;
  std::string form = "round-robin";
  bool permutations = false;
  std::string anchor;
  double anchor_elo = 0;
  TableOptions tables;
};

using enum ColumnType;

constexpr std::size_t kMostPlayers = 1000;
// As CLI11 calls any number, which its usage shows as "players..." and not as the least of two numbers.
constexpr int kAnyNumber = 1 << 29;

// The players by falling Elo, those without games last.
std::vector<std::size_t> by_strength(const TournamentResult& result) {
  std::vector<std::size_t> order(result.standings.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) {
    const Standing& standing = result.standings[i];
    return std::pair(standing.games > 0, standing.rating.elo);
  });
  return order;
}

// As text the standings with the cross table: behind each player its scores against the others, in their order.
// `several_seats`: players had more than one in a game, so that their results are more than their games.
Table standings_table(std::size_t columns, bool several_seats) {
  std::vector<Column> shown = {{"place", integer, "", "", 2, "{}"},
                               {"player", text, "", "", -14, "{}"},
                               {"elo", number, "Elo", "Elo", 6, "{:.0f}"},
                               {"error95", number, "Elo", "95%", 7, "+-{:.0f}"},
                               {"games", integer, "", "games", 7, "{}"},
                               {"seats", integer, "", "seats", 7, several_seats ? "{}" : ""},
                               {"points", number, "", "points", 8, "{:.1f}"},
                               {"wins", integer},
                               {"draws", integer},
                               {"losses", integer}};
  for (std::size_t place = 1; place <= columns; ++place) {
    shown.push_back({fmt::format("against_{}", place), number, "share", fmt::to_string(place), 6, "{:.1f}%", 100.0});
  }
  return {"standings", std::move(shown)};
}

Table cross_table() {
  return {
      "cross",
      {{"player", text}, {"opponent", text}, {"games", integer}, {"share", number, "share"}, {"los", number, "share"}},
      [](const TableRow&) { return std::string(); }};
}

Table cycles_table() {
  return {"cycles", {{"a", text}, {"b", text}, {"c", text}, {"los", number, "share"}}, [](const TableRow& row) {
            return fmt::format("{} beats {}, who beats {}, who beats {} (the least sure of the three: {:.0f}%)\n",
                               row.text("a"), row.text("b"), row.text("c"), row.text("a"), 100 * row.number("los"));
          }};
}

void show_cross(TableWriter& out, const std::vector<std::string>& players, const TournamentResult& result) {
  out.begin(cross_table());
  for (const std::size_t a : by_strength(result)) {
    for (const std::size_t b : by_strength(result)) {
      const CrossScore& score = result.cross[a][b];
      if (score.games > 0) out.row({players[a], players[b], score.games, score.share, score.los});
    }
  }
}

// The players as a person reads them: by short names, unless two would have the same.
std::vector<std::string> short_names(const std::vector<std::string>& players) {
  std::vector<std::string> names;
  for (const std::string& player : players) names.push_back(short_player_name(player));
  return std::set<std::string>(names.begin(), names.end()).size() == players.size() ? names : players;
}

void show_result(TableWriter& out, const std::vector<std::string>& given, const TournamentResult& result) {
  const std::vector<std::string> players = out.is_text() ? short_names(given) : given;
  constexpr std::size_t kMostColumns = 16;  // a text of more would be wider than any screen
  const std::vector<std::size_t> order = by_strength(result);
  if (result.stopped) out.say("Stopped early.\n");
  out.say(left_out_words(result.left_out));
  out.say(repeated_words(result.repeated, result.games - result.left_out));
  const bool several_seats = std::ranges::any_of(
      result.standings, [](const Standing& standing) { return standing.score.games > standing.games; });
  const std::size_t columns = out.is_text() && order.size() > kMostColumns ? 0 : order.size();
  Table standings = standings_table(columns, several_seats);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Standing& standing = result.standings[order[place]];
    std::vector<Cell> row = {static_cast<int>(place) + 1,
                             players[order[place]],
                             standing.games > 0 ? Cell(standing.rating.elo) : Cell(),
                             standing.games > 0 ? Cell(standing.rating.error95) : Cell(),
                             standing.games,
                             standing.score.games,
                             standing.points,
                             standing.score.wins,
                             standing.score.draws,
                             standing.score.losses};
    for (std::size_t other = 0; row.size() < standings.columns().size(); ++other) {
      const CrossScore& score = result.cross[order[place]][order[other]];
      row.push_back(score.games > 0 ? Cell(score.share) : Cell());
    }
    standings.add(std::move(row));
  }
  out.show(standings);
  show_cross(out, players, result);
  std::vector<FaultCounts> faults;
  for (const Standing& standing : result.standings) faults.push_back(standing.faults);
  show_faults(out, players, faults);
  constexpr std::size_t kShownCycles = 10;
  out.begin(cycles_table());
  const auto name = [&](int player) { return players[static_cast<std::size_t>(player)]; };
  for (std::size_t i = 0; i < std::min(kShownCycles, result.cycles.size()); ++i) {
    const Cycle& cycle = result.cycles[i];
    out.row({name(cycle.players[0]), name(cycle.players[1]), name(cycle.players[2]), cycle.los});
  }
  out.finish();
}

int find_anchor(const TournamentCommand& command) {
  if (command.anchor.empty()) return 0;
  const auto found = std::ranges::find(command.players, command.anchor);
  if (found != command.players.end()) return static_cast<int>(found - command.players.begin());
  throw UserError(fmt::format("--anchor: {}", unknown_word("player", command.anchor, command.players)));
}

void run_tournament(const TournamentCommand& command) {
  catch_signals();
  TableWriter out = table_writer(command.tables);
  const MatchCommandOptions& given = command.options;
  const AnyGame game = find_game(given.game, given.settings);
  const int seats = players_of(game);
  TournamentSettings settings{
      .form = command.form == "gauntlet" ? TournamentForm::gauntlet : TournamentForm::round_robin,
      .games = given.games,
      .permutations = command.permutations,
      .anchor = find_anchor(command),
      .anchor_elo = command.anchor_elo};
  if (command.players.size() > kMostPlayers) {
    throw UserError(fmt::format("{} players: at most {} can play", command.players.size(), kMostPlayers));
  }
  if (command.permutations && seats == 2) {
    throw UserError("--permutations: in a game of two every group has both orders of the players");
  }
  if (command.permutations && std::ssize(command.players) < seats) {
    throw UserError(fmt::format("--permutations: with fewer players than seats ({}) groups are of two players", seats));
  }
  std::set<std::string> names;
  std::vector<MatchPlayer> players;
  const SearchConfig search = match_search_of(given);
  for (const std::string& text : command.players) {
    if (!names.insert(text).second) throw UserError(fmt::format("player \"{}\" is named twice", text));
    players.push_back(load_found_player(text, visits_of(given), search));
  }
  MatchOptions options = match_options(given, game);
  Schedule schedule = tournament_schedule(seats, static_cast<int>(players.size()), settings);
  fit_openings(given, game, schedule, options);
  settings.games = options.games;
  GameKeeper kept(given, game, command.players, schedule);
  kept.attach(options);
  TournamentResult result;
  {
    Progress progress;
    options.progress = [&](int done, int games) {
      if (::isatty(STDOUT_FILENO) == 1) progress.live(fmt::format("{}/{} games", done, games));
    };
    result = play_tournament(game, players, settings, options, stop_requested());
  }
  kept.close();
  show_result(out, command.players, result);
}

}  // namespace

void add_tournament(CommandLine& line) {
  auto command = std::make_shared<TournamentCommand>();
  command->options.what = "a tournament";
  const Command tournament = line.add_command("tournament", "Play a tournament between several players");
  tournament.footer(
      known_players_help() +
      "\nThe table has a player's Elo by all games and, under the other players' places, its share of the points that "
      "it and that player got in their games, of each the mean over its seats.\n"
      "In games for more than two as many different players meet as there are seats. Where there are fewer players, "
      "each two meet twice, either of them in one seat against the other in the rest: \"seats\" then counts the "
      "results of a player (wins, draws and losses), one for each of its seats, beside its games.\n"
      "--games is for each meeting, rounded up to groups in which everybody has every seat once (--permutations: in "
      "which the players have every order), so to a multiple of the seats. Two players on four seats therefore play 8 "
      "games by --games 4.");
  tournament.add_option("game", command->options.game, "Game id or variant string").type_name("GAME").required();
  tournament.add_option("players", command->players, "Two players or more")
      .required()
      .count(2, kAnyNumber)
      .type_name("PLAYER");
  tournament
      .add_option("--games", command->options.games,
                  "Games of each meeting, rounded up to whole groups of one opening (see below)")
      .range(1, 10000000)
      .show_default();
  tournament.add_option("--form", command->form, "Everybody meets everybody, or the first player meets all others")
      .one_of({"round-robin", "gauntlet"})
      .show_default();
  tournament.add_flag("--permutations", command->permutations,
                      "Of more than two: every order of the players, and not only everybody in every seat");
  tournament.add_option("--anchor", command->anchor, "The player whose Elo is given (default: the first)")
      .type_name("PLAYER");
  tournament.add_option("--anchor-elo", command->anchor_elo, "Its Elo").range(-100000.0, 100000.0).show_default();
  add_match_options(tournament, command->options);
  add_tables(tournament, command->tables, {"standings", "cross", "cycles", "faults"});
  tournament.runs([command, tournament] {
    command->options.games_given = tournament.given("--games");
    command->options.schedule = {{"--form", command->form},
                                 {"--permutations", command->permutations ? "true" : "false"}};
    run_tournament(*command);
  });
}

}  // namespace koridor::cli
