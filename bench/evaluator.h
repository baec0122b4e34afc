// How fast are the evaluators, and how near do they come to their bare convolutions?
#pragma once

#include <string>
#include <vector>

#include "core/base/table.h"
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

// Shows the table "evaluators" of every backend and precision of this CPU, measured with one thread on positions of
// random games. A row has the positions per second, encoding included; the share of the time that the bare chain of the
// trunk's convolutions (convolution_chain.h), measured in turn with it, would take, where the evaluator computes in the
// precision that it was asked for; and what encoding and the rest of the evaluator add, in microseconds per position.
// Times are the thread's own, so that other work disturbs little. A model without calibration is calibrated on other
// positions of random games, in a build with oneDNN. The table "differences" says how far each is from the portable
// backend.
void bench_evaluator(const EvaluatorTask& task, TableWriter& out);

}  // namespace koridor::bench
