// koridor match: many games between two players.
#include "selfplay/matches/match.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/fault_table.h"
#include "cli/match_options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "selfplay/matches/elo.h"

namespace koridor::cli {
namespace {

constexpr int kMostTestGames = 100000;  // of a match that a sequential test ends, unless --games says how many

struct MatchCommand {
  MatchCommandOptions options;
  std::string a;
  std::string b;
  int seat = 0;
  std::string sprt;
  TableOptions tables;
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

// How many groups of one opening brought A how much.
Table groups_table() {
  return {"groups", {{"score", number, "share"}, {"groups", integer}}, [](const TableRow& row) {
            return fmt::format("{} with {} for A\n", counted(row.integer("groups"), "opening"),
                               percent(row.number("score")));
          }};
}

Table test_table() {
  return {"sprt",
          {{"elo0", number, "Elo"},
           {"elo1", number, "Elo"},
           {"alpha", number},
           {"beta", number},
           {"llr", number},
           {"lower", number},
           {"upper", number},
           {"verdict", text},
           {"groups", integer}},
          [](const TableRow& row) {
            std::string words = fmt::format(
                "Sequential test of {:+g} Elo (H0) and {:+g} Elo (H1): {}; log-likelihood ratio {:.2f} of {:.2f} to "
                "{:.2f} by the first {}\n",
                row.number("elo0"), row.number("elo1"), row.text("verdict"), row.number("llr"), row.number("lower"),
                row.number("upper"), counted(row.integer("groups"), "opening"));
            if (row.text("verdict") == verdict_text(SprtVerdict::undecided)) return words;
            return words +
                   "The test chose when to stop, so that score, interval, Elo and likelihood lean towards its verdict: "
                   "a match without --sprt measures the difference\n";
          }};
}

// Games that ended before their rules said so, and what the resign rule got wrong; no row where there are none.
Table early_table() {
  return {"early",
          {{"resigned", integer},
           {"proven", integer},
           {"drawn", integer},
           {"played_on", integer},
           {"wrong_resignations", integer}},
          [](const TableRow& row) {
            std::string words = fmt::format("Ended early: {} by resignation, {} proven, {} drawn\n",
                                            row.integer("resigned"), row.integer("proven"), row.integer("drawn"));
            if (row.integer("played_on") > 0) {
              words += fmt::format("Played on after a resignation was due: {}, of which {} would have been wrong\n",
                                   counted(row.integer("played_on"), "game"), row.integer("wrong_resignations"));
            }
            return words;
          }};
}

std::string elo_text(const TableRow& row, const char* name) {
  return without_negative_zero(fmt::format("{:+.0f}", row.number(name)));
}

Table match_table() {
  return {"match",
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
           {"elo_low", number, "Elo"},
           {"elo_high", number, "Elo"},
           {"los", number, "share"},
           {"stopped", truth},
           {"repeated", integer},
           {"left_out", integer}},
          [](const TableRow& row) {
            std::string elo = row.empty("elo") ? "" : ", " + elo_text(row, "elo") + " Elo";
            if (!row.empty("elo_low") && !row.empty("elo_high")) {
              elo += fmt::format(" ({} to {})", elo_text(row, "elo_low"), elo_text(row, "elo_high"));
            }
            std::string words = row.truth("stopped") ? "Stopped early.\n" : "";
            words += left_out_words(static_cast<int>(row.integer("left_out")));
            words += repeated_words(static_cast<int>(row.integer("repeated")), static_cast<int>(row.integer("games")));
            words += fmt::format("A is {}\nB is {}\n", row.text("a"), row.text("b"));
            if (row.integer("games") == 0) return words + "No game was finished.\n";
            words +=
                fmt::format("{} of {:.1f} plies, A scored {} (95%: {} to {}){}", counted(row.integer("games"), "game"),
                            row.number("mean_plies"), percent(row.number("score")), percent(row.number("low")),
                            percent(row.number("high")), elo);
            if (row.empty("los")) return words + "; what a seat is worth is in it\n";
            return words + fmt::format(", stronger with {} likelihood\n", percent(row.number("los")));
          }};
}

void show_early(TableWriter& out, const MatchResult& result) {
  const auto resign = static_cast<std::size_t>(Forfeit::Kind::resign);
  const int resigned = result.faults[0].lost[resign] + result.faults[1].lost[resign];
  out.begin(early_table());
  if (resigned + result.proven + result.draw_rule + result.played_on == 0) return;
  out.row({resigned, result.proven, result.draw_rule, result.played_on, result.wrong_resignations});
}

void show_result(TableWriter& out, const MatchCommand& command, const AnyGame& game,
                 const std::optional<SprtSettings>& test, const MatchResult& result) {
  const auto [name, players] =
      std::visit([](const auto& known) { return std::pair(known.name(), known.players()); }, game);
  out.begin(seats_table());
  for (int seat = 0; seat < players; ++seat) {
    const SeatScore& score = result.by_seat[static_cast<std::size_t>(seat)];
    if (score.games > 0) out.row({seat + 1, score.games, score.wins, score.draws, score.losses});
  }
  const bool every_seat = command.seat == 0;
  if (every_seat) {
    out.begin(groups_table());
    for (const GroupScores::Entry& entry : result.groups.entries()) {
      out.row({entry.score, static_cast<int>(entry.groups)});
    }
  }
  show_early(out, result);
  const std::array<std::string, 2> names{command.a, command.b};
  show_faults(out, names, result.faults);
  if (test && result.sprt) {
    out.begin(test_table());
    out.row({test->elo0, test->elo1, test->alpha, test->beta, result.sprt->llr, result.sprt->lower, result.sprt->upper,
             verdict_text(result.sprt->verdict), result.tested_groups});
  }
  const SeatScore total = result.total();
  // From one seat alone nobody knows what an even score is.
  const auto elo = [&, count = players](double score) {
    return every_seat && score > 0 && score < 1 ? Cell(elo_difference(score, count)) : Cell();
  };
  out.begin(match_table());
  out.row({name, command.a, command.b, total.games, total.wins, total.draws, total.losses, result.mean_plies,
           result.score, result.low, result.high, elo(result.score), elo(result.low), elo(result.high),
           every_seat ? Cell(result.los) : Cell(), result.stopped, result.repeated, result.left_out});
  out.finish();
}

void run_match(const MatchCommand& command) {
  catch_signals();
  require_option(command.tables, "sprt", "--sprt", !command.sprt.empty());
  if (command.seat > 0 && command.tables.table == "groups") {
    throw UserError("--table groups: with --seat no games belong together; leave it out");
  }
  TableWriter out = table_writer(command.tables);
  const MatchCommandOptions& given = command.options;
  const AnyGame game = find_game(given.game, given.settings);
  const int players = players_of(game);
  if (command.seat > players) {
    throw UserError(fmt::format("--seat {}: {} has the seats 1 to {}", command.seat, given.game, players));
  }
  if (command.seat > 0 && !command.sprt.empty()) {
    throw UserError(
        "--sprt: it tests strength, and with --seat the worth of the seat would be in it; leave --seat out");
  }
  const SearchConfig search = match_search_of(given);
  const MatchPlayer a = load_found_player(command.a, visits_of(given), search);
  const MatchPlayer b = load_found_player(command.b, visits_of(given), search);

  MatchOptions options = match_options(given, game);
  options.seat = command.seat - 1;
  if (!command.sprt.empty()) {
    options.sprt = read_sprt(command.sprt, "--sprt");
    if (!given.games_given) options.games = kMostTestGames;
  }
  Schedule schedule = match_schedule(players, options);
  fit_openings(given, game, schedule, options);
  GameKeeper kept(given, game, {command.a, command.b}, schedule);
  kept.attach(options);
  MatchResult result;
  {
    Progress progress;
    options.progress = [&](int done, int games) {
      if (::isatty(STDOUT_FILENO) == 1) progress.live(fmt::format("{}/{} games", done, games));
    };
    result = play_match(game, a, b, options, stop_requested());
  }
  kept.close();
  show_result(out, command, game, options.sprt, result);
}

}  // namespace

void add_match(CommandLine& line) {
  auto command = std::make_shared<MatchCommand>();
  const Command match = line.add_command("match", "Play a match between two players");
  match.footer(known_players_help());
  match.add_option("game", command->options.game, "Game id or variant string").type_name("GAME").required();
  match.add_option("--a", command->a, "Player A").required().type_name("PLAYER");
  match.add_option("--b", command->b, "Player B").required().type_name("PLAYER");
  match
      .add_option("--games", command->options.games,
                  fmt::format("Games, rounded up to groups of one opening with A in every seat; with --sprt the most "
                              "(its default: {})",
                              kMostTestGames))
      .range(1, 10000000)
      .show_default();
  match.add_option("--seat", command->seat, "A always sits here (1 moves first); 0: every seat in turn")
      .range(0, kMaxPlayers)
      .show_default();
  match
      .add_option("--sprt", command->sprt,
                  "Play until a sequential test has decided, as in elo0=0,elo1=10,alpha=0.05,beta=0.05")
      .type_name("TEST");
  add_match_options(match, command->options);
  add_tables(match, command->tables, {"match", "seats", "groups", "early", "faults", "sprt"});
  match.runs([command, match] {
    command->options.games_given = match.given("--games");
    command->options.schedule = {{"--seat", fmt::to_string(command->seat)}};
    run_match(*command);
  });
}

}  // namespace koridor::cli
