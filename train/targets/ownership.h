// The owner of each square at the end of the game, in games that have owners (Go): Wu 2019, section 4.1.
#pragma once

#include <algorithm>
#include <type_traits>
#include <variant>

#include "train/targets/final_owners.h"
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
  template <Game G>
  static void write(const G& game, const PlyView& ply, std::span<float> out) {
    if constexpr (std::is_same_v<G, go::GoGame>) {
      std::ranges::copy(final_owners(game, final_state(game, ply)), out.begin());
    } else if constexpr (requires(typename G::State & state) { game.ownership(state, 0, out); }) {
      game.ownership(final_state(game, ply), 0, out);
    }
  }
};

}  // namespace koridor
