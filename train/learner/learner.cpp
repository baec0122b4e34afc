#include "train/learner/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/cpu_features.h"
#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "train/learner/device_trainer.h"
#include "train/learner/losses.h"
#include "train/learner/net.h"
#include "train/learner/thread_group.h"

namespace koridor {
namespace {

// Rows [begin, begin + size) of a batch.
struct Part {
  const TrainingBatch& batch;
  int begin;
  int size;
};

// A tensor over the batch's own memory, which outlives it. `shape` is that of one row.
torch::Tensor tensor_of(const std::vector<float>& values, const Part& part, std::vector<std::int64_t> shape) {
  std::int64_t row = 1;
  for (std::int64_t extent : shape) row *= extent;
  shape.insert(shape.begin(), part.size);
  return torch::from_blob(const_cast<float*>(values.data()) + part.begin * row, shape, torch::kFloat);
}

struct Inputs {
  torch::Tensor planes, scalars;
};

Inputs inputs_of(const Part& part) {
  const TrainingBatch& batch = part.batch;
  const EncodingShape& shape = batch.shape;
  return {tensor_of(batch.planes, part, {shape.planes, shape.rows, shape.columns})
              .contiguous(at::MemoryFormat::ChannelsLast),
          tensor_of(batch.scalars, part, {shape.scalars})};
}

Truths truths_of(const Part& part) {
  const TrainingBatch& batch = part.batch;
  Truths truths{tensor_of(batch.legal, part, {batch.shape.policy_size()}), {}, batch.policy_share};
  for (const TargetRows& target : batch.targets) {
    truths.targets.push_back(tensor_of(target.rows, part, {head_size(target.head, batch.shape)}));
  }
  return truths;
}

// Below this, bf16 would be emulated.
bool cpu_has_bf16() {
  return machine_has(CpuFeature::avx512_bf16);
}

void copy_to(std::span<float> out, const std::vector<float>& values) {
  std::ranges::copy(values, out.begin());
}

void add_to(std::span<float> out, std::span<const float> values) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += values[i];
}

std::vector<float> values_of(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

// A head's numbers from its logits, [batch, head_size()].
torch::Tensor activated(const Head& head, const torch::Tensor& logits) {
  if (head.activation == Activation::sigmoid) return logits.sigmoid();
  return logits.view({logits.size(0), head.count, -1}).softmax(2).flatten(1);
}

// The output for a batch from those for its parts.
NetOutput joined(const std::vector<NetOutput>& parts) {
  NetOutput whole;
  for (std::size_t head = 0; head < parts.front().heads.size(); ++head) {
    std::vector<torch::Tensor> rows;
    for (const NetOutput& part : parts) rows.push_back(part.heads[head]);
    whole.heads.push_back(at::cat(rows));
  }
  return whole;
}

void add_to(StepResult& sum, const StepResult& part) {
  sum.loss += part.loss;
  add_to(sum.each, part.each);
  sum.quality.add(part.quality);
}

// The parts of its batch that this process trains; throws UserError where the batch cannot be shared by all of them.
int parts_here(const TrainingConfig& training, int ranks, int threads) {
  if (training.parts > training.batch) {
    throw UserError(
        fmt::format("training.parts ({}) is above training.batch ({}), the positions of a step; give at most as many "
                    "parts as positions",
                    training.parts, training.batch));
  }
  if (training.batch < ranks) {
    throw UserError(fmt::format("training.batch: {} trainers cannot share {} positions", ranks, training.batch));
  }
  if (training.parts % ranks != 0) {
    throw UserError(
        fmt::format("training.parts: {} trainers cannot share {} parts; a multiple of {}, or 0, can be shared", ranks,
                    training.parts, ranks));
  }
  return training.parts > 0 ? training.parts / ranks
                            : std::clamp(training.batch / ranks / kLeastPart, 1, std::max(1, threads));
}

NetworkTraining in_one_part(NetworkTraining task) {
  task.training.parts = 0;
  return task;
}

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

StepResult result_of(const Losses& losses, float share, const PredictionQuality& quality, int board) {
  StepResult result{.loss = losses.total.item<float>() * share, .quality = quality, .board = board};
  for (const torch::Tensor& loss : losses.each) result.each.push_back(loss.item<float>() * share);
  return result;
}

}  // namespace

struct Learner::Impl {
  Impl(const NetworkTraining& task, int threads, Ranks* ranks_)
      : network(task.network),
        signature(task.signature),
        training(task.training),
        ranks(ranks_),
        objectives(objectives_of(training.weights, signature.heads)),
        net(network, signature),
        parts(parts_here(training, ranks == nullptr ? 1 : ranks->size(), threads)),
        group(std::clamp(threads, 1, parts)) {
    for (int i = 1; i < parts; ++i) replicas.push_back(std::make_unique<Net>(network, signature, net));
    // Threads that are left over work inside operations, unless their number must not matter: it changes the order in
    // which an operation adds.
    const int inner = training.parts > 0 ? 1 : std::max(1, threads / group.size());
    group.run([inner](int) { at::set_num_threads(inner); });
  }
  // Trains on a GPU, a batch as one part; only the layout of `net` is used.
  Impl(const NetworkTraining& task, torch::Device device_, Ranks* ranks_) : Impl(in_one_part(task), 1, ranks_) {
    arithmetic = training.bf16 ? Arithmetic::bf16 : Arithmetic::f32;
    arithmetic_chosen = true;
    device = device_;
    on_device = std::make_unique<DeviceTrainer>(task, device, arithmetic, ranks);
  }

