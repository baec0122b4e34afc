#include "train/run/open_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/damage.h"
#include "core/base/error.h"
#include "models/network/model_file.h"
#include "selfplay/generator/lease_files.h"
#include "train/run/run_clock.h"
#include "train/run/run_config.h"
#include "train/run/run_identity.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// Keeps the configuration: keys that may change between stops take their new values. Returns a note or "".
std::string keep_configuration(const RunDirectory& run, const Config& config) {
  FoundConfig kept = find_run_config(run, config);
  require_goes_on(run, kept.config, config);
  save_run_config(run, config);
  return std::move(kept.note);
}

double saved_seconds(const RunDirectory& run, std::vector<std::string>& notes) {
  double seconds = 0.0;
  const auto damage = damage_of([&] { seconds = RunClock::saved_seconds(run); });
  if (damage) notes.push_back(fmt::format("{}; the run's clock begins at 0", *damage));
  std::error_code ignored;
  const fs::path clock = run.status("loop");
  if (run.models() > 1 && !fs::exists(clock, ignored)) {
    notes.push_back(fmt::format("{} is missing; the run's clock begins at 0", clock.string()));
  }
  return seconds;
}

// The trainer exports the newest model again from its checkpoint where it is missing. Returns a note or "".
std::string move_damaged_model_aside(const RunDirectory& run) {
  const int models = run.models();
  if (models == 0) return "";
  const fs::path path = run.model(models - 1);
  const auto damage = damage_of([&] { load_model(path.string()); });
  if (!damage) return "";
  fs::rename(path, path.string() + ".damaged");
  return fmt::format("{}; moved aside, to be exported again", *damage);
}

// The games that the trainer is to learn next are looked through by a worker, which plays again what is damaged or
// missing: without `complete` they are not taken as whole.
void have_games_looked_through(const RunDirectory& run, const Config& config) {
  std::error_code ignored;
  // Where the loop runs at once, games of later generations may be complete as well, also without those before.
  for (int generation = std::max(0, run.models() - 1); fs::exists(run.shards(generation), ignored); ++generation) {
    for (int game = 0; game < static_cast<int>(games_of(config).size()); ++game) {
      fs::remove(run.complete(generation, game), ignored);
    }
  }
}

// A worker that died between a generation's end and the tidying up leaves files that nobody else removes. Older
// generations were seen by earlier starts.
void remove_remains_of_games(const RunDirectory& run, const Config& config) {
  constexpr int kGenerations = 16;
  const int newest = run.models() - 1;
  std::error_code ignored;
  for (int generation = std::max(0, newest - kGenerations); generation < newest; ++generation) {
    for (int game = 0; game < static_cast<int>(games_of(config).size()); ++game) {
      const fs::path shards = run.shards(generation, game);
      if (fs::exists(run.complete(generation, game), ignored) && fs::exists(shards / "work", ignored)) {
        remove_remains(shards);
      }
    }
  }
}

}  // namespace

OpenedRun open_run(const RunDirectory& run, const Config& config) {
  OpenedRun opened;
  const auto tell = [&](std::string note) {
    if (!note.empty()) opened.notes.push_back(std::move(note));
  };
  tell(keep_configuration(run, config));
  run.remove_stale_temporaries();
  remove_remains_of_games(run, config);
  opened.seconds = saved_seconds(run, opened.notes);
  tell(move_damaged_model_aside(run));
  have_games_looked_through(run, config);
  return opened;
}

}  // namespace koridor
