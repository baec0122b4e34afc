// koridor yardstick: players against the truth, on sets of positions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "cli/table.h"
#include "cli/yardstick_tables.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "models/network/fits.h"
#include "selfplay/matches/player_text.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

struct YardstickCommand {
  std::vector<std::string> players;
  std::vector<std::string> sets;
  std::vector<int> visits;
  bool report = false;
  std::string algorithm = match_search().algorithm;
  std::vector<std::string> settings;
  std::string picture;
  YardstickOptions measure;
  TableOptions tables;
};

void measure_set(TableWriter& out, const YardstickCommand& command, const NamedSet& set, const SearchConfig& search,
                 Picture& picture) {
  std::vector<ModelFigures> all;
  begin_figures(out, set, command.players);
  for (const std::string& name : command.players) {
    {
      Progress progress;  // its line goes before the rows come
      YardstickOptions options = command.measure;
      options.progress = [&](int done, int total) { progress.live(fmt::format("{}: {} of {}", name, done, total)); };
      all.push_back(measure_model(set.set, {find_player(name), search}, command.visits, options, stop_requested()));
    }
    if (stop_requested()) return;
    all.back().player = name;
    if (all.back().network) show_figures(out, set, name, Cell(), *all.back().network);
    for (const auto& [visits, figures] : all.back().visits) {
      const bool searches = visits > 0 || all.back().network;  // a model without visits draws from its policy
      show_figures(out, set, name, searches ? Cell(visits) : Cell(), figures);
      if (figures.unanswered == 0) continue;
      print_message("koridor",
                    fmt::format("{} has no answer in {} of {}, which count as lost; the first fault: {}", name,
                                figures.unanswered, counted(figures.positions, "position"), figures.fault));
    }
  }
  out.expect(reliability_table(set.set.proven));
  for (const ModelFigures& figures : all) show_reliability(out, set, figures, figures.player);
  picture.charts.push_back(chart_of(set, all, picture.series));
}

void report_set(TableWriter& out, const YardstickCommand& command, const NamedSet& set, const SearchConfig& search) {
  for (const std::string& name : command.players) {
    std::optional<StrengthReport> report;
    {
      Progress progress;
      YardstickOptions options = command.measure;
      options.progress = [&](int done, int total) { progress.live(fmt::format("{}: {} of {}", name, done, total)); };
      report = report_strength(set.set, {find_player(name), search}, command.visits, options, stop_requested());
    }
    if (stop_requested()) return;
    show_report(out, set, name, *report);
  }
}

// The sets that were named; else that of the game which the first player's model was trained on, of several the first.
std::vector<NamedSet> load_sets(const YardstickCommand& command, const SearchConfig& search) {
  std::vector<NamedSet> sets;
  for (const std::string& name : command.sets) {
    const std::string file = find_yardstick(name);
    sets.push_back({name, file, read_yardstick_set(file)});
  }
  if (!sets.empty()) return sets;
  const MatchPlayer player = load_player(find_player(command.players.front()), 1, search);
  if (!player.model) throw UserError(fmt::format("{} has no game of its own: name a set by --set", player.name));
  const std::string& game = player.model->info.game;
  std::filesystem::path path = find_yardstick_set(yardsticks_folder(), game);
  const AnyGame known = parse_game(game);
  const std::string other = name_of(without_repetition(known));
  if (path.empty() && other != name_of(known)) {
    path = find_yardstick_set(yardsticks_folder(), other);
    if (!path.empty()) {
      print_message("koridor",
                    fmt::format("the set is of {}, and so the model plays without its rule of repetition", other));
    }
  }
  if (path.empty()) {
    throw UserError(fmt::format(
        "there is no set of positions of {}: `koridor yardstick-set` makes one, and --set names another", game));
  }
  if (!player.model->info.games.empty()) {
    print_message("koridor", fmt::format("the set is of {}, one of the {} that the network learned; --set names others",
                                         game, counted(std::ssize(player.model->info.games), "game")));
  }
  return {{path.stem().string(), path.string(), read_yardstick_set(path)}};
}

