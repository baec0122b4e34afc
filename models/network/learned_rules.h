// Networks asked about a game by other rules than those they learned.
//
// Some scalars say by which rules a position is played: whether suicide is allowed, how many rows the board has. Where
// all games that a network learned have such a scalar in common, no training has touched its weights, and another value
// adds noise to every channel (train/METHODS.md, "Rules that a network never met"). So the network is shown the value
// that it has learned; of the position itself it sees everything.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// A scalar of the encoding that says by which rules is played, and its value in every game that a network learned.
struct LearnedRule {
  std::size_t scalar = 0;  // its index among the scalars
  float value = 0.0f;
};

// Those of a model; none where this program does not know the games it learned, or where the model has other inputs.
std::vector<LearnedRule> learned_rules(const ModelInfo& info);

// Writes the values into encoded positions: scalars [positions, scalars of each].
void show_learned_rules(std::span<const LearnedRule> rules, std::span<float> scalars, int each);

// Passes batches on to `evaluator`, with these values in place of what they have. Where they have them, all stays as it
// is to the bit.
std::unique_ptr<Evaluator> make_learned_rules(std::unique_ptr<Evaluator> evaluator, std::vector<LearnedRule> rules);

}  // namespace koridor
