#include "train/learner/training_report.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "train/learner/training_parts.h"
#include "train/run/loss_report.h"

namespace koridor {

using nlohmann::json;

json figures_of(const StepSummary& summary, const StepFigures& steps, const Learner& learner) {
  json object = {{"gradient_norm", steps.gradient_norm()},
                 {"learning_rate", summary.learning_rate},
                 {"samples_per_second", summary.samples_per_second},
                 {"seconds", summary.seconds},
                 {"skipped_steps", summary.skipped}};
  write_losses(report_of(steps, learner), object);
  return object;
}

void add_games(const std::vector<SelfplayFigures>& games, const std::vector<std::string>& boards,
               const StepSummary& summary, const Learner& learner, json& metrics) {
  SelfplayFigures all;
  for (const SelfplayFigures& of_board : games) all.add(of_board);
  metrics["selfplay"] = to_json(all);
  if (boards.empty()) return;
  for (std::size_t board = 0; board < games.size(); ++board) {
    json& object = metrics["boards"][boards[board]];
    object["selfplay"] = to_json(games[board]);
    if (board >= summary.boards.size() || summary.boards[board].weight() == 0) continue;
    write_losses(report_of(summary.boards[board], learner), object);
    object["steps"] = summary.boards[board].weight();
    object["gradient_norm"] = summary.boards[board].gradient_norm();
  }
}

// It is for people to look at, so training goes on where it cannot be written.
void write_trainer_status(const RunDirectory& run, const json& status) {
  run.require_there();
  const std::filesystem::path path = run.status("trainer");
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  try {
    replace_file(path, sealed_json_text(status));
  } catch (const UserError&) {
  }
}

}  // namespace koridor
