// koridor rate: how strong the generations of a run are.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/yardstick.h"
#include "train/run/rating.h"
#include "train/run/run_config.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct RateOptions {
  std::string run;
  bool solver = false;
  int positions = 1000;
  int visits = 0;  // per choice; 0: as in the run's matches
  int mebibytes = static_cast<int>(SolveLimits{}.mebibytes);
};

// Prints how often each rated generation's choice keeps the proven value on one of the run's boards.
void print_yardstick(const AnyGame& game, const RateOptions& options, const RunDirectory& run, const Config& config) {
  const std::string name = std::visit([](const auto& known) { return known.name(); }, game);
  YardstickOptions yardstick{.threads = config.run.threads};
  yardstick.batch.evaluation = match_evaluation(config.selfplay.evaluation);
  std::vector<YardstickPosition> positions;
  {
    Progress progress;
    progress.live("solving " + name);
    SolveLimits limits{.mebibytes = static_cast<std::size_t>(options.mebibytes)};
    limits.keep_going = [] { return !stop_requested(); };
    positions = yardstick_positions(game, solve_game(game, limits), options.positions);
  }
  if (positions.empty()) throw UserError(fmt::format("{}: no action ever gives anything away", name));

  const int visits = options.visits > 0 ? options.visits : config.rating.visits;
  fmt::print("\nChoices that keep the proven value of {}, in {} positions where some do not ({} visits):\n", name,
             positions.size(), visits);
  const auto line = [](const std::string& label, double share, const std::string& interval) {
    fmt::print("{:<14} {:>6.1f}% {:>16}\n", label, 100.0 * share, interval);
  };
  line("any action", random_share(positions), "");
  for (int generation = 0; fs::exists(run.model(generation)); ++generation) {
    if (!fs::exists(run.rating(generation))) continue;
    const MatchPlayer player = load_player(run.model(generation).string(), visits, config.match);
    const int kept = count_kept(game, player, positions, yardstick, stop_requested());
    if (stop_requested()) return;
    const double share = static_cast<double>(kept) / static_cast<double>(positions.size());
    const Interval interval = wilson_interval(share, static_cast<double>(positions.size()));
    line(RunDirectory::label(generation), share,
         fmt::format("{:.1f}% to {:.1f}%", 100.0 * interval.low, 100.0 * interval.high));
  }
}

// Does so for every board of the run; a board that cannot be solved does not prevent the others.
void print_yardsticks(const RateOptions& options, const RunDirectory& run, const Config& config) {
  const std::vector<AnyGame> games = games_of(config);
  for (const AnyGame& game : games) {
    try {
      print_yardstick(game, options, run, config);
    } catch (const UserError& error) {
      if (games.size() == 1 || stop_requested()) throw;
      fmt::print("\n{}\n", error.what());
    }
  }
}

void run_rate(const RateOptions& options) {
  catch_signals();
  const RunDirectory run(options.run);
  const Config config = load_run_config(run);
  Ratings ratings(run, config);
  {
    Progress progress;
    for (int generation = 0; fs::exists(run.model(generation)); ++generation) {
      if (!ratings.due(generation)) continue;
      const auto show = [&](int games, int total) {
        progress.live(fmt::format("{}: {}/{} games", RunDirectory::label(generation), games, total));
      };
      if (!ratings.rate(generation, show, stop_requested())) return;
    }
  }
  ratings.save_table();
  fmt::print("{}", ratings.table_text());
  if (options.solver) print_yardsticks(options, run, config);
}

}  // namespace

void add_rate(CLI::App& app) {
  auto options = std::make_shared<RateOptions>();
  CLI::App* rate = app.add_subcommand("rate", "Play the missing rating matches of a run and print its table of Elo");
  rate->add_option("run", options->run, "Run directory")->required();
  rate->add_flag("--solver", options->solver, "Also how often each generation's choice keeps the proven value");
  rate->add_option("--positions", options->positions, "Of --solver: so many, the same for every model")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  rate->add_option("--visits", options->visits, "Of --solver: simulations a choice; 0: as in the run's matches")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  rate->add_option("--megabytes", options->mebibytes, "Of --solver: memory for its tables, in MiB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  rate->callback([options] { run_rate(*options); });
}

}  // namespace koridor::cli
