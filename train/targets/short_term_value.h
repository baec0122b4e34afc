// Exponential averages of the root values of this ply's search and the next ones (average_value.h), at three horizons:
// 0.016, 0.056 and 0.176 of the board's area, in plies. The outcome of a game depends on mistakes many
// plies later, which these averages hardly see. KataGo trains such averages ("short-term value" in its KataGoMethods).
#pragma once

#include <array>

#include "train/targets/average_value.h"
#include "train/targets/target.h"

namespace koridor {

class ShortTermValueTarget final : public Target {
 public:
  Head head() const override { return {"short_term_value", Extent::players, Activation::sigmoid, kHorizons}; }
  double default_weight() const override { return 0.0; }
  const char* comment() const override {
    return "weight of the loss of averages of the searches' values over the next plies, as in KataGo; 0: no head";
  }
  using Target::write;
  void write(const PlyView& ply, std::span<float> out) const override {
    const auto players = static_cast<std::size_t>(ply.shard.info.players);
    for (std::size_t horizon = 0; horizon < kHorizons; ++horizon) {
      for (std::size_t player = 0; player < players; ++player) {
        out[horizon * players + player] = average_value(ply, kShares[horizon] * ply.shape.area(), player);
      }
    }
  }

 private:
  static constexpr int kHorizons = 3;
  static constexpr std::array<double, kHorizons> kShares = {0.016, 0.056, 0.176};  // of the board's area
};

}  // namespace koridor
