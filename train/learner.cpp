#include "train/learner.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "core/error.h"
#include "train/losses.h"
#include "train/net.h"

namespace koridor {
namespace {

// A tensor over the batch's own memory; the batch outlives it.
torch::Tensor tensor_of(const std::vector<float>& values, std::initializer_list<std::int64_t> shape) {
  return torch::from_blob(const_cast<float*>(values.data()), at::IntArrayRef(shape), torch::kFloat);
}

struct Inputs {
  torch::Tensor planes, scalars;
};

Inputs inputs_of(const TrainingBatch& batch) {
  const EncodingShape& shape = batch.shape;
  return {tensor_of(batch.planes, {batch.size, shape.planes, shape.rows, shape.columns})
              .contiguous(at::MemoryFormat::ChannelsLast),
          tensor_of(batch.scalars, {batch.size, shape.scalars})};
}

Targets targets_of(const TrainingBatch& batch) {
  const EncodingShape& shape = batch.shape;
  return {tensor_of(batch.policy, {batch.size, shape.policy_size()}),
          tensor_of(batch.legal, {batch.size, shape.policy_size()}),
          tensor_of(batch.value, {batch.size, shape.value_size()}),
          tensor_of(batch.auxiliary, {batch.size, shape.players})};
}

// Below this, bf16 would be emulated.
bool cpu_has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void copy_to(std::span<float> out, const std::vector<float>& values) {
  std::ranges::copy(values, out.begin());
}

void append(std::vector<float>& out, const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.contiguous();
  out.insert(out.end(), values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
}

}  // namespace

struct Learner::Impl {
  Impl(const NetworkConfig& network_, const NetworkSignature& signature_, const TrainingConfig& training_,
       std::uint64_t seed)
      : network(network_), signature(signature_), training(training_), net(network_, signature_) {
    set_weights(random_weights(net.layout(), seed));
  }

  void set_weights(const Weights& weights) {
    copy_to(net.parameters_buffer(), weights.parameters);
    copy_to(net.statistics_buffer(), weights.statistics);
    average_statistics = weights.statistics;
    optimizer.emplace(training, net.parameters_buffer(), net.layout().decayed_count);
  }

  Losses pass(const Inputs& inputs, const Targets& targets, Arithmetic how) {
    net.train();
    NetOutput output;
    {
      const Bf16Scope scope(how == Arithmetic::bf16);
      output = net.forward(inputs.planes, inputs.scalars);
    }
    Losses losses = compute_losses(output, targets, training.value_weight, training.auxiliary_weight);
    losses.total.backward();
    return losses;
  }

  // Seconds of a pass; the network is left as it was but for its gradients, which are zero.
  double time_pass(const Inputs& inputs, const Targets& targets, Arithmetic how, int passes) {
    const std::span<float> running = net.statistics_buffer();
    const std::vector<float> statistics(running.begin(), running.end());
    pass(inputs, targets, how);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < passes; ++i) pass(inputs, targets, how);
    const double seconds = seconds_since(start) / passes;
    copy_to(running, statistics);
    std::ranges::fill(net.gradients_buffer(), 0.0f);
    return seconds;
  }

  void choose_arithmetic(const Inputs& inputs, const Targets& targets) {
    arithmetic = Arithmetic::f32;
    arithmetic_chosen = true;
    if (!training.bf16 || !cpu_has_bf16()) return;
    // The smaller of two rounds: other load only ever adds.
    double f32 = INFINITY;
    double bf16 = INFINITY;
    for (int round = 0; round < 2; ++round) {
      f32 = std::min(f32, time_pass(inputs, targets, Arithmetic::f32, 3));
      bf16 = std::min(bf16, time_pass(inputs, targets, Arithmetic::bf16, 3));
    }
    if (bf16 < f32) arithmetic = Arithmetic::bf16;
  }

