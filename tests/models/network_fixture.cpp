#include "tests/models/network_fixture.h"

#include <cmath>
#include <numeric>

#include "models/cpu/amx_cpu.h"
#include "models/cpu/amx_network.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_network.h"

namespace koridor::test {
namespace {

using Map = std::vector<std::vector<double>>;

void relu(std::vector<double>& values) {
  for (double& value : values) value = std::max(value, 0.0);
}
void relu(Map& map) {
  for (auto& channel : map) relu(channel);
}

std::vector<double> pool(const Map& map) {
  std::vector<double> pooled;
  for (const auto& channel : map) {
    pooled.push_back(std::accumulate(channel.begin(), channel.end(), 0.0) / static_cast<double>(channel.size()));
  }
  for (const auto& channel : map) pooled.push_back(*std::max_element(channel.begin(), channel.end()));
  return pooled;
}

void add(Map& map, const std::vector<double>& each_channel) {
  for (std::size_t channel = 0; channel < map.size(); ++channel) {
    for (double& value : map[channel]) value += each_channel[channel];
  }
}

}  // namespace

std::unique_ptr<Evaluator> own_int8(const Model& model, const EncodingShape& shape, int max_batch) {
  if (has_amx()) return make_amx_network(make_amx_weights(model, shape), model, shape, max_batch);
  const CalibrationPositions own = calibration_positions(model, shape);
  std::vector<float> policy(static_cast<std::size_t>(own.size * own.shape.policy_size()));
  std::vector<float> value(static_cast<std::size_t>(own.size * own.shape.value_size()));
  TransformedLimits limits(own.shape, model.info.network);
  evaluate_and_observe(model, own.shape, own.batch(), {policy, value, {}},
                       [&](int activation, std::span<const float> values) { limits.observe(activation, values); });
  return make_int8_network(make_int8_weights(model, shape, limits), model, shape, max_batch);
}

NaiveNetwork::Map NaiveNetwork::convolve(const std::string& name, const Map& input, int kernel) const {
  const std::vector<float>& weight = tensor(name + ".weight");
  const std::vector<float>& bias = tensor(name + ".bias");
  Map output(bias.size(), std::vector<double>(static_cast<std::size_t>(shape_.area())));
  const int reach = kernel / 2;
  for (std::size_t to = 0; to < output.size(); ++to) {
    for (int row = 0; row < shape_.rows; ++row) {
      for (int column = 0; column < shape_.columns; ++column) {
        double sum = bias[to];
        for (std::size_t from = 0; from < input.size(); ++from) {
          for (int down = -reach; down <= reach; ++down) {
            for (int right = -reach; right <= reach; ++right) {
              const int r = row + down;
              const int c = column + right;
              if (r < 0 || r >= shape_.rows || c < 0 || c >= shape_.columns) continue;
              const std::size_t tap = ((to * input.size() + from) * kernel + down + reach) * kernel + right + reach;
              sum += double{weight[tap]} * input[from][r * shape_.columns + c];
            }
          }
        }
        output[to][row * shape_.columns + column] = sum;
      }
    }
  }
  return output;
}

std::vector<double> NaiveNetwork::linear(const std::string& name, const std::vector<double>& input, bool bias) const {
  const std::vector<float>& weight = tensor(name + ".weight");
  std::vector<double> output(weight.size() / input.size());
  for (std::size_t to = 0; to < output.size(); ++to) {
    if (bias) output[to] = tensor(name + ".bias")[to];
    for (std::size_t from = 0; from < input.size(); ++from) {
      output[to] += double{weight[to * input.size() + from]} * input[from];
    }
  }
  return output;
}

void NaiveNetwork::evaluate(Positions& positions) const {
  for (int i = 0; i < positions.size; ++i) {
    Map planes;
    for (int plane = 0; plane < shape_.planes; ++plane) {
      const auto* from = positions.planes.data() + i * shape_.plane_floats() + plane * shape_.area();
      planes.emplace_back(from, from + shape_.area());
    }
    const auto* from = positions.scalars.data() + i * shape_.scalars;
    Map x = convolve("stem", planes, 3);
    if (shape_.scalars > 0) add(x, linear("scalars", std::vector<double>(from, from + shape_.scalars), false));
    relu(x);
    for (int block = 0; block < model_.info.network.blocks; ++block) {
      const std::string name = "blocks." + std::to_string(block);
      Map y = convolve(name + ".first", x, 3);
      relu(y);
      if (model_.info.network.pools(block)) {
        add(y, linear(name + ".pool", pool(y), true));
        relu(y);
      }
      const Map z = convolve(name + ".second", y, 3);
      for (std::size_t channel = 0; channel < x.size(); ++channel) {
        for (std::size_t square = 0; square < x[channel].size(); ++square) x[channel][square] += z[channel][square];
      }
      relu(x);
    }

    const std::vector<double> pooled = pool(x);
    Map p = convolve("policy.conv", x, 1);
    add(p, linear("policy.pool", pooled, false));
    relu(p);
    float* policy = positions.policy.data() + i * shape_.policy_size();
    for (const auto& plane : convolve("policy.out", p, 1)) policy = std::copy(plane.begin(), plane.end(), policy);
    *policy = static_cast<float>(linear("policy.pass", pooled, true)[0]);

    Map v = convolve("value.conv", x, 1);
    relu(v);
    for (const Head& head : model_.info.signature.heads) {
      if (head.extent != Extent::squares) continue;
      for (const auto& map : convolve(head.name + ".out", v, 1)) {
        for (const double score : map) positions.squares.push_back(static_cast<float>(1.0 / (1.0 + std::exp(-score))));
      }
    }
    std::vector<double> h = linear("value.hidden", pool(v), true);
    relu(h);
    const std::vector<double> scores = linear("value.out", h, true);
    double total = 0.0;
    for (const double score : scores) total += std::exp(score);
    float* value = positions.value.data() + i * shape_.value_size();
    for (const double score : scores) *value++ = static_cast<float>(std::exp(score) / total);
    float* auxiliary = positions.auxiliary.data() + i * shape_.players;
    for (const double score : linear("auxiliary.out", h, true)) {
      *auxiliary++ = static_cast<float>(1.0 / (1.0 + std::exp(-score)));
    }
  }
}

}  // namespace koridor::test
