#include "train/run/start_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>

#include "core/base/address_space.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/words.h"
#include "models/backends.h"
#include "models/network/device.h"
#include "models/network/fits.h"
#include "models/network/tensor_file.h"
#include "selfplay/matches/players.h"
#include "train/run/rating_openings.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

void check_baselines(const Config& config) {
  const std::vector<std::string>& baselines = config.rating.baselines;
  for (auto baseline = baselines.begin(); baseline != baselines.end(); ++baseline) {
    if (std::find(baselines.begin(), baseline, *baseline) == baseline) continue;
    throw UserError(fmt::format("rating.baselines: {} is there twice", in_quotes(*baseline)));
  }
  for (const std::string& baseline : baselines) {
    try {
      const MatchPlayer player = load_player(baseline, config.rating.visits, config.match);
      if (!player.model) continue;
      for (const AnyGame& game : games_of(config)) require_fits(player.model->info, game, baseline);
    } catch (const UserError& error) {
      throw UserError(fmt::format("rating.baselines: {}", error.what()));
    }
  }
}

// Lets the trainer make its network where the configuration says and from what it says.
void ask_trainer(const Config& config, const fs::path& trainer, const std::atomic<bool>& stop) {
  const TemporaryPath log("check", ".log");
  Process check({trainer.string(), "--check", "--config", "/dev/stdin"}, log.path(), to_toml(config));
  while (!check.wait_for(std::chrono::milliseconds(100))) {
    if (stop) return;
  }
  if (*check.poll() == 0 || stop) return;
  std::string line = last_line(log.path());
  const std::string prefix = trainer.filename().string() + ": ";
  if (line.starts_with(prefix)) line = line.substr(prefix.size());
  throw UserError(line);
}

}  // namespace

void require_models(const RunDirectory& run) {
  const std::optional<int> missing = run.missing_model();
  if (!missing) return;
  throw UserError(
      fmt::format("{}: this model is missing, though a later generation has one; put it back under this name, or give "
                  "another --run",
                  run.model(*missing).string()));
}

void check_rating(const Config& config) {
  check_baselines(config);
  const RatingConfig& rating = config.rating;
  const int games = rating.gate.empty() ? rating.games : std::max(rating.games, rating.gate_games);
  for (const AnyGame& game : games_of(config)) check_openings(rating, game, games);
}

void check_start_model(const ModelInfo& info, const Config& config, const std::string& path) {
  // The family first: networks of different games differ in all else, too.
  for (const AnyGame& game : games_of(config)) require_fits(info, game, path);
  Config there = config;
  there.features = info.features;
  there.network = obstacles_to_growth(info.network, config.network);
  const std::vector<std::string> other = differences(there, config, [](const Setting&) { return true; });
  if (other.empty()) return;
  fail_model(path, fmt::format("its network does not grow into the configuration's: {}; no number may be smaller here, "
                               "the same blocks must pool, and the inputs must be the same",
                               fmt::join(other, ", ")));
}

std::string start_line(const Config& config) {
  const std::string& path = config.training.start_from;
  Config there = config;
  there.network = load_model(path).info.network;
  const std::vector<std::string> grown = differences(there, config, [](const Setting&) { return true; });
  if (grown.empty()) return fmt::format("It begins with {}.", path);
  return fmt::format("It begins with {}, whose network grows: {}.", path, fmt::join(grown, ", "));
}

void check_self_play(const Config& config) {
  try {
    check_evaluation(config.selfplay.evaluation);
  } catch (const UserError& error) {
    throw UserError(fmt::format("selfplay: {}", error.what()));
  }
}

void check_start(const RunDirectory& run, const Config& config, const fs::path& programs,
                 const std::atomic<bool>& stop) {
  std::error_code error;
  const fs::file_status status = fs::status(run.root(), error);
  if (error && status.type() != fs::file_type::not_found) {
    throw UserError(fmt::format("the run directory {}: {}", run.root().string(), error.message()));
  }
  if (status.type() != fs::file_type::not_found && status.type() != fs::file_type::directory) {
    throw UserError(fmt::format("the run directory {}: it is no folder", run.root().string()));
  }
  require_models(run);
  if (!fs::exists(run.model(0))) check_training(config.training);
  check_rating(config);
  check_self_play(config);
  Device device;
  try {
    device = parse_device(config.training.device);
  } catch (const UserError& wrong) {
    throw UserError(fmt::format("training.device: {}", wrong.what()));
  }
  const bool starts = !config.training.start_from.empty() && !fs::exists(run.model(0));
  if (starts) {
    const std::string& path = config.training.start_from;
    try {
      check_start_model(load_model(path).info, config, path);
    } catch (const UserError& wrong) {
      throw UserError(fmt::format("training.start_from: {}", wrong.what()));
    }
  }
  const fs::path trainer = programs / "koridor-trainer";
  if (::access(trainer.c_str(), X_OK) != 0) {
    throw UserError(
        fmt::format("cannot start {}: {}; build it with cmake --build build", trainer.string(), std::strerror(errno)));
  }
  if (const std::string shortage = libtorch_shortage(); !shortage.empty()) throw UserError(shortage);
  if (starts || device.kind == Device::Kind::cuda) ask_trainer(config, trainer, stop);
}

}  // namespace koridor
