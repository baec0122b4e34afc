// The network's outputs. A network has a list of heads (NetworkSignature::heads); its tensors, the trainer's losses and
// the model file follow that list. Search reads `policy` and `value`; other heads teach the trunk, and a program that
// does not know one leaves it alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

struct EncodingShape;

// What a head has a number for. P players, S policy planes, rows x columns squares.
enum class Extent : std::uint8_t {
  actions,  // every action, as game.policy_index counts them: S * rows * columns + 1, the pass last
  outcome,  // every player, counted from the one to move, and the draw: P + 1
  players,  // every player, counted from the one to move: P
  squares,  // every square: rows * columns
  scalar,   // the position: 1
};

// What turns a head's logits into its numbers, and with it the loss: cross-entropy or binary cross-entropy.
enum class Activation : std::uint8_t { softmax, sigmoid };

struct Head {
  std::string name;  // lower case and underscores; its tensors are "<name>.out.weight", "<name>.out.bias"
  Extent extent = Extent::scalar;
  Activation activation = Activation::sigmoid;
  int count = 1;  // so many of the extent, one after the other, 1..16; 1 for actions
  friend bool operator==(const Head&, const Head&) = default;
};

// The heads every evaluator reads, and which every network therefore has: policy, value, auxiliary, in this order.
std::vector<Head> basic_heads();

// Numbers of a head for one position on a board of `shape`.
int head_size(const Head& head, const EncodingShape& shape);

// "policy:actions:softmax:1 value:outcome:softmax:1 ...": what the model file says, and back. parse_heads throws
// UserError that says what is wrong with the text.
std::string heads_text(const std::vector<Head>& heads);
std::vector<Head> parse_heads(std::string_view text);

}  // namespace koridor
