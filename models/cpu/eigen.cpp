// The portable reference backend: float32, one position after the other, by im2col and Eigen's matrix product, which
// allocates its workspace if it needs more than 128 KiB.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/one_thread.h"
#include "models/cpu/heads.h"
#include "models/network/backend.h"
#include "models/network/batch_check.h"

namespace koridor {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Layer {
  Matrix weight;         // [outputs, inputs * taps]
  Eigen::VectorXf bias;  // [outputs]
};

struct Block {
  Layer first;
  Layer second;
  bool pools = false;
  Linear pool;
};

// Every array is an aligned matrix of its own, since the order in which Eigen sums depends on alignment.
class EigenEvaluator final : public Evaluator {
 public:
  EigenEvaluator(const Model& model, const EncodingShape& shape, int max_batch)
      : shape_(shape), max_batch_(max_batch), heads_(model, shape) {
    const NetworkConfig& network = model.info.network;
    const int channels = network.channels;
    stem_ = layer(model, "stem", channels);
    scalars_ = Linear(model.tensors.at("scalars.weight"), std::vector<float>(static_cast<std::size_t>(channels)));
    std::vector<Linear> pools = make_pools(model);
    for (int i = 0; i < network.blocks; ++i) {
      const std::string name = "blocks." + std::to_string(i);
      Block& block = blocks_.emplace_back();
      block.first = layer(model, name + ".first", channels);
      block.second = layer(model, name + ".second", channels);
      block.pools = network.pools(i);
      block.pool = std::move(pools[static_cast<std::size_t>(i)]);
    }
    policy_conv_ = layer(model, "policy.conv", network.policy_channels);
    policy_out_ = layer(model, "policy.out", shape.policy_planes);
    value_conv_ = layer(model, "value.conv", network.value_channels);

    const int area = shape.area();
    planes_.resize(shape.planes, area);
    columns_.resize(9 * std::max(shape.planes, channels), area);
    x_.resize(channels, area);
    y_.resize(channels, area);
    sum_.resize(channels, area);
    policy_.resize(network.policy_channels, area);
    logits_.resize(shape.policy_planes, area);
    value_.resize(network.value_channels, area);
    pooled_.resize(static_cast<std::size_t>(2 * std::max(channels, network.value_channels)));
    added_.resize(static_cast<std::size_t>(std::max(channels, network.policy_channels)));
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return "eigen f32"; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    const OneThread one_thread;
    for (int i = 0; i < batch.size; ++i) {
      trunk(batch.planes.data() + i * shape_.plane_floats(), batch.scalars.data() + i * shape_.scalars);
      policy(out.policy.data() + i * shape_.policy_size());
      value_.noalias() = value_conv_.weight * x_;
      value_.colwise() += value_conv_.bias;
      value_ = value_.cwiseMax(0.0f);
      pool(value_);
      heads_.value(pooled_.data(), out.value.data() + i * shape_.value_size(),
                   out.auxiliary.empty() ? nullptr : out.auxiliary.data() + i * shape_.players);
    }
  }

 private:
  static Layer layer(const Model& model, const std::string& name, int outputs) {
    const std::vector<float>& weight = model.tensors.at(name + ".weight");
    const std::vector<float>& bias = model.tensors.at(name + ".bias");
    Layer result;
    result.weight = Eigen::Map<const Matrix>(weight.data(), outputs, static_cast<int>(weight.size()) / outputs);
    result.bias = Eigen::Map<const Eigen::VectorXf>(bias.data(), outputs);
    return result;
  }

  // The stem and the blocks of one position; the result is in x_.
  void trunk(const float* planes, const float* scalars) {
    std::copy_n(planes, shape_.plane_floats(), planes_.data());
    convolve(stem_, planes_, x_);
    scalars_.apply(scalars, added_.data());
    x_ = (x_.colwise() + Eigen::Map<const Eigen::VectorXf>(added_.data(), x_.rows())).cwiseMax(0.0f);
    for (const Block& block : blocks_) {
      convolve(block.first, x_, y_);
      y_ = y_.cwiseMax(0.0f);
      if (block.pools) {
        pool(y_);
        block.pool.apply(pooled_.data(), added_.data());
        y_ = (y_.colwise() + Eigen::Map<const Eigen::VectorXf>(added_.data(), y_.rows())).cwiseMax(0.0f);
      }
      convolve(block.second, y_, sum_);
      x_ = (x_ + sum_).cwiseMax(0.0f);
    }
  }

  void policy(float* out) {
    pool(x_);
    const float pass = heads_.policy(pooled_.data(), added_.data());
    policy_.noalias() = policy_conv_.weight * x_;
    policy_.colwise() += policy_conv_.bias;
    policy_ = (policy_.colwise() + Eigen::Map<const Eigen::VectorXf>(added_.data(), policy_.rows())).cwiseMax(0.0f);
    logits_.noalias() = policy_out_.weight * policy_;
    logits_.colwise() += policy_out_.bias;
    out = std::copy_n(logits_.data(), logits_.size(), out);
    *out = pass;
  }

  // result = 3x3 convolution of input, and bias.
  void convolve(const Layer& layer, const Matrix& input, Matrix& result) {
    const int rows = shape_.rows;
    const int columns = shape_.columns;
    int line = 0;
    for (int channel = 0; channel < input.rows(); ++channel) {
      const float* from = input.row(channel).data();
      for (int down = -1; down <= 1; ++down) {
        for (int right = -1; right <= 1; ++right, ++line) {
          float* to = columns_.row(line).data();
          for (int row = 0; row < rows; ++row, to += columns) {
            const int source = row + down;
            if (source < 0 || source >= rows) {
              std::fill_n(to, columns, 0.0f);
              continue;
            }
            for (int column = 0; column < columns; ++column) {
              const int at = column + right;
              to[column] = at < 0 || at >= columns ? 0.0f : from[source * columns + at];
            }
          }
        }
      }
    }
    result.noalias() = layer.weight * columns_.topRows(line);
    result.colwise() += layer.bias;
  }

  // pooled_ = the mean of each channel, then the maximum of each.
  void pool(const Matrix& y) {
    for (int channel = 0; channel < y.rows(); ++channel) {
      const float* from = y.row(channel).data();
      float total = 0.0f;
      float largest = from[0];
      for (int square = 0; square < y.cols(); ++square) {
        total += from[square];
        largest = std::max(largest, from[square]);
      }
      pooled_[channel] = total / static_cast<float>(y.cols());
      pooled_[channel + y.rows()] = largest;
    }
  }

  EncodingShape shape_;
  int max_batch_;
  Heads heads_;
  Layer stem_, policy_conv_, policy_out_, value_conv_;
  Linear scalars_;
  std::vector<Block> blocks_;

  Matrix planes_, columns_, x_, y_, sum_, policy_, logits_, value_;  // activations of one position, [channels, area]
  std::vector<float> pooled_, added_;
};

}  // namespace

Backend eigen_backend() {
  return {.name = "eigen",
          .summary = "the portable reference",
          .precisions = {Precision::f32},
          .make = [](const BackendRequest& request) -> EvaluatorFactory {
            return [model = request.model](const EncodingShape& shape, int max_batch) {
              return std::make_unique<EigenEvaluator>(*model, shape, max_batch);
            };
          },
          .on_this_cpu = [] { return std::vector{Precision::f32}; }};
}

}  // namespace koridor
