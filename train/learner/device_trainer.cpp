#include "train/learner/device_trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/elapsed.h"
#include "models/network/device.h"

namespace koridor {
namespace {

constexpr auto kPoll = std::chrono::microseconds(20);

}  // namespace

torch::Device training_device(const std::string& name, int local) {
  const auto here = static_cast<int>(torch::cuda::is_available() ? torch::cuda::device_count() : 0);
  const std::vector<int> gpus = gpus_of(parse_device(name), here, "LibTorch");
  if (gpus.empty()) return torch::kCPU;
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(gpus[static_cast<std::size_t>(local) % gpus.size()])};
}

DeviceTrainer::DeviceTrainer(const NetworkTraining& task, torch::Device device, Arithmetic arithmetic, Ranks* ranks)
    : training_(task.training),
      objectives_(objectives_of(task.training.weights, task.signature.heads)),
      device_(device),
      arithmetic_(arithmetic),
      ranks_(ranks),
      net_(task.network, task.signature, device) {
  if (device.is_cuda()) {
    at::globalContext().setBenchmarkCuDNN(true);  // every batch has the same shape
    // f32 is f32; by default cuDNN would replace it by TF32, of 10 binary digits.
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
  }
  for (Flight& flight : flights_) {
    flight.numbers = torch::zeros({2 + static_cast<std::int64_t>(objectives_.size())},
                                  torch::TensorOptions().pinned_memory(device.is_cuda()));
    if (!device.is_cpu()) flight.done.emplace(device.type());
  }
}

void DeviceTrainer::set_weights(const Weights& weights) {
  const torch::NoGradGuard no_grad;
  net_.parameters_tensor().copy_(to_device(weights.parameters, device_));
  net_.statistics_tensor().copy_(to_device(weights.statistics, device_));
  average_statistics_ = net_.statistics_tensor().clone();
  optimizer_.emplace(training_, net_.parameters_tensor(), net_.layout().decayed_count, hidden_matrices(net_.layout()));
  steps_ = 0;
}

void DeviceTrainer::fit_statistics(const TrainingBatch& batch) {
  Flight flight;
  const OnDevice on_device = upload(batch, flight);
  net_.fit_statistics(on_device.planes, on_device.scalars);
  set_weights(weights());
}

torch::Tensor DeviceTrainer::copied(const std::vector<float>& values, std::vector<std::int64_t> shape,
                                    torch::Tensor& host) const {
  if (!host.defined() || host.sizes() != at::IntArrayRef(shape)) {
    host = torch::empty(shape, torch::TensorOptions().pinned_memory(device_.is_cuda()));
  }
  std::copy_n(values.data(), host.numel(), host.data_ptr<float>());
  // A copy even where the device is the CPU: the batch may change before the step is over.
  return host.to(device_, torch::kFloat, true, true);
}

DeviceTrainer::OnDevice DeviceTrainer::upload(const TrainingBatch& batch, Flight& flight) const {
  const EncodingShape& shape = batch.shape;
  flight.host.resize(3 + batch.targets.size());
  OnDevice on_device;
  on_device.planes = copied(batch.planes, {batch.size, shape.planes, shape.rows, shape.columns}, flight.host[0])
                         .contiguous(at::MemoryFormat::ChannelsLast);
  on_device.scalars = copied(batch.scalars, {batch.size, shape.scalars}, flight.host[1]);
  on_device.truths.policy_share = batch.policy_share;
  on_device.truths.legal = copied(batch.legal, {batch.size, shape.policy_size()}, flight.host[2]);
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const auto& [head, rows] = batch.targets[i];
    on_device.truths.targets.push_back(copied(rows, {batch.size, head_size(head, shape)}, flight.host[3 + i]));
  }
  return on_device;
}

Losses DeviceTrainer::pass(const OnDevice& batch, float share, NetOutput* kept) {
  net_.train();
  NetOutput output;
  {
    const Bf16Scope scope(arithmetic_ == Arithmetic::bf16, device_.type());
    output = net_.forward(batch.planes, batch.scalars);
  }
  Losses losses = compute_losses(output, batch.truths, objectives_);
  (share == 1.0f ? losses.total : losses.total * share).backward();
  if (kept != nullptr) *kept = std::move(output);
  return losses;
}

std::optional<StepResult> DeviceTrainer::step(const TrainingBatch& batch, double learning_rate) {
  Flight& flight = flights_[started_ % 2];
  Flight& before = flights_[(started_ + 1) % 2];
  const OnDevice on_device = upload(batch, flight);
  const float share = static_cast<float>(batch.size) / static_cast<float>(batch.whole);
  const torch::Tensor statistics = net_.statistics_tensor().clone();
  NetOutput output;
  torch::Tensor losses;
  {
    const Losses own = pass(on_device, share, &output);
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> numbers{own.total};
    numbers.insert(numbers.end(), own.each.begin(), own.each.end());
    losses = at::stack(numbers);
    if (ranks_ != nullptr) add_up_ranks(losses.mul_(share), statistics);
  }
  const torch::Tensor norm = optimizer_->step(net_.parameters_tensor(), net_.gradients_tensor(), learning_rate,
                                              net_.statistics_tensor(), average_statistics_);
  {
    const torch::NoGradGuard no_grad;
    // What is no number would stay in the statistics for ever.
    net_.statistics_tensor().copy_(at::where(norm.isfinite(), net_.statistics_tensor(), statistics));
    flight.numbers.copy_(at::cat({losses, norm.reshape({1})}), true);
    flight.output.heads.resize(2);  // policy and value
    for (int i = 0; i < 2; ++i) {
      torch::Tensor& host = flight.output.heads[i];
      const torch::Tensor& logits = output.heads[i];
      if (!host.defined() || host.sizes() != logits.sizes()) {
        host = torch::empty(logits.sizes(), torch::TensorOptions().pinned_memory(device_.is_cuda()));
      }
      host.copy_(logits, true);
    }
    flight.board = batch.board;
  }
  if (flight.done) flight.done->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  flight.under_way = true;
  ++steps_;
  ++started_;
  return finish(before);
}

