#include "train/run/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/base/number.h"
#include "core/words.h"
#include "train/run/run_shards.h"
#include "train/run/sample_shares.h"

namespace koridor {
namespace {

using nlohmann::json;

// What the object `selfplay` of a file of metrics says of the counts that costs need.
SelfplayFigures counts_of(const json& selfplay) {
  SelfplayFigures figures;
  figures.games = member(selfplay, "games", std::uint64_t{0});
  figures.positions = member(selfplay, "positions", std::uint64_t{0});
  if (!selfplay.contains("evaluations") || !selfplay.contains("simulations")) return figures;
  figures.counted = figures.games;
  figures.evaluations = member(selfplay, "evaluations", std::uint64_t{0});
  figures.simulations = member(selfplay, "simulations", std::uint64_t{0});
  return figures;
}

// What a generation's games say, by board, and the samples that they gave the trainer.
struct GamesOfGeneration {
  std::vector<SelfplayFigures> figures;
  std::uint64_t samples = 0;
};

GamesOfGeneration games_of_generation(const RunDirectory& run, const Config& config, int generation) {
  const std::size_t boards = std::max<std::size_t>(1, config.run.games.size());
  GamesOfGeneration games{.figures = std::vector<SelfplayFigures>(boards)};
  RunShards(run, boards).for_each(generation, [&](const ShardData& shard, std::size_t board) {
    games.figures[board].add(shard);
    games.samples += samples_of(shard, config.training);
  });
  return games;
}

}  // namespace

double cost_of(const Work& work, const CostRates& rates) {
  return work.evaluated / rates.network + work.simulations / rates.tree + work.trained / rates.training;
}

double read_cost(const std::string& text, const std::string& where) {
  double unit = 1;
  std::string number = text;
  for (const auto& [letter, seconds] : {std::pair('s', 1.0), {'m', 60.0}, {'h', 3600.0}, {'d', 86400.0}}) {
    if (!text.ends_with(letter)) continue;
    unit = seconds;
    number.pop_back();
  }
  const auto value = read_number<double>(number, 1e-9, kMostCost / unit);
  if (!value) {
    throw UserError(fmt::format("{} {}: expected core-seconds above 0 and at most 1e15, such as 600, 10m, 2h or 1d",
                                where, in_quotes(text)));
  }
  return *value * unit;
}

std::vector<double> multiply_adds_of(const Config& config) {
  const NetworkSignature signature = signature_of(config);
  std::vector<double> all;
  for (const AnyGame& any : games_of(config)) {
    const int area = std::visit([&](const auto& game) { return game.encoding(config.features).area(); }, any);
    all.push_back(static_cast<double>(multiply_adds(config.network, signature, area)));
  }
  return all;
}

Work work_of(const Config& config, std::span<const SelfplayFigures> boards, double samples) {
  const std::vector<double> products = multiply_adds_of(config);
  Work work;
  double positions = 0;
  double weighted = 0;
  for (std::size_t board = 0; board < boards.size(); ++board) {
    const SelfplayFigures& figures = boards[board];
    if (figures.counted != figures.games) {
      throw UserError("its games do not say what work they took: they were played by an older koridor");
    }
    work.evaluated += static_cast<double>(figures.evaluations) * products.at(board);
    work.simulations += static_cast<double>(figures.simulations);
    positions += static_cast<double>(figures.positions);
    weighted += static_cast<double>(figures.positions) * products.at(board);
  }
  if (positions > 0) work.trained = kPassesPerSample * samples * weighted / positions;
  return work;
}

Work RunCost::of_generation(int generation) const {
  const std::filesystem::path path = run_.metrics(generation);
  json metrics;
  try {
    metrics = read_json(path);
  } catch (const UserError& error) {
    return of_games(generation, error);
  }
  std::vector<SelfplayFigures> boards;
  if (config_.run.games.empty()) {
    boards.push_back(counts_of(object_in(metrics, "selfplay")));
  } else {
    const json by_name = object_in(metrics, "boards");
    for (const std::string& name : config_.run.games) {
      boards.push_back(counts_of(object_in(object_in(by_name, name), "selfplay")));
    }
  }
  const double steps = member(metrics, "steps", -1.0);
  const double batch = member(metrics, "batch", -1.0);
  const bool silent = std::ranges::any_of(boards, [](const SelfplayFigures& board) { return board.games == 0; });
  // Without a step there was nothing to learn from: then all its games are damaged.
  if (silent && steps != 0) {
    return of_games(generation, UserError(path.string() + ": it does not say what its games took"));
  }
  try {
    if (steps < 0 || batch < 0) throw UserError("it does not say how many samples were trained on (steps and batch)");
    return work_of(config_, boards, steps * batch);
  } catch (const UserError& error) {
    throw UserError(
        fmt::format("{}: the cost of generation {} is not known: {}", path.string(), generation, error.what()));
  }
}

// The same where the figures are damaged or missing, as `failure` says: the games themselves say what they took, and
// how many samples they gave.
Work RunCost::of_games(int generation, const UserError& failure) const {
  const auto unknown = [&](const std::string& why) {
    return UserError(
        fmt::format("{}; the cost of generation {} is not known without it: {}", failure.what(), generation, why));
  };
  try {
    const GamesOfGeneration games = games_of_generation(run_, config_, generation - 1);
    for (const SelfplayFigures& of_board : games.figures) {
      if (of_board.games == 0) throw UserError("there are no games of it");
    }
    std::uint64_t window = games.samples;
    const auto fills = [&] { return static_cast<double>(window) < config_.training.window_base; };
    for (int before = 0; !config_.training.start_from.empty() && before < generation - 1 && fills(); ++before) {
      window += games_of_generation(run_, config_, before).samples;
    }
    const int steps = steps_of_generation(config_.training, games.samples, window);
    return work_of(config_, games.figures, static_cast<double>(steps) * config_.training.batch);
  } catch (const UserError& error) {
    throw unknown(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw unknown(error.path1().string() + ": " + error.code().message());
  }
}

double RunCost::until(int generation) {
  while (static_cast<int>(until_.size()) <= generation) {
    until_.push_back(until_.back() + cost_of(of_generation(static_cast<int>(until_.size()))));
  }
  return until_[static_cast<std::size_t>(generation)];
}

}  // namespace koridor
