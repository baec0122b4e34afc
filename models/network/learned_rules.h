// Networks asked about a game by other rules than those they learned.
//
// Some scalars say by which rules a position is played: whether suicide is allowed, how many rows the board has. Where
// all games that a network learned have such a scalar in common, it was a part of the bias for the network, or, where
// it was 0, has weights that nothing has trained. Another value shifts every channel by what means nothing
// (train/METHODS.md, "Rules that a network never met"). So the network is shown the value that it has learned.
//
// The rule of repetition of wall games is one that self-play may vary (selfplay.repetition_share), which no list of
// games says. So it counts as learned where the 32 positions on which the network was calibrated, drawn from those that
// it learned last, are all with it or all without: by chance too, where few games had it (one model in five at a share
// of 0.05, none in thousands at the recipes' 0.25). In a network without a calibration it does not count.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// A scalar of the encoding that says by which rules is played, and its value in the games that a network learned.
struct LearnedRule {
  std::size_t scalar = 0;  // its index among the scalars
  float value = 0.0f;
};

// Those of a model; none where this program does not know the games it learned, or where the model has other inputs.
std::vector<LearnedRule> learned_rules(const Model& model);

// Moves what these scalars add into the network's bias and makes their weights 0, so that a network that goes on
// learning by other rules begins as one that takes no notice of them. By the learned rules it stays the same but for
// rounding.
void fold_learned_rules(Model& model);

// Writes the values into encoded positions: scalars [positions, scalars of each].
void show_learned_rules(std::span<const LearnedRule> rules, std::span<float> scalars, int each);

// Passes batches on to `evaluator`, with these values in place of what they have. Where they have them, all stays as it
// is to the bit.
std::unique_ptr<Evaluator> make_learned_rules(std::unique_ptr<Evaluator> evaluator, std::vector<LearnedRule> rules);

}  // namespace koridor
