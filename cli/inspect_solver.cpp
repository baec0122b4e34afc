#include "cli/inspect_solver.h"

#include <fmt/format.h>

#include "cli/solver_limits.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "selfplay/matches/yardstick/phases.h"
#include "selfplay/shards/verify.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

Table truth_table() {
  return {"truth",
          {{"game", text},
           {"phase", text},
           {"positions", integer},
           {"right", number, "share"},
           {"result_brier", number},
           {"value_brier", number},
           {"best_share", number, "share"},
           {"mixture_brier", number},
           {"full_searches", integer},
           {"full_thrown", number, "share"},
           {"cheap_searches", integer},
           {"cheap_thrown", number, "share"}},
          [](const TableRow& row) {
            const auto percent = [&](const char* column, int digits) {
              return row.empty(column) ? "-" : fmt::format("{:.{}f}%", 100.0 * row.number(column), digits);
            };
            const auto brier = [&](const char* column) {
              return row.empty(column) ? "-" : fmt::format("{:.3f}", row.number(column));
            };
            return fmt::format("{:<10} {:>7} {:>7} {:>7} {:>7} {:>8} at {:>4} {:>11} {:>7}\n", row.text("phase"),
                               row.integer("positions"), percent("right", 1), brier("result_brier"),
                               brier("value_brier"), brier("mixture_brier"), percent("best_share", 0),
                               percent("full_thrown", 1), percent("cheap_thrown", 1));
          }};
}

}  // namespace

TargetTruths::Judge TargetTruths::judge_of(const AnyGame& game) const {
  Progress progress;
  progress.live("solving " + name_of(game));
  return {game, TargetTruth(game, solve_game(game, limits_until_stopped(mebibytes_)))};
}

void TargetTruths::add(const std::string& file, const ShardData& data) {
  auto found = judges_.find(data.info.game);
  if (found == judges_.end()) found = judges_.emplace(data.info.game, judge_of(game_of(data, file))).first;
  Judge& judge = found->second;
  judge.games += data.games();
  try {
    judge.truth.add(data);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", file, error.what()));
  }
  if (stop_requested()) throw Stopped("stopped before every game was judged");
}

void TargetTruths::show(TableWriter& out) const {
  for (const auto& [name, judge] : judges_) {
    if (name != judges_.begin()->first) out.say("\n");
    out.say(fmt::format("{}: {}, beside the proven values\n\n", name, counted(judge.games, "game")));
    out.say(fmt::format("{:<10} {:>7} {:>7} {:>7} {:>7} {:>16} {:>19}\n", "", "learned", "result", "Brier", "",
                        "mixed, value's", "value thrown away"));
    out.say(fmt::format("{:<10} {:>7} {:>7} {:>7} {:>7} {:>16} {:>11} {:>7}\n", phase_unit(judge.game), "from", "right",
                        "result", "value", "best share", "full", "cheap"));
    out.begin(truth_table());
    for (const TargetFigures& figures : judge.truth.figures()) {
      const bool any = figures.positions() > 0;
      const auto share = [](const PlayedCount& played) { return played.plies > 0 ? Cell(played.share()) : Cell(); };
      out.row({name, figures.phase, figures.positions(),
               any ? Cell(static_cast<double>(figures.right) / figures.positions()) : Cell(),
               any ? Cell(figures.result_brier) : Cell(), any ? Cell(figures.value_brier) : Cell(),
               any ? Cell(figures.best_share) : Cell(), any ? Cell(figures.mixture_brier) : Cell(), figures.full.plies,
               share(figures.full), figures.cheap.plies, share(figures.cheap)});
    }
  }
}

}  // namespace koridor::cli
