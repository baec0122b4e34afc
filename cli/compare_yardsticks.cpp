#include "cli/compare_yardsticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/yardstick_sets.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "selfplay/matches/yardstick/measure.h"
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
          const auto known = stored(runs_[run], point.generation, name_of(game));
          if (known) (*results)[{run, point.generation}].push_back(*known);
        }
      }
    }
    LabMeasure measure{
        .name = "kept", .title = "proven value kept", .heading = "kept", .format = "{:.1f}%", .factor = 100};
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
  static std::string settings_of(const LabRun& run, int generation) {
    const Config& config = run.run.config;
    return file_hash(
        run.run.directory.model(generation).string(),
        fmt::format("{} positions\n{}", kPositions, match_choice_text(config.match, config.rating.visits)));
  }

  std::optional<YardstickResult> stored(const LabRun& run, int generation, const std::string& game) const {
    try {
      const std::string settings = settings_of(run, generation);
      for (const YardstickResult& result : read_yardstick(run.run.directory, generation)) {
        if (result.game == game && result.settings == settings && result.visits == run.run.config.rating.visits) {
          return result;
        }
      }
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
    std::erase_if(results, [&](const YardstickResult& other) { return other.game == result.game; });
    results.push_back(result);
    write_yardstick(run.run.directory, generation, results);
  }

  bool measure_on(const AnyGame& game, const Say& show, const Say& say) {
    const std::string name = name_of(game);
    std::vector<std::pair<const LabRun*, int>> missing;
    for (const LabRun& run : runs_) {
      for (const LabPoint& point : run.points) {
        if (!stored(run, point.generation, name)) missing.emplace_back(&run, point.generation);
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
      const Config& config = run->run.config;
      YardstickOptions options{.threads = config.run.threads};
      options.batch.evaluation = match_evaluation(config.selfplay.evaluation);
      const MatchPlayer player =
          load_player(run->run.directory.model(generation).string(), config.rating.visits, config.match);
      const int kept = count_kept(game, player, positions, options, stop_);
      if (stop_) return false;
      keep(*run, generation,
           {.game = name,
            .positions = static_cast<int>(positions.size()),
            .kept = kept,
            .random = random_share(positions),
            .visits = config.rating.visits,
            .settings = settings_of(*run, generation)});
    }
    return true;
  }

  // Empty where the board cannot be solved, which is kept: the next start need not try again.
  std::vector<YardstickPosition> positions_of(const AnyGame& game, const Say& show, const Say& say) const {
    const std::string name = name_of(game);
    nlohmann::json unsolved = nlohmann::json::object();
    try {
      if (fs::exists(unsolved_)) unsolved = read_json(unsolved_);
    } catch (const UserError&) {
      // Damaged: it is tried again.
    }
    unsolved.erase("checksum");
    if (unsolved.contains(name)) return {};
    std::string reason;
    // The solver of other games only finds out when its memory is full that a board is too large.
    if (!std::holds_alternative<wall::WallGame>(game)) reason = "only boards of the wall games are solved here";
    try {
      if (reason.empty()) {
        show("solving " + name);
        SolveLimits limits;
        limits.keep_going = [&] { return !stop_; };
        std::vector<YardstickPosition> positions = proven_set(game, kPositions, limits).positions;
        if (!positions.empty() || stop_) return positions;
        reason = "no action ever gives anything away";
      }
    } catch (const UserError& error) {
      if (stop_) return {};
      reason = error.what();
    }
    say(fmt::format("No share of proven values kept on {}: {}.", name, reason));
    unsolved[name] = reason;
    write_json(unsolved_, unsolved);
    return {};
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
