#include "bench/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "bench/convolution_chain.h"
#include "core/random.h"
#include "models/backends.h"
#include "models/onednn.h"

namespace koridor::bench {
namespace {

// Encoded positions of random numbers, and memory for their results.
struct Positions {
  std::vector<float> planes, scalars, policy, value, auxiliary;

  Positions(const EncodingShape& shape, int count) {
    const auto sized = [&](int each) { return std::vector<float>(static_cast<std::size_t>(count * each)); };
    planes = sized(shape.plane_floats());
    scalars = sized(shape.scalars);
    policy = sized(shape.policy_size());
    value = sized(shape.value_size());
    auxiliary = sized(shape.players);
    Random random(1);
    for (float& entry : planes) entry = static_cast<float>(random.below(2));
    for (float& entry : scalars) entry = static_cast<float>(random.uniform());
  }
};

// Calls of `call` a second.
template <class Call>
double rate(double seconds, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  long calls = 0;
  double elapsed = 0.0;
  do {
    call();
    ++calls;
    elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (elapsed < seconds);
  return static_cast<double>(calls) / elapsed;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

struct Row {
  double evaluator = 0.0;  // positions a second
  std::optional<double> chain;
};

Row measure(const EvaluatorTask& task, Evaluator& evaluator, int batch, std::optional<Precision> bare_chain) {
  Positions positions(task.shape, batch);
  const auto evaluate = [&] {
    evaluator.evaluate({batch, positions.planes, positions.scalars, {}},
                       {positions.policy, positions.value, positions.auxiliary});
  };
  std::unique_ptr<ConvolutionChain> chain;
  if (bare_chain) {
    chain = std::make_unique<ConvolutionChain>(task.shape, task.model.info.network, *bare_chain, batch);
  }
  evaluate();
  std::vector<double> evaluations, chains;
  for (int run = 0; run < task.runs; ++run) {
    evaluations.push_back(batch * rate(task.run_seconds, evaluate));
    if (chain) chains.push_back(batch * rate(task.run_seconds, [&] { chain->run(); }));
  }
  Row row{median(evaluations), std::nullopt};
  if (chain) row.chain = median(chains);
  return row;
}

}  // namespace

void bench_evaluator(const EvaluatorTask& task) {
  struct Kind {
    EvaluatorOptions options;
    std::optional<Precision> bare_chain;
  };
  const int most = *std::ranges::max_element(task.batches);
  std::vector<Kind> kinds = {{{Backend::uniform, Precision::f32, most}, std::nullopt},
                             {{Backend::eigen, Precision::f32, most}, std::nullopt},
                             {{Backend::onednn, Precision::f32, most}, Precision::f32}};
  if (onednn_has_bf16()) {
    kinds.push_back({{Backend::onednn, Precision::bf16, most}, Precision::bf16});
  }
  if (onednn_has_int8()) kinds.push_back({{Backend::onednn, Precision::int8, most}, Precision::int8});

  const NetworkConfig& network = task.model.info.network;
  fmt::print("evaluator: {}, {} blocks x {} channels, board {}x{}, one thread, median of {} runs\n", task.title,
             network.blocks, network.channels, task.shape.columns, task.shape.rows, task.runs);
  fmt::print("{:32} {:>6} {:>14} {:>14} {:>8}\n", "", "batch", "positions/s", "bare trunk/s", "share");
  for (const Kind& kind : kinds) {
    const auto evaluator = make_evaluator(task.model, task.shape, kind.options, task.title);
    for (const int batch : task.batches) {
      const Row row = measure(task, *evaluator, batch, kind.bare_chain);
      fmt::print("{:32} {:>6} {:>14.0f}", evaluator->describe(), batch, row.evaluator);
      if (row.chain) fmt::print(" {:>14.0f} {:>7.0f}%", *row.chain, 100.0 * row.evaluator / *row.chain);
      fmt::print("\n");
    }
  }
}

}  // namespace koridor::bench
