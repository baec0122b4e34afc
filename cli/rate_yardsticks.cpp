#include "cli/rate_yardsticks.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/yardstick_sets.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/yardstick/measure.h"
#include "train/run/yardstick_file.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;
using enum ColumnType;

// The yardstick of one board of a run: its positions, which are sought only where a generation was not measured.
class Yardstick {
 public:
  Yardstick(const AnyGame& game, const RateYardstickOptions& options, const LabelledRun& run)
      : game_(game), options_(options), run_(run) {}

  // The result of a generation: the one that is stored, if it is of the same model, positions and search.
  YardstickResult measure(int generation, const std::vector<YardstickResult>& stored) {
    const YardstickTask task{.run = run_.directory,
                             .config = run_.config,
                             .generation = generation,
                             .game = game_,
                             .positions = options_.positions,
                             .visits = options_.visits > 0 ? options_.visits : run_.config.rating.visits};
    if (const auto known = find_result(stored, task)) return *known;
    return measure_result(task, positions(), stop_requested());
  }

 private:
  const std::vector<YardstickPosition>& positions() {
    if (!positions_.empty()) return positions_;
    const std::string game = name_of(game_);
    Progress progress;
    progress.live("solving " + game);
    positions_ = proven_set(game_, options_.positions, limits_until_stopped(options_.mebibytes)).positions;
    if (positions_.empty()) throw UserError(fmt::format("{}: no action ever gives anything away", game));
    return positions_;
  }

  const AnyGame& game_;
  const RateYardstickOptions& options_;
  const LabelledRun& run_;
  std::vector<YardstickPosition> positions_;
};

void show_result(TableWriter& out, const LabelledRun& run, const std::string& name, int generation,
                 const YardstickResult& result) {
  const Interval interval = wilson_interval(result.share(), result.positions);
  out.row({result.game, run.label, generation, name, result.positions, result.visits, result.share(), interval.low,
           interval.high});
}

// Measures how often each rated generation's choice keeps the proven value on one of the run's boards, stores it and
// shows it. `title` begins what stands over the rows.
void show_yardstick(TableWriter& out, const AnyGame& board, const RateYardstickOptions& options, const LabelledRun& run,
                    const std::string& title) {
  Yardstick yardstick(board, options, run);
  bool begun = false;
  bool changed = false;
  for (int generation = 0; fs::exists(run.directory.model(generation)); ++generation) {
    if (!fs::exists(run.directory.rating(generation))) continue;
    const std::vector<YardstickResult> stored = read_yardstick(run.directory, generation);
    const YardstickResult result = yardstick.measure(generation, stored);
    if (stop_requested()) break;
    std::vector<YardstickResult> results = stored;
    replace_result(results, result, games_of(run.config));
    if (results != stored) {
      write_yardstick(run.directory, generation, results);
      changed = true;
    }
    if (!begun) {
      out.say(fmt::format("\n{}hoices that keep the proven value of {}, in {} where some do not ({}):\n", title,
                          result.game, counted(result.positions, "position"), counted(result.visits, "visit")));
      out.begin(rate_yardstick_table());
      out.row({result.game, run.label, Cell(), "any action", result.positions, Cell(), result.random, Cell(), Cell()});
      begun = true;
    }
    show_result(out, run, RunDirectory::label(generation), generation, result);
  }
  if (changed) write_yardstick_events(run.directory, run.config.rating.visits);
}

}  // namespace

Table rate_yardstick_table() {
  return {"yardstick",
          {{"game", text},
           {"run", text},
           {"generation", integer},
           {"name", text},
           {"positions", integer},
           {"visits", integer},
           {"share", number, "share"},
           {"low", number, "share"},
           {"high", number, "share"}},
          [](const TableRow& row) {
            const std::string interval = row.empty("low") ? ""
                                                          : fmt::format("{:.1f}% to {:.1f}%", 100.0 * row.number("low"),
                                                                        100.0 * row.number("high"));
            return fmt::format("{:<14} {:>6.1f}% {:>16}\n", row.text("name"), 100.0 * row.number("share"), interval);
          }};
}

void remove_damaged_yardsticks(const RunDirectory& run) {
  for (int generation = 0, models = run.models(); generation < models; ++generation) {
    try {
      read_yardstick(run, generation);
    } catch (const UserError& error) {
      print_message("koridor", std::string(error.what()) + "; it is measured again");
      fs::remove(run.yardstick(generation));
    }
  }
}

void show_yardsticks(TableWriter& out, const RateYardstickOptions& options, const LabelledRun& run, bool several) {
  const std::vector<AnyGame> boards = games_of(run.config);
  const std::string title = several ? run.label + ": c" : "C";
  std::size_t failed = 0;
  for (const AnyGame& board : boards) {
    try {
      show_yardstick(out, board, options, run, title);
    } catch (const UserError& error) {
      if (stop_requested()) return;
      if (++failed == boards.size()) throw;
      print_message("koridor", error.what());
    }
  }
}

}  // namespace koridor::cli
