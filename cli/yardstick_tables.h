// What `koridor yardstick` shows: the figures of each player on a set, reliability curves, and the report of where the
// strength is lost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/chart.h"
#include "cli/table.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/matches/yardstick/report.h"
#include "selfplay/matches/yardstick/set_file.h"

namespace koridor::cli {

struct NamedSet {
  std::string name;  // as people know it
  std::string file;
  YardstickSet set;
};

// The set's title, the head of the table "yardstick" and its row of chance; `players` sets the width of the names.
void begin_figures(TableWriter& out, const NamedSet& set, const std::vector<std::string>& players);
// One row of that table. `visits` is empty for a network without a search, and for players that do not search.
void show_figures(TableWriter& out, const NamedSet& set, const std::string& player, const Cell& visits,
                  const YardstickFigures& figures);

// The table "reliability". `proven`: the actions' values are proven; else a reference has valued the positions.
Table reliability_table(bool proven);
// Its rows for a model; nothing for a player without a value of its own.
void show_reliability(TableWriter& out, const NamedSet& set, const ModelFigures& figures, const std::string& name);
// The reliability curves of several models on a set, and the line on which the points are those that were expected.
// Names that `series` has not yet are added to it.
Chart chart_of(const NamedSet& set, std::span<const ModelFigures> all, std::vector<std::string>& series);

// The report's matrix and words, or the tables "report" and "losses".
void show_report(TableWriter& out, const NamedSet& set, const std::string& name, const StrengthReport& report);

}  // namespace koridor::cli