// Throws UserError where a player's network does not fit the game of one of the sets.
void check_players(const YardstickCommand& command, const std::vector<NamedSet>& sets, const SearchConfig& search) {
  for (const std::string& name : command.players) {
    const MatchPlayer player = load_untimed({find_player(name), search}, command.visits.front());
    if (!player.model) continue;
    for (const NamedSet& set : sets) require_fits(player.model->info, parse_game(set.set.game), name);
  }
}

// Throws UserError where the picture would take the place of what is measured.
void check_picture(const YardstickCommand& command, const std::vector<NamedSet>& sets) {
  std::vector<std::string> read;
  for (const std::string& player : command.players) {
    const std::vector<std::string> files = files_of_player(player);
    read.insert(read.end(), files.begin(), files.end());
  }
  for (const NamedSet& set : sets) read.push_back(set.file);
  check_not_read("--svg", command.picture, read);
}

void run(YardstickCommand& command) {
  catch_signals();
  for (const char* table : {"report", "losses"}) require_option(command.tables, table, "--report", command.report);
  for (const char* table : {"yardstick", "reliability"}) {
    if (!command.report || command.tables.table != table) continue;
    throw UserError(fmt::format("--table {}: --report has the tables report and losses; leave it out", table));
  }
  SearchConfig search = match_search();
  search.algorithm = command.algorithm;
  apply_search_settings(search, command.settings);
  if (command.visits.empty()) {
    command.visits = command.report ? std::vector<int>(std::begin(kReportVisits), std::end(kReportVisits))
                                    : std::vector<int>{1, 64, 400};
  }
  if (!command.picture.empty()) check_output("--svg", command.picture);
  if (!std::ranges::is_sorted(command.visits, std::ranges::less_equal{})) {
    throw UserError("--visits: write the numbers in rising order, each once");
  }
  for (const std::string& name : command.players) {
    const std::string player = find_player(name);
    if (command.report) {
      check_report({player, search}, command.visits);
    } else {
      load_untimed({player, search}, command.visits.front());
    }
  }
  const std::vector<NamedSet> sets = load_sets(command, search);
  check_players(command, sets, search);
  if (!command.picture.empty()) check_picture(command, sets);
  TableWriter out = table_writer(command.tables);
  Picture picture{.title = "Value without a search", .series = {}, .charts = {}};
  for (const NamedSet& set : sets) {
    if (&set != &sets.front()) out.say("\n");
    if (command.report) {
      report_set(out, command, set, search);
    } else {
      measure_set(out, command, set, search, picture);
    }
    if (stop_requested()) throw Stopped("stopped before everything was measured");
  }
  if (!command.picture.empty()) write_file_atomically(command.picture, svg(picture));
  out.finish();
}

}  // namespace

void add_yardstick(CommandLine& line) {
  auto options = std::make_shared<YardstickCommand>();
  options->measure.batch.evaluation = match_evaluation();
  const Command command =
      line.add_command("yardstick", "Measure players against the truth, on a set of positions of a game");
  command.footer(
      "Choices that keep the proven value, regret, the value's Brier score and calibration, the policy's "
      "cross-entropy: docs/yardsticks.md has their formulas. `koridor yardstick-set` makes sets; some come with the "
      "program.");
  command.add_option("player", options->players, "Models, or other players of `koridor match`").required();
  command.add_option("--set", options->sets, "File of a set, or its name (default: that of the model's game)")
      .type_name("SET")
      .one_each_time();
  command.add_option("--visits", options->visits, "Simulations per position, as in 1,64,400; a table row for each")
      .separated_by(',')
      .range(1, 1000000)
      .show_default("1,64,400, and of --report 16,64,400,1600");
  command.add_flag("--report", options->report,
                   "Where the strength is lost: by policy, value and visits, phase of the game and precision");
  add_algorithm(command, options->algorithm);
  add_search_settings(command, options->settings);
  command.add_option("--seed", options->measure.seed, "Of players that draw lots").show_default();
  command.add_option("--threads", options->measure.threads, "0: all cores").range(0, 1024).show_default();
  add_evaluation(command, options->measure.batch.evaluation, true);
  command.add_option("--svg", options->picture, "Also draw the reliability curves into this SVG file")
      .type_name("FILE")
      .excludes("--report");
  add_tables(command, options->tables, {"yardstick", "reliability", "report", "losses"});
  command.runs([options] { run(*options); });
}

}  // namespace koridor::cli
