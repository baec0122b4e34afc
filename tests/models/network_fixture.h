// What the tests of the evaluators share: random networks and positions, and the network's formula
// (models/network/network.h) a second time, in double precision and with plain loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "models/backends.h"
#include "models/cpu/calibrate.h"
#include "models/network/model_file.h"
#include "tests/numbers.h"

namespace koridor::test {

// A board of the wall games' kind: 3 policy planes, few scalars.
inline EncodingShape board(int rows, int columns, int planes = 11, int players = 2) {
  return {planes, rows, columns, 4, 3, players};
}

inline ModelInfo info_for(const EncodingShape& shape, const NetworkConfig& network) {
  ModelInfo info;
  info.family = "wall";
  info.game = "quoridor:5x5,walls=3";
  info.network = network;
  info.signature = signature(shape);
  return info;
}

// random_model leaves biases at zero; here every tensor matters.
inline Model model_for(const EncodingShape& shape, const NetworkConfig& network, std::uint64_t seed = 1) {
  Model model = random_model(info_for(shape, network), seed);
  Random random(seed);
  for (auto& [name, values] : model.tensors) {
    if (!name.ends_with(".bias")) continue;
    for (float& value : values) value = static_cast<float>(0.3 * random.normal());
  }
  return model;
}

// Encoded positions with memory for the results.
struct Positions {
  EncodingShape shape;
  int size;
  std::vector<float> planes, scalars, policy, value, auxiliary;
  std::vector<float> squares;  // of all heads with a number for each square, by NaiveNetwork alone

  // Half of the planes hold zeros and ones, the others numbers in [0, 1], as real encodings do.
  Positions(const EncodingShape& of, int count, std::uint64_t seed = 7) : shape(of), size(count) {
    Random random(seed);
    planes.resize(static_cast<std::size_t>(count * shape.plane_floats()));
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const bool binary = i / static_cast<std::size_t>(shape.area()) % 2 == 0;
      planes[i] = binary ? static_cast<float>(random.below(2)) : static_cast<float>(random.uniform());
    }
    scalars.resize(static_cast<std::size_t>(count * shape.scalars));
    for (float& scalar : scalars) scalar = static_cast<float>(random.uniform());
    policy.assign(static_cast<std::size_t>(count * shape.policy_size()), -77.0f);
    value.assign(static_cast<std::size_t>(count * shape.value_size()), -77.0f);
    auxiliary.assign(static_cast<std::size_t>(count * shape.players), -77.0f);
  }

  // `count` positions from `first` on.
  Batch batch(int first, int count) const {
    const auto part = [&](const auto& values, int each) {
      return std::span(values).subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(count * each));
    };
    return {count, part(planes, shape.plane_floats()), part(scalars, shape.scalars)};
  }
  Predictions predictions(int first, int count) {
    const auto part = [&](auto& values, int each) {
      return std::span(values).subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(count * each));
    };
    return {part(policy, shape.policy_size()), part(value, shape.value_size()), part(auxiliary, shape.players)};
  }
  void evaluate(Evaluator& evaluator, int first, int count) {
    evaluator.evaluate(batch(first, count), predictions(first, count));
  }
  // All of them, in batches as large as the evaluator takes.
  void evaluate(Evaluator& evaluator) {
    for (int first = 0; first < size; first += evaluator.max_batch()) {
      evaluate(evaluator, first, std::min(evaluator.max_batch(), size - first));
    }
  }
};

// The model with what int8 needs to know of it, measured on other positions than the default ones.
inline Model calibrated(Model model, const EncodingShape& shape) {
  const Positions positions(shape, 64, 11);
  calibrate(model, shape, positions.batch(0, 64));
  return model;
}

// The calibrated model in int8 by our own convolutions, also where they do not pay, and unchecked.
std::unique_ptr<Evaluator> own_int8(const Model& model, const EncodingShape& shape, int max_batch);

// The forward pass of one position.
class NaiveNetwork {
 public:
  NaiveNetwork(const Model& model, const EncodingShape& shape) : model_(model), shape_(shape) {}

  // Fills the results of every position.
  void evaluate(Positions& positions) const;

 private:
  using Map = std::vector<std::vector<double>>;  // [channels][squares]

  const std::vector<float>& tensor(const std::string& name) const { return model_.tensors.at(name); }
  Map convolve(const std::string& name, const Map& input, int kernel) const;
  std::vector<double> linear(const std::string& name, const std::vector<double>& input, bool bias) const;

  const Model& model_;
  EncodingShape shape_;
};

}  // namespace koridor::test
