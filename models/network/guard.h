// An evaluator that hands out only what is a probability, or fails with the model's name.
//
// Finite weights may be so large that the network's sums overflow. Infinite logits and the NaN behind them would go
// through search into hints and shards, so every batch is looked at: one pass over its results, which costs nothing
// beside the network. What overflows inside a network comes out as NaN where ReLUs keep it, as those of our own kernels
// and of Eigen do, unless a sum ends at minus infinity, of which a ReLU makes 0. oneDNN's makes 0 of NaN as well: its
// evaluators look for infinities between the layers themselves, in their first batch (models/cpu/onednn_network.cpp).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "models/network/evaluator.h"

namespace koridor {

// Logits beyond this are refused as overflown: trained networks stay below 1e3, and the searches add and multiply
// logits in float.
inline constexpr float kLargestLogit = 1e9f;

// Whether every value is a number in [-largest, largest]; false for NaN and infinities. `largest` is positive.
bool all_within(std::span<const float> values, float largest);

// Whether the first `size` rows are results as Predictions describes them; auxiliary values may be left out.
bool are_predictions(const EncodingShape& shape, int size, const Predictions& results);

// What a model's network says is no prediction.
class OverflowError : public UserError {
 public:
  using UserError::UserError;
};

// Passes batches on to `evaluator` and throws OverflowError, in which `where` names the model, from evaluate() or
// wait() where its results are not what Predictions describes.
std::unique_ptr<Evaluator> make_guard(std::unique_ptr<Evaluator> evaluator, std::string where);

}  // namespace koridor