  NetworkConfig network;
  NetworkSignature signature;
  TrainingConfig training;
  Net net;
  std::optional<Optimizer> optimizer;
  std::vector<float> average_statistics;
  Arithmetic arithmetic = Arithmetic::f32;
  bool arithmetic_chosen = false;
  bool needs_calibration = false;
};

Learner::Learner(const NetworkConfig& network, const NetworkSignature& signature, const TrainingConfig& training,
                 std::uint64_t seed)
    : impl_(std::make_unique<Impl>(network, signature, training, seed)) {}
Learner::~Learner() = default;

void Learner::start_from(const Model& model, const std::string& where) {
  if (!(model.info.network == impl_->network)) {
    throw UserError(where + ": a network of another size than the configuration's [network]");
  }
  if (!(model.info.signature == impl_->signature)) {
    throw UserError(where + ": a network with other inputs or outputs than this game and these features have");
  }
  impl_->set_weights(import_model(impl_->net.layout(), model));
  impl_->needs_calibration = true;
}

StepResult Learner::step(const TrainingBatch& batch, double learning_rate) {
  const Inputs inputs = inputs_of(batch);
  const Targets targets = targets_of(batch);
  if (impl_->needs_calibration) {
    impl_->net.calibrate(inputs.planes, inputs.scalars);
    const std::span<float> statistics = impl_->net.statistics_buffer();
    impl_->set_weights({{impl_->net.parameters_buffer().begin(), impl_->net.parameters_buffer().end()},
                        {statistics.begin(), statistics.end()}});
    impl_->needs_calibration = false;
  }
  if (!impl_->arithmetic_chosen) impl_->choose_arithmetic(inputs, targets);

  const Losses losses = impl_->pass(inputs, targets, impl_->arithmetic);
  StepResult result;
  result.loss = losses.total.item<float>();
  result.policy = losses.policy.item<float>();
  result.value = losses.value.item<float>();
  result.auxiliary = losses.auxiliary.item<float>();
  result.gradient_norm = static_cast<float>(
      impl_->optimizer->step(impl_->net.parameters_buffer(), impl_->net.gradients_buffer(), learning_rate));
  if (std::isfinite(result.gradient_norm)) {
    move_average(impl_->average_statistics, impl_->net.statistics_buffer(), impl_->optimizer->average_decay());
  }
  return result;
}

Model Learner::exported(const ModelInfo& info) const {
  ModelInfo full = info;
  full.network = impl_->network;
  full.signature = impl_->signature;
  return export_model(impl_->net.layout(), {impl_->optimizer->state().average, impl_->average_statistics}, full);
}

void Learner::predict(const TrainingBatch& batch, bool average, std::vector<float>& policy, std::vector<float>& value,
                      std::vector<float>& auxiliary) {
  const torch::NoGradGuard no_grad;
  const LearnerState before = state();
  if (average) {
    copy_to(impl_->net.parameters_buffer(), before.optimizer.average);
    copy_to(impl_->net.statistics_buffer(), before.average_statistics);
  }
  impl_->net.eval();
  const Inputs inputs = inputs_of(batch);
  const NetOutput output = impl_->net.forward(inputs.planes, inputs.scalars);
  append(policy, output.policy);
  append(value, output.value.softmax(1));
  append(auxiliary, output.auxiliary.sigmoid());
  copy_to(impl_->net.parameters_buffer(), before.weights.parameters);
  copy_to(impl_->net.statistics_buffer(), before.weights.statistics);
}

LearnerState Learner::state() const {
  const std::span<float> parameters = impl_->net.parameters_buffer();
  const std::span<float> statistics = impl_->net.statistics_buffer();
  LearnerState state;
  state.weights = {{parameters.begin(), parameters.end()}, {statistics.begin(), statistics.end()}};
  state.average_statistics = impl_->average_statistics;
  state.optimizer = impl_->optimizer->state();
  state.arithmetic = impl_->arithmetic;
  state.arithmetic_chosen = impl_->arithmetic_chosen;
  state.needs_calibration = impl_->needs_calibration;
  return state;
}

void Learner::restore(const LearnerState& state, const std::string& where) {
  const ParameterLayout& layout = impl_->net.layout();
  const OptimizerState& now = impl_->optimizer->state();
  if (state.weights.parameters.size() != layout.parameter_count ||
      state.weights.statistics.size() != layout.statistic_count ||
      state.average_statistics.size() != layout.statistic_count || state.optimizer.first.size() != now.first.size() ||
      state.optimizer.second.size() != now.second.size() || state.optimizer.average.size() != now.average.size()) {
    throw UserError(where + ": a checkpoint of another network or optimizer");
  }
  impl_->set_weights(state.weights);
  impl_->average_statistics = state.average_statistics;
  impl_->optimizer->restore(state.optimizer);
  impl_->arithmetic = state.arithmetic;
  impl_->arithmetic_chosen = state.arithmetic_chosen;
  impl_->needs_calibration = state.needs_calibration;
}

Arithmetic Learner::arithmetic() const {
  return impl_->arithmetic;
}
std::int64_t Learner::steps() const {
  return impl_->optimizer->state().steps;
}

double Learner::time_bare_pass(const TrainingBatch& batch, int passes) {
  const Inputs inputs = inputs_of(batch);
  const Targets targets = targets_of(batch);
  if (!impl_->arithmetic_chosen) impl_->choose_arithmetic(inputs, targets);
  return impl_->time_pass(inputs, targets, impl_->arithmetic, passes);
}

void set_learner_threads(int threads) {
  at::set_num_threads(threads);
}

}  // namespace koridor
