#include "train/learner/training_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "models/backends.h"
#include "models/network/calibration.h"
#include "models/network/guard.h"
#include "models/network/learned_rules.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

ModelInfo model_info(const Config& config, const ModelOrigin& origin) {
  ModelInfo info;
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.encoding_version = known.encoding(config.features).version;
        info.game = known.name();
      },
      games_of(config).front());
  if (config.run.games.size() > 1) {
    for (const AnyGame& game : games_of(config)) info.games.push_back(name_of(game));
  }
  info.features = config.features;
  info.generation = origin.generation;
  info.config_hash = origin.config_hash;
  return info;
}

// Calibrates the model for int8 on positions of the window, which is not empty.
void calibrate_on_window(Model& model, const ReplayWindow& window, std::uint64_t seed) {
  constexpr int kBatches = 4;  // each is of one board
  constexpr int kPositions = 64;
  Random random = Random::for_game(seed, static_cast<std::uint64_t>(model.info.generation), 0);
  TrainingBatch batch;
  for (int i = 0; i < kBatches; ++i) {
    window.sample(kPositions, random, batch);
    calibrate_for_backends(model, batch.shape, {batch.size, batch.planes, batch.scalars});
  }
}

// The first model of a run that starts from another one has that one's weights, and so its activations; where it is
// larger, those of the same positions are measured. Without their ranges the first generation would be played in
// another precision, at half the speed. Nothing but speed depends on it, so that a file that is no longer there is no
// reason to end.
void calibrate_as_the_start(Model& model, const Config& config) {
  if (config.training.start_from.empty()) return;
  try {
    Model start = load_model(config.training.start_from);
    // It is of one board. That of a model without one has no rows, as no board.
    for (const AnyGame& any : games_of(config)) {
      const EncodingShape shape = std::visit([&](const auto& game) { return game.encoding(config.features); }, any);
      if (start.calibration.rows != shape.rows || start.calibration.columns != shape.columns) continue;
      if (start.info.network == model.info.network) {
        model.calibration = std::move(start.calibration);
      } else {
        calibrate_for_backends(model, shape, calibration_positions(start, shape).batch());
        // What the start had measured was more.
        for (std::size_t i = 0; i < std::min(start.calibration.ranges.size(), model.calibration.ranges.size()); ++i) {
          model.calibration.ranges[i] = std::max(model.calibration.ranges[i], start.calibration.ranges[i]);
        }
      }
      return;
    }
  } catch (const UserError& error) {
    warn(fmt::format("training.start_from: {}; the first model is not calibrated", error.what()));
  }
}

// Whether a weight of the model is no number, or what it computes of a position.
bool overflows(const Model& model, const Config& config) {
  const auto is_finite = [](const auto& tensor) {
    return all_within(tensor.second, std::numeric_limits<float>::max());
  };
  if (!std::ranges::all_of(model.tensors, is_finite)) return true;
  try {
    std::visit([&](const auto& game) { require_probabilities(model, game.encoding(config.features), "the network"); },
               games_of(config).front());
  } catch (const OverflowError&) {
    return true;
  }
  return false;
}

}  // namespace

std::string trainer_name = "koridor-trainer";

void warn(const std::string& line) {
  print_message(trainer_name, line);
}

void warn_of_idle_heads(const Config& config) {
  const std::vector<AnyGame> games = games_of(config);
  for (const Objective& objective : objectives_of(config.training.weights, signature_of(config).heads)) {
    if (std::ranges::any_of(games, [&](const AnyGame& game) { return objective.target->learns_from(game); })) continue;
    warn(
        fmt::format("training.{0}_weight = {1}: games of {2} teach this head nothing, and it is computed all the "
                    "same; 0 leaves it out of a new run",
                    objective.head.name, objective.weight, name_of(games.front())));
  }
}

int threads_of(const Config& config, int threads) {
  return thread_count(threads > 0 ? threads : config.run.threads);
}

void start_from_file(Learner& learner, const Config& config, const std::string& path) {
  Model model = load_model(path);
  check_start_model(model.info, config, path);
  std::visit([&](const auto& game) { require_probabilities(model, game.encoding(config.features), path); },
             games_of(config).front());
  fold_learned_rules(model);  // the run's rules may be others
  learner.start_from(model, path);
}

NetworkTraining network_training(const Config& config) {
  return {config.network, signature_of(config), config.training};
}

std::unique_ptr<Learner> new_learner(const Config& config, int threads, Ranks* ranks) {
  auto learner = std::make_unique<Learner>(network_training(config), config.run.seed, threads, ranks);
  if (config.training.start_from.empty()) return learner;
  try {
    start_from_file(*learner, config, config.training.start_from);
  } catch (const UserError& error) {
    throw UserError(fmt::format("training.start_from: {}", error.what()));
  }
  return learner;
}

LossReport report_of(const StepFigures& figures, const Learner& learner) {
  LossReport report;
  const std::vector<double> each = figures.each();
  if (each.empty()) return report;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Objective& objective = learner.objectives()[i];
    report.loss += objective.weight * each[i];
    report.heads.emplace_back(objective.head.name, each[i]);
  }
  const PredictionQuality& quality = figures.quality();
  report.predictions = {.policy_entropy = quality.policy_entropy(),
                        .policy_kl = each[0] - quality.policy_entropy(),
                        .top1 = quality.top1(),
                        .value_brier = quality.value_brier(),
                        .value_calibration_error = quality.value_calibration_error()};
  return report;
}

Model export_for_play(const Learner& learner, const Config& config, const ModelOrigin& origin,
                      const ReplayWindow& window) {
  Model model = learner.exported(model_info(config, origin));
  if (window.positions() > 0) {
    calibrate_on_window(model, window, config.run.seed);
  } else if (origin.generation == 0) {
    calibrate_as_the_start(model, config);
  }
  return model;
}

void require_no_overflow(const Learner& learner, const Config& config, const ModelOrigin& origin) {
  if (!overflows(learner.exported(model_info(config, origin)), config)) return;
  throw UserError(
      fmt::format("the network of generation {} overflows: the training has diverged; begin a new run with "
                  "a lower training.learning_rate or with training.gradient_clip",
                  origin.generation));
}

}  // namespace koridor
