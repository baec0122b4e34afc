// The heads past their convolutions (see network.h): what is small enough to be plain float32 loops over one position.
// Shared by the backends; one position at a time, so that its results cannot depend on its batch.
#pragma once

#include <span>
#include <vector>

#include "core/game.h"
#include "models/model_file.h"

namespace koridor {

// y = weight . x + bias, stored transposed so that the inner loop runs over outputs.
class Linear {
 public:
  Linear() = default;
  // `weight` is [outputs, inputs]; `bias` is [outputs] or empty for none.
  Linear(std::span<const float> weight, std::span<const float> bias, int outputs);

  int outputs() const { return outputs_; }
  void apply(const float* x, float* y) const;

 private:
  int outputs_ = 0;
  int inputs_ = 0;
  std::vector<float> transposed_;  // [inputs, outputs]
  std::vector<float> bias_;        // [outputs]
};

class Heads {
 public:
  Heads(const Model& model, const EncodingShape& shape);

  // pooled: pool(x), [2C]; the bias that policy.pool adds to each channel of the policy's convolution, [Pc].
  void policy_bias(const float* pooled, float* bias) const { policy_pool_.apply(pooled, bias); }
  // The pass's logit.
  float pass(const float* pooled) const;
  // pooled: pool(v), [2Vc]. Writes [players + 1] probabilities and, unless null, [players] auxiliary values.
  void value(const float* pooled, float* probabilities, float* auxiliary);

 private:
  int players_;
  Linear policy_pool_;
  Linear pass_;
  Linear hidden_;
  Linear value_;
  Linear auxiliary_;
  std::vector<float> activation_;  // [H]
};

}  // namespace koridor