  Net& net_of(int part) { return part == 0 ? net : *replicas[static_cast<std::size_t>(part) - 1]; }

  void set_weights(const Weights& weights) {
    if (on_device) return on_device->set_weights(weights);
    copy_to(net.parameters_buffer(), weights.parameters);
    set_statistics(weights.statistics);
    average_statistics = weights.statistics;
    optimizer.emplace(training, net.parameters_buffer(), net.layout().decayed_count, hidden_matrices(net.layout()));
  }

  void set_statistics(const std::vector<float>& statistics) {
    for (int part = 0; part < parts; ++part) copy_to(net_of(part).statistics_buffer(), statistics);
  }

  int parts_of(const TrainingBatch& batch) const {
    return std::clamp(training.parts > 0 ? batch.size : batch.size / kLeastPart, 1, parts);
  }

  // Calls work(number, part) for each of the batch's parts, on all threads at once.
  template <class Work>
  void for_each_part(const TrainingBatch& batch, Work&& work) {
    const int used = parts_of(batch);
    std::atomic<int> next = 0;
    group.run([&](int) {
      for (int number = next++; number < used; number = next++) {
        const int begin = batch.size * number / used;
        work(number, Part{batch, begin, batch.size * (number + 1) / used - begin});
      }
    });
  }

  // Forward and backward pass of the batch. Adds up the gradients in `net`'s buffer; its statistics become the mean of
  // the parts'. Every sum is in the order of the parts, whichever thread was first.
  StepResult pass(const TrainingBatch& batch, Arithmetic how) {
    const int used = parts_of(batch);
    std::vector<StepResult> results(used);
    for_each_part(batch, [&](int number, const Part& part) { results[number] = pass_part(net_of(number), part, how); });
    add_up_gradients(used);
    average_statistics_of(used);
    for (int part = 1; part < used; ++part) add_to(results[0], results[part]);
    return results[0];
  }

  // Adds the gradients of the used parts to the first one's and clears the others. Each thread adds a stretch of them.
  void add_up_gradients(int used) {
    if (used == 1) return;
    const std::span<float> sum = net.gradients_buffer();
    group.run([&](int thread) {
      const std::size_t begin = sum.size() * thread / group.size();
      const std::size_t count = sum.size() * (thread + 1) / group.size() - begin;
      for (int part = 1; part < used; ++part) {
        const std::span<float> gradients = net_of(part).gradients_buffer().subspan(begin, count);
        add_to(sum.subspan(begin, count), gradients);
        std::ranges::fill(gradients, 0.0f);
      }
    });
  }

  void average_statistics_of(int used) {
    const std::span<float> statistics = net.statistics_buffer();
    for (int part = 1; part < used; ++part) add_to(statistics, net_of(part).statistics_buffer());
    for (float& value : statistics) value /= static_cast<float>(used);
    for (int part = 1; part < parts; ++part) {
      std::ranges::copy(statistics, net_of(part).statistics_buffer().begin());
    }
  }

