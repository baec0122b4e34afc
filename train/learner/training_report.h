// What a trainer says in its run about its steps: its live status, and the metrics of a generation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/learner/steps.h"
#include "train/run/run_directory.h"
#include "train/run/selfplay_figures.h"

namespace koridor {

// The speed and the figures of these steps, which are of a call of run_steps that has made `summary` so far.
nlohmann::json figures_of(const StepSummary& summary, const StepFigures& steps, const Learner& learner);

// Adds "selfplay", the figures of the games that were trained on, by board, and where `boards` names several
// (run.games) "boards" with the losses and the games of each.
void add_games(const std::vector<SelfplayFigures>& games, const std::vector<std::string>& boards,
               const StepSummary& summary, const Learner& learner, nlohmann::json& metrics);

// Writes live progress to status/trainer.json. Throws UserError where the run's directory has vanished.
void write_trainer_status(const RunDirectory& run, const nlohmann::json& status);

}  // namespace koridor
