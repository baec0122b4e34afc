// The network's outputs. A network has a list of heads (NetworkSignature::heads); its tensors, the trainer's losses and
// the model file follow that list. Search reads `policy` and `value`. The other heads only train the trunk; a program
// leaves heads that it does not know alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

struct EncodingShape;

// What a head has a number for. There are P players, S policy planes and rows * columns squares.
enum class Extent : std::uint8_t {
  actions,  // every action, as game.policy_index counts them: S * rows * columns + 1, the pass last
  outcome,  // every player, counted from the one to move, and the draw: P + 1
  players,  // every player, counted from the one to move: P
  squares,  // every square: rows * columns
  scalar,   // the position: 1
};

// The function that turns a head's logits into its numbers. It also determines the loss: cross-entropy for softmax,
// binary cross-entropy for sigmoid.
enum class Activation : std::uint8_t { softmax, sigmoid };

struct Head {
  // Lower case and underscores, but not planes, scalars, stem or blocks; its tensors are "<name>.out.weight" and
  // "<name>.out.bias".
  std::string name;
  Extent extent = Extent::scalar;
  Activation activation = Activation::sigmoid;
  int count = 1;  // how many of the extent, one after the other, 1..16; 1 for actions
  friend bool operator==(const Head&, const Head&) = default;
};

// The heads that every evaluator reads and every network therefore has: policy, value, auxiliary, in this order.
std::vector<Head> basic_heads();

// How many numbers the head has for one position on a board of `shape`.
int head_size(const Head& head, const EncodingShape& shape);

// Heads as the model file has them, "policy:actions:softmax:1 value:outcome:softmax:1 ...", and back: name, extent,
// activation and count. parse_heads throws UserError, which says what is wrong with the text.
std::string heads_text(const std::vector<Head>& heads);
std::vector<Head> parse_heads(std::string_view text);

}  // namespace koridor