  // Adds up the passes of all processes: gradients, statistics (their mean), and the numbers of the step.
  void add_up_ranks(StepResult& result) {
    const std::span<float> gradients = net.gradients_buffer();
    const std::span<float> statistics = net.statistics_buffer();
    std::vector<float> sums(gradients.begin(), gradients.end());
    sums.insert(sums.end(), statistics.begin(), statistics.end());
    result.for_each_sum([&](auto& number) { sums.push_back(static_cast<float>(number)); });
    ranks->add_up(sums);
    const float* next = sums.data();
    for (float& gradient : gradients) gradient = *next++;
    for (float& value : statistics) value = *next++ / static_cast<float>(ranks->size());
    result.for_each_sum([&](auto& number) { number = *next++; });
  }

  // One part's share of the losses and gradients.
  StepResult pass_part(Net& part_net, const Part& part, Arithmetic how) {
    const Inputs inputs = inputs_of(part);
    part_net.train();
    NetOutput output;
    {
      const Bf16Scope scope(how == Arithmetic::bf16);
      output = part_net.forward(inputs.planes, inputs.scalars);
    }
    const Truths truths = truths_of(part);
    const Losses losses = compute_losses(output, truths, objectives);
    const float share = static_cast<float>(part.size) / static_cast<float>(part.batch.whole);
    (losses.total * share).backward();
    return result_of(losses, share, quality_of(output, truths), part.batch.board);
  }

  // The pass of every process on its part of the batch, added up.
  StepResult pass_of_all(const TrainingBatch& batch) {
    if (ranks == nullptr) return pass(batch, arithmetic);
    const std::span<float> running = net.statistics_buffer();
    const std::vector<float> statistics(running.begin(), running.end());
    try {
      StepResult result = pass(batch, arithmetic);
      add_up_ranks(result);
      set_statistics({running.begin(), running.end()});
      return result;
    } catch (...) {
      set_statistics(statistics);
      std::ranges::fill(net.gradients_buffer(), 0.0f);
      throw;
    }
  }

  // What follows the first batch of a network that has its weights from a model file.
  void begin_with(const TrainingBatch& batch) {
    fit_statistics(batch);
    on_device ? on_device->settle_average() : optimizer->settle_average();
  }

  // Fits the statistics to the batch. Every process takes those that the first has found.
  void fit_statistics(const TrainingBatch& batch) {
    if (on_device) {
      on_device->fit_statistics(batch);
    } else {
      const Inputs inputs = inputs_of({batch, 0, batch.size});
      net.fit_statistics(inputs.planes, inputs.scalars);
      set_weights(weights());
    }
    if (ranks == nullptr) return;
    Weights first = weights();
    for (std::vector<float>* values : {&first.parameters, &first.statistics}) {
      if (!ranks->is_first()) std::ranges::fill(*values, 0.0f);
      ranks->add_up(*values);
    }
    set_weights(first);
  }

  Weights weights() {
    if (on_device) return on_device->weights();
    const std::span<float> parameters = net.parameters_buffer();
    const std::span<float> statistics = net.statistics_buffer();
    return {{parameters.begin(), parameters.end()}, {statistics.begin(), statistics.end()}};
  }

  // Seconds per pass; the network does not change.
  double time_pass(const TrainingBatch& batch, Arithmetic how, int passes) {
    const std::span<float> running = net.statistics_buffer();
    const std::vector<float> statistics(running.begin(), running.end());
    pass(batch, how);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < passes; ++i) pass(batch, how);
    const double seconds = seconds_since(start) / passes;
    set_statistics(statistics);
    std::ranges::fill(net.gradients_buffer(), 0.0f);
    return seconds;
  }

  // The faster arithmetic here.
  Arithmetic faster_arithmetic(const TrainingBatch& batch) {
    if (!training.bf16 || !cpu_has_bf16()) return Arithmetic::f32;
    // The smallest of three rounds, since other load only adds time.
    double f32 = INFINITY;
    double bf16 = INFINITY;
    for (int round = 0; round < 3; ++round) {
      f32 = std::min(f32, time_pass(batch, Arithmetic::f32, 2));
      bf16 = std::min(bf16, time_pass(batch, Arithmetic::bf16, 2));
    }
    return bf16 < f32 ? Arithmetic::bf16 : Arithmetic::f32;
  }

  // bf16 where it is the faster for each process. Their CPUs may need times of their own to find out.
  void choose_arithmetic(const TrainingBatch& batch) {
    if (ranks == nullptr) {
      arithmetic = faster_arithmetic(batch);
    } else {
      Arithmetic own = Arithmetic::f32;
      ranks->side_by_side([&] { own = faster_arithmetic(batch); });
      arithmetic = ranks->any(own == Arithmetic::f32) ? Arithmetic::f32 : own;
    }
    arithmetic_chosen = true;
  }

