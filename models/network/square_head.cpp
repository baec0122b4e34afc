#include "models/network/square_head.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/registry.h"

namespace koridor {
namespace {

// A map of channels over the squares of a board, [channels, rows, columns].
class Map {
 public:
  Map(int channels, const EncodingShape& shape)
      : channels_(channels),
        rows_(shape.rows),
        columns_(shape.columns),
        values_(static_cast<std::size_t>(channels * shape.area())) {}

  int channels() const { return channels_; }
  int area() const { return rows_ * columns_; }
  std::span<float> channel(int number) { return std::span(values_).subspan(offset(number), size()); }
  std::span<const float> channel(int number) const { return std::span(values_).subspan(offset(number), size()); }

  void relu() {
    for (float& value : values_) value = std::max(value, 0.0f);
  }
  void add(const Map& other) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
  }
  void add(std::span<const float> by_channel) {
    for (int i = 0; i < channels_; ++i) {
      for (float& value : channel(i)) value += by_channel[static_cast<std::size_t>(i)];
    }
  }
  // The mean of each channel, then the maximum of each.
  std::vector<float> pooled() const {
    std::vector<float> result(static_cast<std::size_t>(2 * channels_));
    for (int i = 0; i < channels_; ++i) {
      float total = 0;
      for (const float value : channel(i)) total += value;
      result[static_cast<std::size_t>(i)] = total / static_cast<float>(area());
      result[static_cast<std::size_t>(channels_ + i)] = std::ranges::max(channel(i));
    }
    return result;
  }

 private:
  std::size_t offset(int number) const { return static_cast<std::size_t>(number * area()); }
  std::size_t size() const { return static_cast<std::size_t>(area()); }

  int channels_;
  int rows_;
  int columns_;
  std::vector<float> values_;
};

// weight . x, [outputs]; `weight`: [outputs, inputs], and there may be no input.
std::vector<float> product(std::span<const float> weight, std::span<const float> x, std::size_t outputs) {
  std::vector<float> result(outputs);
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) result[i] += weight[i * x.size() + j] * x[j];
  }
  return result;
}

struct Tap {
  int down;
  int right;
  float factor;
};

// Adds to each square the factor times the square that lies so far down and to the right, where there is one.
void add_shifted(float* to, const float* from, const EncodingShape& shape, const Tap& tap) {
  const int first_row = std::max(0, -tap.down);
  const int first = std::max(0, -tap.right);
  const int end_row = std::min(shape.rows, shape.rows - tap.down);
  const int end = std::min(shape.columns, shape.columns - tap.right);
  const float factor = tap.factor;
  for (int row = first_row; row < end_row; ++row) {
    float* const own = to + row * shape.columns;
    const float* const other = from + (row + tap.down) * shape.columns + tap.right;
    for (int column = first; column < end; ++column) own[column] += factor * other[column];
  }
}

// A convolution of `taps` x `taps` (1 or 3) with zero padding, and its bias.
Map convolved(const Model& model, const std::string& layer, const Map& x, const EncodingShape& shape, int taps) {
  const std::vector<float>& weight = model.tensors.at(layer + ".weight");
  const std::vector<float>& bias = model.tensors.at(layer + ".bias");
  Map result(static_cast<int>(bias.size()), shape);
  const int reach = taps / 2;
  std::size_t next = 0;
  for (int output = 0; output < result.channels(); ++output) {
    const std::span<float> to = result.channel(output);
    std::ranges::fill(to, bias[static_cast<std::size_t>(output)]);
    for (int input = 0; input < x.channels(); ++input) {
      for (int down = -reach; down <= reach; ++down) {
        for (int right = -reach; right <= reach; ++right) {
          add_shifted(to.data(), x.channel(input).data(), shape, {down, right, weight[next++]});
        }
      }
    }
  }
  return result;
}

// The stem and the blocks.
Map trunk(const Model& model, const EncodingShape& shape, std::span<const float> planes,
          std::span<const float> scalars) {
  Map input(shape.planes, shape);
  for (int plane = 0; plane < shape.planes; ++plane) {
    std::ranges::copy(
        planes.subspan(static_cast<std::size_t>(plane * shape.area()), static_cast<std::size_t>(shape.area())),
        input.channel(plane).begin());
  }
  Map x = convolved(model, "stem", input, shape, 3);
  x.add(product(model.tensors.at("scalars.weight"), scalars, static_cast<std::size_t>(x.channels())));
  x.relu();
  for (int i = 0; i < model.info.network.blocks; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    Map y = convolved(model, block + ".first", x, shape, 3);
    y.relu();
    if (model.info.network.pools(i)) {
      const std::vector<float>& bias = model.tensors.at(block + ".pool.bias");
      std::vector<float> pool = product(model.tensors.at(block + ".pool.weight"), y.pooled(), bias.size());
      for (std::size_t channel = 0; channel < pool.size(); ++channel) pool[channel] += bias[channel];
      y.add(pool);
      y.relu();
    }
    x.add(convolved(model, block + ".second", y, shape, 3));
    x.relu();
  }
  return x;
}

bool has_board(const std::string& name, std::string_view family, const EncodingShape& shape) {
  try {
    return std::visit(
        [&](const auto& game) {
          const EncodingShape known = game.encoding({});
          return game.family() == family && known.rows == shape.rows && known.columns == shape.columns;
        },
        parse_game(name));
  } catch (const UserError&) {  // a game of a later build
    return false;
  }
}

}  // namespace

bool learned_on(const ModelInfo& info, std::string_view family, const EncodingShape& shape) {
  return std::ranges::any_of(learned_games(info),
                             [&](const std::string& name) { return has_board(name, family, shape); });
}

std::vector<float> square_head(const Model& model, const EncodingShape& shape, std::span<const float> planes,
                               std::span<const float> scalars, std::string_view name) {
  const auto head = std::ranges::find_if(model.info.signature.heads, [&](const Head& candidate) {
    return candidate.name == name && candidate.extent == Extent::squares;
  });
  if (head == model.info.signature.heads.end()) return {};
  Map v = convolved(model, "value.conv", trunk(model, shape, planes, scalars), shape, 1);
  v.relu();
  const Map logits = convolved(model, head->name + ".out", v, shape, 1);
  std::vector<float> result;
  for (int i = 0; i < logits.channels(); ++i) {
    result.insert(result.end(), logits.channel(i).begin(), logits.channel(i).end());
  }
  if (head->activation == Activation::sigmoid) {
    for (float& value : result) value = 1.0f / (1.0f + std::exp(-value));
    return result;
  }
  for (int i = 0; i < head->count; ++i) {
    const std::span<float> copy =
        std::span(result).subspan(static_cast<std::size_t>(i * shape.area()), static_cast<std::size_t>(shape.area()));
    const float top = std::ranges::max(copy);
    float total = 0;
    for (float& value : copy) total += value = std::exp(value - top);
    for (float& value : copy) value /= total;
  }
  return result;
}

}  // namespace koridor
