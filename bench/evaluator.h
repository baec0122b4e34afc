// How fast are the evaluators, and how near to the bare convolutions below them?
#pragma once

#include <string>
#include <vector>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::bench {

struct EvaluatorTask {
  AnyGame game;
  Model model;
  std::string title;  // a line above the table
  std::vector<int> batches = {1, 8, 32, 64};
  double run_seconds = 0.1;  // length of one run
};

// Prints a table: every backend and precision this CPU has, one thread, positions of random games. A row has the
// positions a second, encoding included; the share of it that the bare chain of the trunk's convolutions
// (convolution_chain.h), measured in turn with it, would take; and what else there is: encoding, and all that the
// evaluator does besides these convolutions. Times are the thread's own, so that other work disturbs little.
// A model without calibration is calibrated on the positions. Below it, how far each is from the portable backend.
void bench_evaluator(const EvaluatorTask& task);

}  // namespace koridor::bench
