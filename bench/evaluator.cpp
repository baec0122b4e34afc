#include "bench/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bench/bench_model.h"
#include "bench/convolution_chain.h"
#include "bench/measure.h"
#include "bench/random_states.h"
#include "models/backends.h"
#include "models/network/check.h"
#include "models/network/precision.h"

namespace koridor::bench {
namespace {

// Positions of random games, encoded one after the other, and memory for their results.
struct Positions {
  std::vector<float> planes, scalars, policy, value, auxiliary;
  std::function<void()> encode;  // encodes all of them again

  template <Game G>
  Positions(const G& game, const Features& features, int count) {
    const EncodingShape shape = game.encoding(features);
    const auto sized = [&](int each) { return std::vector<float>(static_cast<std::size_t>(count * each)); };
    planes = sized(shape.plane_floats());
    scalars = sized(shape.scalars);
    policy = sized(shape.policy_size());
    value = sized(shape.value_size());
    auxiliary = sized(shape.players);
    encode = [this, &game, features, shape, states = random_states(game, static_cast<std::size_t>(count))] {
      for (std::size_t i = 0; i < states.size(); ++i) {
        game.encode(states[i], features, 0, planes.data() + i * static_cast<std::size_t>(shape.plane_floats()),
                    scalars.data() + i * static_cast<std::size_t>(shape.scalars));
      }
    };
    encode();
  }
  Positions(const Positions&) = delete;
  Positions& operator=(const Positions&) = delete;
};

// Median positions per second.
struct Row {
  double whole = 0.0;      // encoding and evaluation
  double evaluator = 0.0;  // evaluation alone
  std::optional<double> chain;
};

// The three are run in turn, so that a change of the machine's speed affects all of them.
Row measure_row(Positions& positions, Evaluator& evaluator, int batch, ConvolutionChain* chain, double seconds) {
  const auto evaluate = [&] {
    evaluator.evaluate({batch, positions.planes, positions.scalars},
                       {positions.policy, positions.value, positions.auxiliary});
    return batch;
  };
  const auto whole = [&] {
    positions.encode();
    return evaluate();
  };
  const auto bare = [&] {
    chain->run();
    return batch;
  };
  std::vector<double> wholes, evaluations, chains;
  for (int run = 0; run < kRuns; ++run) {
    wholes.push_back(measure_once(whole, seconds));
    evaluations.push_back(measure_once(evaluate, seconds));
    if (chain != nullptr) chains.push_back(measure_once(bare, seconds));
  }
  Row row{median(wholes), median(evaluations), std::nullopt};
  if (chain != nullptr) row.chain = median(chains);
  return row;
}

constexpr const char* kReference = "eigen";  // in float32

struct Kind {
  const Backend* backend;
  Precision precision;

  Evaluation evaluation() const { return {.backend = backend->name, .precision = name_of(precision)}; }
  // Whether the bare chain of convolutions is its limit.
  bool has_chain() const { return backend->name == "onednn"; }
};

// The kinds that compute on the calling thread, the least preferred backend first.
std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (auto backend = backends().rbegin(); backend != backends().rend(); ++backend) {
    if (backend->on_this_cpu == nullptr) continue;
    for (const Precision precision : backend->on_this_cpu()) all.push_back({&*backend, precision});
  }
  return all;
}

// A row without a bare chain of convolutions beside it ends after its speed.
Table evaluators_table() {
  using enum ColumnType;
  return {"evaluators",
          {{"evaluator", text, "", "", -32, "{}"},
           {"batch", integer, "", "batch", 6, "{}"},
           {"positions_per_second", number, "1/s", "positions/s", 12, "{:.0f}"},
           {"bare_trunk_per_second", number, "1/s", "bare trunk/s", 13, "{:.0f}"},
           {"share", number, "", "share", 6, "{:.0f}%", 100},
           {"encode_microseconds", number, "us", "encode us", 10, "{:.1f}"},
           {"rest_microseconds", number, "us", "rest us", 10, "{:.1f}"}}};
}

template <Game G>
void bench(const G& game, const EvaluatorTask& task, const Model& model, TableWriter& out) {
  const Features& features = model.info.features;
  const EncodingShape shape = game.encoding(features);
  const NetworkConfig& network = model.info.network;
  out.say(
      fmt::format("{}, board {}x{}, one thread, median of {} runs\n", task.title, shape.columns, shape.rows, kRuns));
  out.begin(evaluators_table());
  for (const Kind& kind : kinds()) {
    const int most = *std::ranges::max_element(task.batches);
    const auto evaluator = make_evaluator(model, shape, kind.evaluation(), most, task.title);
    for (const int batch : task.batches) {
      Positions positions(game, features, batch);
      std::unique_ptr<ConvolutionChain> chain;
      if (kind.has_chain() && computes_in(*evaluator, kind.precision)) {
        chain = make_convolution_chain(shape, network, kind.precision, batch);
      }
      const Row row = measure_row(positions, *evaluator, batch, chain.get(), task.run_seconds);
      std::vector<Cell> cells = {evaluator->describe(), batch, row.whole};
      if (row.chain) {
        cells.insert(cells.end(), {*row.chain, row.whole / *row.chain, 1e6 * (1.0 / row.whole - 1.0 / row.evaluator),
                                   1e6 * (1.0 / row.evaluator - 1.0 / *row.chain)});
      } else {
        cells.resize(7);
      }
      out.row(std::move(cells));
    }
  }
}

// Prints how far every kind is from the portable reference, on positions of random games.
template <Game G>
void compare(const G& game, const EvaluatorTask& task, const Model& model, TableWriter& out) {
  constexpr int kCompared = 128;
  const std::vector<std::string> names = backend_names();
  if (std::ranges::find(names, kReference) == names.end()) return;
  const EncodingShape shape = game.encoding(model.info.features);
  Positions positions(game, model.info.features, kCompared);
  out.say(fmt::format("differences from {} f32:\n", kReference));
  using enum ColumnType;
  out.begin({"differences", {{"evaluator", text}, {"differences", text}}, [](const TableRow& row) {
               return fmt::format("  {}: {}\n", row.text("evaluator"), row.text("differences"));
             }});
  for (const Kind& kind : kinds()) {
    if (!kind.backend->needs_model || kind.backend->name == kReference) continue;
    const auto make = [&](const Evaluation& evaluation) {
      return make_evaluator(model, shape, evaluation, kCompared, task.title);
    };
    auto candidate = make(kind.evaluation());
    const std::string name = candidate->describe();
    const auto check = make_check(make({.backend = kReference, .precision = "f32"}), std::move(candidate));
    check->evaluate({kCompared, positions.planes, positions.scalars}, {positions.policy, positions.value, {}});
    out.row({name, check_differences(*check)->summary()});
  }
}

}  // namespace

void bench_evaluator(const EvaluatorTask& task, TableWriter& out) {
  const Model model = calibrated(task.game, task.model);
  std::visit(
      [&](const auto& game) {
        bench(game, task, model, out);
        compare(game, task, model, out);
      },
      task.game);
}

}  // namespace koridor::bench
