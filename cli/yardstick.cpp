// koridor yardstick: players against the truth, on sets of positions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/chart.h"
#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "models/network/fits.h"
#include "selfplay/matches/player_text.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/matches/yardstick/report.h"
#include "selfplay/matches/yardstick/set_file.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

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

struct NamedSet {
  std::string name;  // as people know it
  std::string file;
  YardstickSet set;
};

constexpr std::string_view kAnyAction = "any action";  // the row of chance

Table figures_table(const std::vector<std::string>& players) {
  std::size_t width = kAnyAction.size();
  for (const std::string& player : players) width = std::max(width, player.size());
  return {"yardstick",
          {{.name = "set", .type = text},
           {.name = "game", .type = text},
           {"player", text, "", "player", -static_cast<int>(width), "{}"},
           {.name = "visits", .type = integer, .heading = "visits", .width = 6, .format = "{}"},
           {.name = "positions", .type = integer},
           {"share", number, "share", "kept", 6, "{:.1f}%", 100},
           {"low", number, "share", "95%", 6, "{:.1f}%", 100},
           {"high", number, "share", "", 6, "{:.1f}%", 100},
           {"regret", number, "points", "regret", 6, "{:.3f}"},
           {"brier", number, "", "Brier", 5, "{:.3f}"},
           {"calibration_error", number, "", "calib", 5, "{:.3f}"},
           {"cross_entropy", number, "nats", "cross-e", 7, "{:.3f}"},
           {"floor", number, "nats", "least", 5, "{:.3f}"},
           {"mass", number, "share", "mass", 6, "{:.1f}%", 100}}};
}

// `proven`: the actions' values are proven; else a reference has valued the positions.
Table reliability_table(bool proven) {
  return {"reliability",
          {{.name = "set", .type = text},
           {.name = "game", .type = text},
           {.name = "player", .type = text},
           {"low", number, "points", "expected", 8, "{:.1f}"},
           {"high", number, "points", "to", 4, "{:.1f}"},
           {"actions", integer, "", proven ? "actions" : "positions", 9, "{}"},
           {"predicted", number, "points", "mean", 6, "{:.3f}"},
           {"observed", number, "points", proven ? "proven" : "reference", proven ? 6 : 9, "{:.3f}"}}};
}

// One row for each row of the report and each phase; `phase` is empty for all of them together. The text is a matrix.
Table report_table() {
  return {"report",
          {{"set", text},
           {"player", text},
           {"precision", text},
           {"row", text},
           {"visits", integer},
           {"phase", text},
           {"positions", integer},
           {"share", number, "share"},
           {"low", number, "share"},
           {"high", number, "share"},
           {"regret", number, "points"},
           {"brier", number},
           {"mass", number, "share"}},
          [](const TableRow&) { return std::string(); }};
}

Table losses_table() {
  return {"losses",
          {{"set", text}, {"player", text}, {"loss", text}, {"share", number, "share"}, {"meaning", text}},
          [](const TableRow&) { return std::string(); }};
}

Cell brier_of(const YardstickFigures& figures) {
  return figures.value ? Cell(figures.value->brier) : Cell();
}
Cell mass_of(const YardstickFigures& figures) {
  return figures.policy ? Cell(figures.policy->mass) : Cell();
}

void show_row(TableWriter& out, const NamedSet& set, const std::string& player, const Cell& visits,
              const YardstickFigures& figures) {
  const Interval interval = figures.interval();
  std::vector<Cell> cells = {set.name,         set.set.game,      player,
                             visits,           figures.positions, figures.share(),
                             interval.low,     interval.high,     set.set.proven ? Cell(figures.regret) : Cell(),
                             brier_of(figures)};
  cells.push_back(figures.value ? Cell(figures.value->calibration_error) : Cell());
  cells.push_back(figures.policy ? Cell(figures.policy->cross_entropy) : Cell());
  cells.push_back(figures.policy ? Cell(figures.policy->floor) : Cell());
  cells.push_back(mass_of(figures));
  out.row(std::move(cells));
}

// What stands over the tables of a set.
std::string title_of(const NamedSet& set) {
  const YardstickSet& known = set.set;
  const Reference& reference = known.reference;
  const std::string by =
      known.proven ? "proven" : fmt::format("by {} at {}", reference.player, counted(reference.visits, "visit"));
  return printable(
      fmt::format("{}: {} of {}, {}", set.name, counted(std::ssize(known.positions), "position"), known.game, by));
}

void show_reliability(TableWriter& out, const NamedSet& set, const ModelFigures& figures, const std::string& name) {
  if (!figures.network || !figures.network->value) return;
  out.say(fmt::format("\nWhat {} expects of {} without a search, beside {}:\n", printable(name),
                      set.set.proven ? "actions" : "positions",
                      set.set.proven ? "what is proven" : "the reference's value"));
  out.begin(reliability_table(set.set.proven));
  const auto& bins = figures.network->value->bins;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto edge = [&](std::size_t place) { return static_cast<double>(place) / static_cast<double>(bins.size()); };
    const bool empty = bins[i].count == 0;
    out.row({set.name, set.set.game, name, edge(i), edge(i + 1), bins[i].count,
             empty ? Cell() : Cell(bins[i].predicted), empty ? Cell() : Cell(bins[i].observed)});
  }
}

