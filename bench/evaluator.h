// How fast are the evaluators, and how near to the bare convolutions below them?
#pragma once

#include <string>
#include <vector>

#include "models/model_file.h"

namespace koridor::bench {

struct EvaluatorTask {
  Model model;
  EncodingShape shape;
  std::string title;  // a line above the table
  std::vector<int> batches = {1, 8, 32, 64};
  int runs = 5;              // the table shows their median
  double run_seconds = 0.1;  // length of one run
};

// Prints a table: every backend and precision this CPU has, one thread, random positions; positions a second, and for
// oneDNN the share of what the bare chain of the trunk's convolutions (convolution_chain.h), measured in turn with it,
// does.
void bench_evaluator(const EvaluatorTask& task);

}  // namespace koridor::bench
