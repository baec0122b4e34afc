// What can be known to be wrong with a run before anything of it is written.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "models/network/model_file.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// Throws UserError that names the file where the model of a generation is missing though a later one is there: the
// trainer makes only the newest model again.
void require_models(const RunDirectory& run);

// Throws UserError where a player of rating.baselines cannot be loaded or does not fit a game, or rating.openings is no
// file with as many openings of each game as the matches take.
void check_rating(const Config& config);

// Throws UserError where the model of training.start_from is of other games than the run's, or its network is another
// one that does not grow into the run's; `path` is its file's.
void check_start_model(const ModelInfo& info, const Config& config, const std::string& path);

// A sentence that says what a run or a training with training.start_from begins with, and how its network grows. Throws
// UserError where the file cannot be read.
std::string start_line(const Config& config);

// Throws UserError where the backend of self-play does not have the precision or the kind of device that is asked for.
void check_self_play(const Config& config);

// Throws UserError for all of these, that of training.start_from in a new run, where the learning rate of a new run
// would rise, and where the run's directory has no possible name or lacks one of its models, the trainer is not in the
// folder `programs`, or it says that it cannot train on training.device or, in a new run, start from
// training.start_from. The trainer is started only if one of these two is at stake.
void check_start(const RunDirectory& run, const Config& config, const std::filesystem::path& programs,
                 const std::atomic<bool>& stop);

}  // namespace koridor
