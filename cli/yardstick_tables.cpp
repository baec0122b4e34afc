#include "cli/yardstick_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/registry.h"
#include "selfplay/matches/yardstick/phases.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

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

// What stands over the tables of a set.
std::string title_of(const NamedSet& set) {
  const YardstickSet& known = set.set;
  const Reference& reference = known.reference;
  const std::string by =
      known.proven ? "proven" : fmt::format("by {} at {}", reference.player, counted(reference.visits, "visit"));
  return printable(
      fmt::format("{}: {} of {}, {}", set.name, counted(std::ssize(known.positions), "position"), known.game, by));
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

}  // namespace

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

void begin_figures(TableWriter& out, const NamedSet& set, const std::vector<std::string>& players) {
  out.say(title_of(set) + "\n");
  const Table table = figures_table(players);
  out.begin(table);
  const double luck = random_share(set.set.positions);
  std::vector<Cell> any = {set.name, set.set.game, kAnyAction, Cell(), std::ssize(set.set.positions), luck};
  any.resize(table.columns().size());
  out.row(std::move(any));
}

void show_figures(TableWriter& out, const NamedSet& set, const std::string& player, const Cell& visits,
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

}  // namespace koridor::cli
