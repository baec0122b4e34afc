// Packed positions: the first byte chooses the game, the rest are the bytes, cut or filled up with zeros to a
// position's length. What unpacks must pack to the same bytes and be a position one can play on from.
#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "tests/fuzz/fuzz_tools.h"

namespace {

template <koridor::Game G>
void try_bytes(const G& game, std::vector<std::uint8_t> bytes) {
  using namespace koridor;
  bytes.resize(static_cast<std::size_t>(game.packed_size()));
  const auto unpacked = game.unpack(bytes);
  if (!unpacked) return;
  std::vector<std::uint8_t> again(bytes.size(), 0xFF);
  game.pack(*unpacked, again);
  fuzz::require(again == bytes);
  const EncodingShape shape = game.encoding({});
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  Position position(game);
  position.state = *unpacked;
  Random random(1);
  for (int ply = 0;; ++ply) {
    if (ply % 8 == 0) {
      game.encode(position.state, {}, game.num_symmetries() - 1, planes.data(), scalars.data());
      fuzz::require(!game.print_board(position.state, Notation::modern, false).empty());
    }
    if (game.outcome(position.state, position.history).over()) break;
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    fuzz::require(!legal.empty());
    position.apply(game, legal.nth(random.below(legal.count())));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::visit([&](const auto& game) { try_bytes(game, {data + 1, data + size}); }, koridor::fuzz::game_number(data[0]));
  return 0;
}