  NetOutput predict(const TrainingBatch& batch, bool average) {
    const std::span<float> running = net.statistics_buffer();
    const std::vector<float> parameters(net.parameters_buffer().begin(), net.parameters_buffer().end());
    const std::vector<float> statistics(running.begin(), running.end());
    if (average) {
      copy_to(net.parameters_buffer(), optimizer->state().average);
      set_statistics(average_statistics);
    }
    std::vector<NetOutput> outputs(parts_of(batch));
    for_each_part(batch, [&](int number, const Part& part) {
      const torch::NoGradGuard no_grad;  // counts for this thread alone
      Net& part_net = net_of(number);
      part_net.eval();
      const Inputs inputs = inputs_of(part);
      outputs[number] = part_net.forward(inputs.planes, inputs.scalars);
    });
    copy_to(net.parameters_buffer(), parameters);
    set_statistics(statistics);
    return joined(outputs);
  }

  NetworkConfig network;
  NetworkSignature signature;
  TrainingConfig training;
  torch::Device device = torch::kCPU;
  Ranks* ranks;  // null: this process trains alone
  std::vector<Objective> objectives;
  Net net;
  int parts;                                   // of a batch
  std::vector<std::unique_ptr<Net>> replicas;  // of `net`, for the parts 1, 2, ... of a batch
  ThreadGroup group;
  std::unique_ptr<DeviceTrainer> on_device;  // null: training is on the CPU
  std::optional<Optimizer> optimizer;
  std::vector<float> average_statistics;
  Arithmetic arithmetic = Arithmetic::f32;
  bool arithmetic_chosen = false;
  bool needs_fitting = false;
};

Learner::Learner(const NetworkTraining& task, std::uint64_t seed, int threads, Ranks* ranks) {
  const torch::Device device = training_device(task.training.device, ranks == nullptr ? 0 : ranks->place().local);
  impl_ = device.is_cpu() ? std::make_unique<Impl>(task, threads, ranks) : std::make_unique<Impl>(task, device, ranks);
  impl_->set_weights(random_weights(impl_->net.layout(), seed));
}
Learner::~Learner() = default;

void Learner::start_from(const Model& model, const std::string& where) {
  if (!grows_into(model.info.network, impl_->network)) {
    throw UserError(where + ": its network does not grow into the configuration's [network]");
  }
  if (!model.info.signature.same_inputs(impl_->signature)) {
    throw UserError(where + ": a network with other inputs or outputs than this game and these features have");
  }
  for (const Head& head : impl_->signature.heads) {
    const auto there = std::ranges::find(model.info.signature.heads, head.name, &Head::name);
    if (there == model.info.signature.heads.end() || *there == head) continue;
    throw UserError(
        fmt::format("{}: its network's head is {}, and the one to be trained is {}; heads of one name must be alike",
                    where, heads_text({*there}), heads_text({head})));
  }
  impl_->set_weights(import_model(impl_->net.layout(), model, state().weights));
  impl_->needs_fitting = true;
}

std::optional<StepResult> Learner::finish_step() {
  return impl_->on_device ? impl_->on_device->finish_step() : std::nullopt;
}

std::optional<StepResult> Learner::step(const TrainingBatch& batch, double learning_rate) {
  if (!std::ranges::equal(batch.targets, impl_->objectives, {}, &TargetRows::head, &Objective::head)) {
    throw std::invalid_argument("a batch with other targets than the network's heads");
  }
  if (impl_->needs_fitting) {
    impl_->begin_with(batch);  // not done where another process is lost in it
    impl_->needs_fitting = false;
  }
  if (impl_->on_device) return impl_->on_device->step(batch, learning_rate);
  if (!impl_->arithmetic_chosen) impl_->choose_arithmetic(batch);
  Net& net = impl_->net;
  const std::vector<float> statistics(net.statistics_buffer().begin(), net.statistics_buffer().end());
  StepResult result = impl_->pass_of_all(batch);
  result.gradient_norm = static_cast<float>(
      impl_->optimizer->step(net.parameters_buffer(), net.gradients_buffer(), learning_rate, &impl_->group));
  if (std::isfinite(result.gradient_norm)) {
    move_average(impl_->average_statistics, net.statistics_buffer(), impl_->optimizer->average_decay());
  } else {
    impl_->set_statistics(statistics);  // what is no number would stay in them for ever
  }
  return result;
}

