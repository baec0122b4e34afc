#include "train/run/yardstick_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/yardstick/measure.h"
#include "train/run/events.h"
#include "train/run/rating.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json to_json(const YardstickResult& result) {
  return {{"game", result.game},     {"positions", result.positions}, {"kept", result.kept},
          {"random", result.random}, {"visits", result.visits},       {"settings", result.settings}};
}

// Nothing where a member is missing, of another type or out of range.
std::optional<YardstickResult> from_json(const json& object) {
  const YardstickResult result{.game = member(object, "game", std::string()),
                               .positions = member(object, "positions", -1),
                               .kept = member(object, "kept", -1),
                               .random = member(object, "random", -1.0),
                               .visits = member(object, "visits", -1),
                               .settings = member(object, "settings", std::string())};
  const bool right = !result.game.empty() && result.positions >= 1 && result.kept >= 0 &&
                     result.kept <= result.positions && result.random >= 0 && result.random <= 1 && result.visits >= 1;
  if (!right || object.size() != to_json(result).size()) return {};
  return result;
}

}  // namespace

std::vector<YardstickResult> read_yardstick(const RunDirectory& run, int generation) {
  const fs::path path = run.yardstick(generation);
  if (!fs::exists(path)) return {};
  const json file = read_json(path);
  const auto boards = file.find("boards");
  const auto damaged = [&] {
    return UserError(fmt::format("{}: damaged: it does not say how often generation {} keeps proven values",
                                 path.string(), generation));
  };
  if (file.size() != 2 || member(file, "generation", -1) != generation || boards == file.end() || !boards->is_array()) {
    throw damaged();
  }
  std::vector<YardstickResult> results;
  for (const json& board : *boards) {
    const auto result = from_json(board);
    if (!result) throw damaged();
    results.push_back(*result);
  }
  return results;
}

std::vector<YardstickResult> read_yardstick(const RunDirectory& run, int generation, int visits) {
  std::vector<YardstickResult> results = read_yardstick(run, generation);
  std::erase_if(results, [&](const YardstickResult& result) { return result.visits != visits; });
  return results;
}

void write_yardstick(const RunDirectory& run, int generation, std::span<const YardstickResult> results) {
  json boards = json::array();
  for (const YardstickResult& result : results) boards.push_back(to_json(result));
  write_json(run.yardstick(generation), {{"generation", generation}, {"boards", boards}});
}

std::optional<double> mean_kept(std::span<const YardstickResult> results) {
  if (results.empty()) return {};
  double sum = 0;
  for (const YardstickResult& result : results) sum += result.share();
  return sum / static_cast<double>(results.size());
}

double mean_kept_error(std::span<const YardstickResult> results) {
  double squares = 0;
  for (const YardstickResult& result : results) {
    const Interval interval = wilson_interval(result.share(), result.positions);
    squares += (interval.high - interval.low) * (interval.high - interval.low) / 4;
  }
  return results.empty() ? 0 : std::sqrt(squares) / static_cast<double>(results.size());
}

void write_yardstick_events(const RunDirectory& run, int visits) {
  const fs::path folder = run.events() / "yardstick";
  EventWriter writer(folder);
  for (int generation = 0, models = run.models(); generation < models; ++generation) {
    const std::vector<YardstickResult> results = read_yardstick(run, generation, visits);
    for (std::size_t board = 0; board < results.size(); ++board) {
      const std::string tag = board == 0 ? "rating/value_kept" : fmt::format("rating/game-{}/value_kept", board);
      writer.add_scalar(tag, generation, results[board].share());
    }
  }
  std::error_code ignored;
  for (const std::string& name : names_in(folder, ignored)) {
    if (folder / name != writer.path()) fs::remove(folder / name, ignored);
  }
}

std::string yardstick_settings(const YardstickTask& task) {
  const std::string choice =
      match_choice_text(task.config.match, task.visits, task.game, task.config.selfplay.evaluation);
  return file_hash(task.run.model(task.generation), fmt::format("{} positions\n{}", task.positions, choice));
}

std::optional<YardstickResult> find_result(std::span<const YardstickResult> results, const YardstickTask& task) {
  const std::string game = name_of(task.game);
  const std::string settings = yardstick_settings(task);
  for (const YardstickResult& result : results) {
    if (result.game == game && result.visits == task.visits && result.settings == settings) return result;
  }
  return {};
}

YardstickResult measure_result(const YardstickTask& task, std::span<const YardstickPosition> positions,
                               const std::atomic<bool>& stop) {
  YardstickOptions options{.threads = task.config.run.threads};
  options.batch.evaluation = match_evaluation(task.config.selfplay.evaluation);
  const MatchPlayer player = load_player(task.run.model(task.generation).string(), task.visits, task.config.match);
  return {.game = name_of(task.game),
          .positions = static_cast<int>(positions.size()),
          .kept = count_kept(task.game, player, positions, options, stop),
          .random = random_share(positions),
          .visits = task.visits,
          .settings = yardstick_settings(task)};
}

void replace_result(std::vector<YardstickResult>& results, const YardstickResult& result,
                    std::span<const AnyGame> boards) {
  const auto place = [&](const YardstickResult& one) {
    return std::ranges::find_if(boards, [&](const AnyGame& board) { return name_of(board) == one.game; }) -
           boards.begin();
  };
  std::erase_if(results, [&](const YardstickResult& other) {
    return other.game == result.game && other.visits == result.visits;
  });
  const auto later = std::ranges::find_if(results, [&](const auto& other) { return place(other) > place(result); });
  results.insert(later, result);
}

}  // namespace koridor
