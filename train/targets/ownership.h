// The owner of each square at the end of the game, in games that have owners (Go): Wu 2019, section 4.1.
#pragma once

#include <variant>

#include "train/targets/target.h"

namespace koridor {

class OwnershipTarget final : public Target {
 public:
  Head head() const override { return {"ownership", Extent::squares, Activation::sigmoid, 1}; }
  bool applies(const EncodingShape& shape) const override { return shape.ownership_planes > 0; }
  double default_weight() const override { return 0.15; }
  const char* comment() const override { return "weight of the loss of each square's final owner, Go only; Wu 2019"; }
  bool of_game() const override { return true; }
  using Target::write;
  void write(const PlyView& ply, std::span<float> out) const override {
    std::visit([&](const auto& game) { write(game, ply, out); }, ply.game);
  }

 private:
  // The position after the game's last ply says who owns what.
  template <Game G>
  static void write(const G& game, const PlyView& ply, std::span<float> out) {
    if constexpr (requires(typename G::State & state) { game.ownership(state, 0, out); }) {
      const auto bytes = static_cast<std::size_t>(game.packed_size());
      auto state = *game.unpack(std::span(ply.shard.ply_state).subspan(ply.ply * bytes, bytes));
      game.apply(state, Action{ply.shard.ply_action[ply.ply]});
      game.ownership(state, 0, out);
    }
  }
};

}  // namespace koridor