Model Learner::exported(const ModelInfo& info) const {
  ModelInfo full = info;
  full.network = impl_->network;
  full.signature = impl_->signature;
  LearnerState now = state();
  return export_model(impl_->net.layout(), {std::move(now.optimizer.average), std::move(now.average_statistics)}, full);
}

std::vector<std::vector<float>> Learner::predict(const TrainingBatch& batch, bool average) {
  const torch::NoGradGuard no_grad;
  const NetOutput output =
      impl_->on_device ? impl_->on_device->predict(batch, average) : impl_->predict(batch, average);
  std::vector<std::vector<float>> numbers{values_of(output.heads[0])};  // the policy's logits
  for (std::size_t i = 1; i < output.heads.size(); ++i) {
    numbers.push_back(values_of(activated(impl_->objectives[i].head, output.heads[i])));
  }
  return numbers;
}

StepResult Learner::measure(const TrainingBatch& batch, bool average) {
  const torch::NoGradGuard no_grad;
  const NetOutput output =
      impl_->on_device ? impl_->on_device->predict(batch, average) : impl_->predict(batch, average);
  const Truths truths = truths_of({batch, 0, batch.size});
  return result_of(compute_losses(output, truths, impl_->objectives), 1.0f, quality_of(output, truths), batch.board);
}

const std::vector<Objective>& Learner::objectives() const {
  return impl_->objectives;
}

LearnerState Learner::state() const {
  LearnerState state;
  if (impl_->on_device) {
    state = impl_->on_device->state();
  } else {
    state.weights = impl_->weights();
    state.average_statistics = impl_->average_statistics;
    state.optimizer = impl_->optimizer->state();
  }
  state.arithmetic = impl_->arithmetic;
  state.arithmetic_chosen = impl_->arithmetic_chosen;
  state.needs_fitting = impl_->needs_fitting;
  return state;
}

void Learner::restore(const LearnerState& state, const std::string& where) {
  const ParameterLayout& layout = impl_->net.layout();
  const bool squares = parse_optimizer(impl_->training.optimizer) != OptimizerKind::sgd;
  if (state.weights.parameters.size() != layout.parameter_count ||
      state.weights.statistics.size() != layout.statistic_count ||
      state.average_statistics.size() != layout.statistic_count ||
      state.optimizer.first.size() != layout.parameter_count ||
      state.optimizer.second.size() != (squares ? layout.parameter_count : 0) ||
      state.optimizer.average.size() != layout.parameter_count) {
    throw ForeignFile(where + ": a checkpoint of another network or optimizer");
  }
  impl_->needs_fitting = state.needs_fitting;
  if (impl_->on_device) return impl_->on_device->restore(state);
  impl_->set_weights(state.weights);
  impl_->average_statistics = state.average_statistics;
  impl_->optimizer->restore(state.optimizer);
  impl_->arithmetic = state.arithmetic;
  impl_->arithmetic_chosen = state.arithmetic_chosen;
}

std::uint64_t Learner::checksum() const {
  const Weights weights = impl_->weights();
  return Checksum(0).add(bytes_of(weights.parameters)).add(bytes_of(weights.statistics)).value();
}

Arithmetic Learner::arithmetic() const {
  return impl_->arithmetic;
}
bool Learner::unsuited_arithmetic() const {
  return !impl_->on_device && impl_->arithmetic == Arithmetic::bf16 && !(impl_->training.bf16 && cpu_has_bf16());
}
void Learner::choose_arithmetic_again() {
  impl_->arithmetic = Arithmetic::f32;
  impl_->arithmetic_chosen = false;
}
std::int64_t Learner::steps() const {
  return impl_->on_device ? impl_->on_device->steps() : impl_->optimizer->state().steps;
}
std::string Learner::device() const {
  return impl_->device.str();
}
int Learner::gpu() const {
  return impl_->device.is_cuda() ? impl_->device.index() : -1;
}

double Learner::time_bare_pass(const TrainingBatch& batch, int passes) {
  if (impl_->on_device) return impl_->on_device->time_bare_pass(batch, passes);
  if (!impl_->arithmetic_chosen) impl_->choose_arithmetic(batch);
  return impl_->time_pass(batch, impl_->arithmetic, passes);
}

}  // namespace koridor
