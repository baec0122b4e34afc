#include "cli/compare_yardsticks.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/yardstick_sets.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/solve/solver.h"
#include "models/backends.h"
#include "selfplay/matches/yardstick/draw.h"
#include "train/run/yardstick_file.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

constexpr int kPositions = 1000;  // as `koridor rate --solver` has them, so that each uses the other's results

// The share of choices that keep the proven value, on boards that can be solved (selfplay/matches/yardstick).
class KeptValue {
 public:
  KeptValue(const Laboratory& laboratory, const std::atomic<bool>& stop)
      : runs_(laboratory.runs()), unsolved_(laboratory.options().folder / "unsolved.json"), stop_(stop) {}

  // False when stopped.
  bool measure(const Say& show, const Say& say) {
    for (const AnyGame& game : games_of(runs_.front().run.config)) {
      if (!measure_on(game, show, say)) return false;
    }
    return true;
  }

  LabMeasure result() const {
    auto results = std::make_shared<std::map<std::pair<std::size_t, int>, std::vector<YardstickResult>>>();
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (const LabPoint& point : runs_[run].points) {
        for (const AnyGame& game : games_of(runs_[run].run.config)) {
          const auto known = stored(runs_[run], point.generation, game);
          if (known) (*results)[{run, point.generation}].push_back(*known);
        }
      }
    }
    LabMeasure measure{
        .name = "kept", .title = "proven value kept", .heading = "kept", .format = "{:.1f}%", .factor = 100};
    measure.shared_error = true;
    measure.value = [results](std::size_t run, int generation) -> std::optional<double> {
      const auto found = results->find({run, generation});
      return found == results->end() ? std::nullopt : mean_kept(found->second);
    };
    measure.error = [results](std::size_t run, int generation) {
      const auto found = results->find({run, generation});
      return found == results->end() ? 0.0 : mean_kept_error(found->second);
    };
    return measure;
  }

 private:
  static YardstickTask task_of(const LabRun& run, int generation, const AnyGame& game) {
    const Config& config = run.run.config;
    return {.run = run.run.directory,
            .config = config,
            .generation = generation,
            .game = game,
            .positions = kPositions,
            .visits = config.rating.visits};
  }

  static std::optional<YardstickResult> stored(const LabRun& run, int generation, const AnyGame& game) {
    try {
      return find_result(read_yardstick(run.run.directory, generation), task_of(run, generation, game));
    } catch (const UserError&) {
      // Damaged: it is measured again.
    }
    return {};
  }

  static void keep(const LabRun& run, int generation, const YardstickResult& result) {
    std::vector<YardstickResult> results;
    try {
      results = read_yardstick(run.run.directory, generation);
    } catch (const UserError&) {
      // Damaged: written anew.
    }
    replace_result(results, result, games_of(run.run.config));
    write_yardstick(run.run.directory, generation, results);
  }

  bool measure_on(const AnyGame& game, const Say& show, const Say& say) {
    std::vector<std::pair<const LabRun*, int>> missing;
    for (const LabRun& run : runs_) {
      for (const LabPoint& point : run.points) {
        if (!stored(run, point.generation, game)) missing.emplace_back(&run, point.generation);
      }
    }
    if (missing.empty()) return true;
    const std::vector<YardstickPosition> positions = positions_of(game, show, say);
    if (stop_) return false;
    int done = 0;
    for (const auto& [run, generation] : missing) {
      if (positions.empty()) return true;
      show(fmt::format("proven value kept: point {}/{}, {} {}", ++done, missing.size(), run->run.label,
                       RunDirectory::label(generation)));
      const YardstickResult result = measure_result(task_of(*run, generation, game), positions, stop_);
      if (stop_) return false;
      keep(*run, generation, result);
      // Each model's evaluator would stay, with its memory.
      forget_past_evaluators();
    }
    return true;
  }

  // Empty where there are none, with a note that says why.
  std::vector<YardstickPosition> positions_of(const AnyGame& game, const Say& show, const Say& say) const {
    const std::string name = name_of(game);
    const auto none = [&](const std::string& reason) {
      say(fmt::format("No share of proven values kept on {}: {}.", name, reason));
      return std::vector<YardstickPosition>();
    };
    try {
      if (auto installed = installed_proven_set(game, kPositions)) return std::move(installed->positions);
    } catch (const UserError& error) {
      return none(error.what());
    }
    // The solver of other games only finds out when its memory is full that a board is too large.
    if (!std::holds_alternative<wall::WallGame>(game)) return none("only boards of the wall games are solved here");
    nlohmann::json unsolved = unsolved_boards();
    if (const auto found = unsolved.find(name); found != unsolved.end() && found->is_string()) {
      return none(fmt::format("{} (as {} says; without this file it is tried again)", found->get<std::string>(),
                              unsolved_.string()));
    }
    show("solving " + name);
    SolveLimits limits;
    limits.keep_going = [&] { return !stop_; };
    std::string reason;
    try {
      const AnySolver solver = solve_game(game, limits);
      std::vector<YardstickPosition> positions = draw_proven_set(game, solver, kPositions).positions;
      if (!positions.empty() || stop_) return positions;
      reason = "no action ever gives anything away";
    } catch (const SolveStopped&) {
      return {};
    } catch (const UserError& error) {
      reason = error.what();
    }
    // It took the solver up to minutes to find out.
    unsolved[name] = reason;
    write_json(unsolved_, unsolved);
    return none(reason);
  }

  // The boards that the solver gave up, with its words.
  nlohmann::json unsolved_boards() const {
    nlohmann::json unsolved = nlohmann::json::object();
    try {
      if (fs::exists(unsolved_)) unsolved = read_json(unsolved_);
    } catch (const UserError&) {
      // Damaged: they are tried again.
    }
    unsolved.erase("checksum");
    return unsolved;
  }

  const std::vector<LabRun>& runs_;
  fs::path unsolved_;
  const std::atomic<bool>& stop_;
};

}  // namespace

std::optional<std::vector<LabMeasure>> measure_yardsticks(const Laboratory& laboratory, const Say& show, const Say& say,
                                                          const std::atomic<bool>& stop) {
  std::vector<LabMeasure> measures;
  KeptValue kept(laboratory, stop);
  if (!kept.measure(show, say)) return {};
  measures.push_back(kept.result());
  return measures;
}

}  // namespace koridor::cli
