// A device for an EvaluationServer that computes with an evaluator in launch().
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "models/network/evaluator.h"
#include "models/server/batch_device.h"

namespace koridor::test {

class EvaluatorDevice final : public BatchDevice {
 public:
  EvaluatorDevice(std::unique_ptr<Evaluator> evaluator, int places) : evaluator_(std::move(evaluator)) {
    const auto rows = static_cast<std::size_t>(capacity());
    const auto sized = [&](int each) { return std::vector<float>(rows * static_cast<std::size_t>(each)); };
    for (int i = 0; i < places; ++i) {
      places_.push_back({sized(shape().plane_floats()), sized(shape().scalars), sized(shape().policy_size()),
                         sized(shape().value_size()), sized(shape().players)});
    }
  }

  const EncodingShape& shape() const override { return evaluator_->shape(); }
  int capacity() const override { return evaluator_->max_batch(); }
  int places() const override { return static_cast<int>(places_.size()); }
  PlaceMemory memory(int place) override {
    auto& [planes, scalars, policy, value, auxiliary] = places_[place];
    return {planes, scalars, policy, value, auxiliary};
  }
  void launch(int place, int size) override {
    const std::lock_guard lock(mutex_);
    const PlaceMemory at = memory(place);
    evaluator_->evaluate({size, at.planes, at.scalars}, {at.policy, at.value, at.auxiliary});
  }
  void finish(int) override {}
  void launch_bare(int place) override { launch(place, capacity()); }
  std::string describe() const override { return evaluator_->describe() + ", shared"; }

 private:
  struct Memory {
    std::vector<float> planes, scalars, policy, value, auxiliary;
  };
  std::unique_ptr<Evaluator> evaluator_;
  std::mutex mutex_;
  std::vector<Memory> places_;
};

}  // namespace koridor::test
