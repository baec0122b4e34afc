// The heads behind their convolutions (models/network/network.h), which all CPU backends share: small layers, as plain
// float32 loops over one position at a time, so that its results cannot depend on its batch.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/game.h"
#include "models/network/model_file.h"

namespace koridor {

// y = weight . x + bias.
class Linear {
 public:
  Linear() = default;
  // `weight` is [outputs, inputs]; `bias` is [outputs].
  Linear(std::span<const float> weight, std::span<const float> bias);

  void apply(const float* x, float* y) const;

 private:
  int outputs_ = 0;
  int inputs_ = 0;
  std::vector<float> weight_;  // [outputs / 8 rounded up, inputs, 8]
  std::vector<float> bias_;    // [outputs rounded up]
};

// blocks.i.pool of every block; empty if the block does not pool.
std::vector<Linear> make_pools(const Model& model);

class Heads {
 public:
  Heads(const Model& model, const EncodingShape& shape);

  // pooled: pool(x), [2C]. Writes the bias that policy.pool adds to each channel of the policy's convolution, [Pc], and
  // returns the pass's logit.
  float policy(const float* pooled, float* bias);
  // pooled: pool(v), [2Vc]. Writes [players + 1] probabilities and, unless null, [players] auxiliary values.
  void value(const float* pooled, float* probabilities, float* auxiliary);

 private:
  int players_;
  Linear policy_;  // policy.pool over policy.pass
  Linear hidden_;
  Linear outcome_;                                 // value.out over auxiliary.out
  std::vector<float> policy_scores_;               // [Pc + 1]
  std::vector<float> activation_;                  // [H]
  std::array<float, 2 * kMaxPlayers + 1> scores_;  // [players + 1 + players]
};

}  // namespace koridor