// The reliability curves of several models on a set, and the line on which the points are those that were expected.
Chart chart_of(const NamedSet& set, std::span<const ModelFigures> all, std::vector<std::string>& series) {
  Chart chart{.title = (set.set.proven ? "Proven points, " : "The reference's points, ") + set.name,
              .unit = "",
              .x_title = "points expected",
              .lines = {}};
  const auto begin_line = [&](const std::string& name) {
    const auto known = std::ranges::find(series, name);
    chart.lines.push_back({.series = static_cast<std::size_t>(known - series.begin()), .points = {}});
    if (known == series.end()) series.push_back(name);
  };
  begin_line("as expected");
  chart.lines.back().points = {{0, 0, 0}, {1, 1, 0}};
  for (const ModelFigures& figures : all) {
    if (!figures.network || !figures.network->value) continue;
    begin_line(figures.player);
    for (const ReliabilityBin& bin : figures.network->value->bins) {
      if (bin.count > 0) chart.lines.back().points.push_back({bin.predicted, bin.observed, bin.error95});
    }
  }
  return chart;
}

void measure_set(TableWriter& out, const YardstickCommand& command, const NamedSet& set, const SearchConfig& search,
                 Picture& picture) {
  std::vector<ModelFigures> all;
  out.say(title_of(set) + "\n");
  const Table table = figures_table(command.players);
  out.begin(table);
  const double luck = random_share(set.set.positions);
  std::vector<Cell> any = {set.name, set.set.game, kAnyAction, Cell(), std::ssize(set.set.positions), luck};
  any.resize(table.columns().size());
  out.row(std::move(any));
  for (const std::string& name : command.players) {
    {
      Progress progress;  // its line goes before the rows come
      YardstickOptions options = command.measure;
      options.progress = [&](int done, int total) { progress.live(fmt::format("{}: {} of {}", name, done, total)); };
      all.push_back(measure_model(set.set, {find_player(name), search}, command.visits, options, stop_requested()));
    }
    if (stop_requested()) return;
    all.back().player = name;
    if (all.back().network) show_row(out, set, name, Cell(), *all.back().network);
    for (const auto& [visits, figures] : all.back().visits) {
      const bool searches = visits > 0 || all.back().network;  // a model without visits draws from its policy
      show_row(out, set, name, searches ? Cell(visits) : Cell(), figures);
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

// "97.1% 0.029": the share kept and the regret.
std::string matrix_cell(const YardstickFigures& figures, bool proven) {
  const std::string regret = proven ? fmt::format(" {:.3f}", figures.regret) : "";
  return fmt::format("{:.1f}%{}", 100 * figures.share(), regret);
}

std::string matrix(const NamedSet& set, const StrengthReport& report) {
  constexpr int kWidth = 13;
  const std::string unit = phase_unit(parse_game(set.set.game));
  std::string lines = fmt::format("{:<6}{:<12}{:>{}}", "", unit, "all", kWidth);
  for (const Phase& phase : report.phases) lines += fmt::format("{:>{}}", phase.name, kWidth);
  lines += fmt::format("\n{:<6}{:<12}{:>{}}", "", "positions", set.set.positions.size(), kWidth);
  for (const Phase& phase : report.phases) lines += fmt::format("{:>{}}", phase.positions.size(), kWidth);
  lines += "\n";
  for (const StrengthRow& row : report.rows) {
    lines += fmt::format("{:<6}{:<12}{:>{}}", row.precision, row.name(), matrix_cell(row.all, set.set.proven), kWidth);
    for (const YardstickFigures& figures : row.phases) {
      lines += fmt::format("{:>{}}", matrix_cell(figures, set.set.proven), kWidth);
    }
    lines += "\n";
  }
  return lines;
}

void show_report(TableWriter& out, const NamedSet& set, const std::string& name, const StrengthReport& report) {
  out.say(fmt::format("{}\n{}: choices that keep the value{}\n\n{}\n", title_of(set), printable(name),
                      set.set.proven ? ", and regret in points" : "", matrix(set, report)));
  for (const std::string& words : report.words) out.say(wrapped_text(words, 100) + "\n");
  out.begin(report_table());
  for (const StrengthRow& row : report.rows) {
    const auto show = [&](const Cell& phase, const YardstickFigures& figures) {
      const Interval interval = figures.interval();
      out.row({set.name, name, row.precision, row.name(), row.visits, phase, figures.positions, figures.share(),
               interval.low, interval.high, set.set.proven ? Cell(figures.regret) : Cell(), brier_of(figures),
               mass_of(figures)});
    };
    show(Cell(), row.all);
    for (std::size_t i = 0; i < row.phases.size(); ++i) show(report.phases[i].name, row.phases[i]);
  }
  out.begin(losses_table());
  for (const StrengthLoss& loss : report.losses) out.row({set.name, name, loss.name, loss.share, loss.meaning});
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