std::optional<StepResult> DeviceTrainer::finish_step() {
  return finish(flights_[(started_ + 1) % 2]);
}

void DeviceTrainer::add_up_ranks(torch::Tensor& losses, const torch::Tensor& statistics_before) {
  const torch::Tensor& gradients = net_.gradients_tensor();
  const torch::Tensor& statistics = net_.statistics_tensor();
  torch::Tensor sums = at::cat({gradients, statistics, losses});
  try {
    ranks_->add_up(sums);
  } catch (...) {
    statistics.copy_(statistics_before);
    gradients.zero_();
    throw;
  }
  const std::int64_t before_losses = gradients.numel() + statistics.numel();
  gradients.copy_(sums.narrow(0, 0, gradients.numel()));
  statistics.copy_(sums.narrow(0, gradients.numel(), statistics.numel()) / ranks_->size());
  losses = sums.narrow(0, before_losses, losses.numel());
}

std::optional<StepResult> DeviceTrainer::finish(Flight& flight) {
  if (!std::exchange(flight.under_way, false)) return std::nullopt;
  while (flight.done && !flight.done->query()) std::this_thread::sleep_for(kPoll);
  if (!std::isfinite(flight.numbers.data_ptr<float>()[1 + objectives_.size()])) --steps_;
  const float* numbers = flight.numbers.data_ptr<float>();
  const float* each = numbers + 1;
  const Truths truths{flight.host[2], {flight.host[3], flight.host[4]}, 1.0f};
  StepResult result{.loss = numbers[0],
                    .gradient_norm = each[objectives_.size()],
                    .each = {each, each + objectives_.size()},
                    .quality = quality_of(flight.output, truths),
                    .board = flight.board};
  if (ranks_ == nullptr) return result;
  std::vector<float> sums;
  result.quality.for_each_sum([&](double& sum) { sums.push_back(static_cast<float>(sum)); });
  try {
    ranks_->add_up(sums);
  } catch (const RankLost&) {
    return result;  // the step under way is made and counts; who next waits for the others says that one is lost
  }
  const float* next = sums.data();
  result.quality.for_each_sum([&](double& sum) { sum = *next++; });
  return result;
}

Weights DeviceTrainer::weights() const {
  return {to_host(net_.parameters_tensor()), to_host(net_.statistics_tensor())};
}

LearnerState DeviceTrainer::state() const {
  LearnerState state;
  state.weights = weights();
  state.average_statistics = to_host(average_statistics_);
  state.optimizer = optimizer_->state();
  return state;
}

void DeviceTrainer::restore(const LearnerState& state) {
  set_weights(state.weights);
  average_statistics_ = to_device(state.average_statistics, device_);
  optimizer_->restore(state.optimizer);
  steps_ = state.optimizer.steps;
}

NetOutput DeviceTrainer::predict(const TrainingBatch& batch, bool average) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor parameters = net_.parameters_tensor().clone();
  const torch::Tensor statistics = net_.statistics_tensor().clone();
  if (average) {
    net_.parameters_tensor().copy_(optimizer_->average());
    net_.statistics_tensor().copy_(average_statistics_);
  }
  net_.eval();
  Flight flight;
  const OnDevice on_device = upload(batch, flight);
  const NetOutput output = net_.forward(on_device.planes, on_device.scalars);
  net_.parameters_tensor().copy_(parameters);
  net_.statistics_tensor().copy_(statistics);
  NetOutput on_host;
  for (const torch::Tensor& logits : output.heads) on_host.heads.push_back(logits.cpu());
  return on_host;
}

double DeviceTrainer::time_bare_pass(const TrainingBatch& batch, int passes) {
  const torch::Tensor statistics = net_.statistics_tensor().clone();
  Flight flight;
  const OnDevice on_device = upload(batch, flight);
  pass(on_device).total.item<float>();  // waits
  const auto start = std::chrono::steady_clock::now();
  torch::Tensor last;
  for (int i = 0; i < passes; ++i) last = pass(on_device).total;
  net_.gradients_tensor().sum().item<float>();
  const double seconds = seconds_since(start) / passes;
  const torch::NoGradGuard no_grad;
  net_.statistics_tensor().copy_(statistics);
  net_.gradients_tensor().zero_();
  return seconds;
}

}  // namespace koridor
