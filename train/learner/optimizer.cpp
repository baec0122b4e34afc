#include "train/learner/optimizer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/error.h"

namespace koridor {
namespace {

// mean = beta * mean + (1 - beta) * value
float moved(float mean, double beta, float value) {
  return static_cast<float>(beta) * mean + static_cast<float>(1.0 - beta) * value;
}

double square_sum(std::span<const float> values) {
  // Sums of floats over short blocks are exact enough and vectorise; the total is a double.
  constexpr std::size_t kBlock = 1024;
  double total = 0.0;
  for (std::size_t start = 0; start < values.size(); start += kBlock) {
    const std::span block = values.subspan(start, std::min(kBlock, values.size() - start));
    float lanes[16] = {};
    for (std::size_t i = 0; i < block.size(); ++i) lanes[i % 16] += block[i] * block[i];
    for (float lane : lanes) total += lane;
  }
  return total;
}

}  // namespace

OptimizerKind parse_optimizer(const std::string& name) {
  if (name == "adamw") return OptimizerKind::adamw;
  if (name == "sgd") return OptimizerKind::sgd;
  if (name == "muon") return OptimizerKind::muon;
  throw UserError("unknown optimizer '" + name + "': one of adamw, sgd, muon");
}

Optimizer::Optimizer(const TrainingConfig& config, std::span<const float> parameters, std::size_t decayed,
                     std::vector<HiddenMatrix> matrices)
    : config_(config), kind_(parse_optimizer(config.optimizer)), decayed_(decayed), matrices_(std::move(matrices)) {
  if (kind_ != OptimizerKind::muon) matrices_.clear();
  state_.first.assign(parameters.size(), 0.0f);
  if (kind_ != OptimizerKind::sgd) state_.second.assign(parameters.size(), 0.0f);
  state_.average.assign(parameters.begin(), parameters.end());
}

float Optimizer::average_decay() const {
  if (state_.settled) return static_cast<float>(config_.ema);
  const auto t = static_cast<double>(state_.steps);
  return static_cast<float>(std::min(config_.ema, (1.0 + t) / (10.0 + t)));
}

double Optimizer::step(std::span<float> parameters, std::span<float> gradients, double learning_rate,
                       ThreadGroup* threads) {
  const double norm = std::sqrt(square_sum(gradients));
  if (std::isfinite(norm)) {
    const double limit = config_.gradient_clip;
    const auto clip = static_cast<float>(limit > 0.0 && norm > limit ? limit / norm : 1.0);
    const auto rate = static_cast<float>(learning_rate);
    ++state_.steps;
    if (kind_ == OptimizerKind::sgd) {
      step_sgd(parameters, gradients, rate, clip);
    } else {
      step_adamw(parameters, gradients, rate, clip);
      step_muon(parameters, gradients, rate, clip, threads);
    }
    move_average(state_.average, parameters, average_decay());
  }
  std::ranges::fill(gradients, 0.0f);
  return norm;
}

// The share of a weight that a step takes away. It is added to the step: a factor 1 - share would be 1 in float where
// the share is below 3e-8, as late in a training, and the weights would not decay at all.
float Optimizer::decay_of(float rate) const {
  return rate * static_cast<float>(config_.weight_decay);
}

void Optimizer::step_adamw(std::span<float> parameters, std::span<const float> gradients, float rate, float clip) {
  const auto t = static_cast<double>(state_.steps);
  // The bias corrections of the two means.
  const auto step_size = static_cast<float>(rate / (1.0 - std::pow(kBeta1, t)));
  const auto second_scale = static_cast<float>(1.0 / (1.0 - std::pow(kBeta2, t)));
  const auto epsilon = static_cast<float>(kEpsilon);
  float* const first = state_.first.data();
  float* const second = state_.second.data();
  const auto update = [&](std::size_t begin, std::size_t end, float decay) {
    for (std::size_t i = begin; i < end; ++i) {
      const float gradient = gradients[i] * clip;
      first[i] = moved(first[i], kBeta1, gradient);
      second[i] = moved(second[i], kBeta2, gradient * gradient);
      parameters[i] -= step_size * first[i] / (std::sqrt(second[i] * second_scale) + epsilon) + decay * parameters[i];
    }
  };
  const float decay = decay_of(rate);
  std::size_t begin = 0;
  for (const HiddenMatrix& matrix : matrices_) {
    update(begin, matrix.offset, decay);
    begin = matrix.offset + matrix.size();
  }
  update(begin, decayed_, decay);
  update(decayed_, parameters.size(), 0.0f);
}

void Optimizer::step_muon(std::span<float> parameters, std::span<float> gradients, float rate, float clip,
                          ThreadGroup* threads) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](int) {
    for (std::size_t i = next++; i < matrices_.size(); i = next++) {
      step_matrix(matrices_[i], parameters, gradients, rate, clip);
    }
  };
  if (threads != nullptr && !matrices_.empty()) {
    threads->run(work);
  } else {
    work(0);
  }
}

void Optimizer::step_matrix(const HiddenMatrix& matrix, std::span<float> parameters, std::span<float> gradients,
                            float rate, float clip) {
  const std::span mean = std::span(state_.first).subspan(matrix.offset, matrix.size());
  const std::span direction = gradients.subspan(matrix.offset, matrix.size());  // in the gradient's place
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const float gradient = direction[i] * clip;
    mean[i] = moved(mean[i], kMuonMomentum, gradient);
    direction[i] = moved(mean[i], kMuonMomentum, gradient);  // Nesterov's
  }
  orthogonalise(direction, matrix.rows, matrix.columns);
  const float decay = decay_of(rate);
  const float step = rate * static_cast<float>(muon_scale(matrix));
  const std::span weights = parameters.subspan(matrix.offset, matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) weights[i] -= step * direction[i] + decay * weights[i];
}

void Optimizer::step_sgd(std::span<float> parameters, std::span<const float> gradients, float rate, float clip) {
  const auto momentum = static_cast<float>(config_.momentum);
  float* const velocity = state_.first.data();
  const auto update = [&](std::size_t begin, std::size_t end, float decay) {
    for (std::size_t i = begin; i < end; ++i) {
      velocity[i] = momentum * velocity[i] + gradients[i] * clip + decay * parameters[i];
      parameters[i] -= rate * velocity[i];
    }
  };
  update(0, decayed_, static_cast<float>(config_.weight_decay));
  update(decayed_, parameters.size(), 0.0f);
}

void move_average(std::span<float> average, std::span<const float> values, float decay) {
  for (std::size_t i = 0; i < average.size(); ++i) average[i] = decay * average[i] + (1.0f - decay) * values[i];
}

double learning_rate(const TrainingConfig& config, double progress, std::int64_t steps_so_far) {
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0)));
  const double rate = config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * cosine;
  const double warmup =
      config.warmup_steps > 0 ? std::min(1.0, static_cast<double>(steps_so_far + 1) / config.warmup_steps) : 1.0;
  return rate * warmup;
}

}  // namespace koridor
