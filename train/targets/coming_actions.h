// Which actions this ply and the next ones bring, whoever plays them: where walls will stand and pawns will go, in Go
// where stones will be. The k-th ply from this one has weight l^k with l = 1 - 1 / (1 + h), where the horizon h is 0.15
// of the board's area, in plies. Like ownership in Go (Wu 2019, section 4.1) it says of single squares how the game
// went on.
#pragma once

#include <cstdint>
#include <limits>

#include "train/targets/pawn_names.h"
#include "train/targets/target.h"

namespace koridor {

class ComingActionsTarget final : public Target {
 public:
  Head head() const override { return {"coming_actions", Extent::actions, Activation::softmax, 1}; }
  bool learns_from(const AnyGame& game) const override { return !names_pawns_by_mover(game); }
  double default_weight() const override { return 0.0; }
  const char* comment() const override {
    return "weight of the loss of the actions of this ply and the next ones, of all players; 0: no head";
  }
  using Target::write;
  void write(const PlyView& ply, std::vector<ActionShare>& out) const override {
    if (!learns_from(ply.game)) return;
    const double keep = 1.0 - 1.0 / (1.0 + kHorizon * ply.shape.area());
    double share = std::numeric_limits<std::uint16_t>::max();
    for (std::size_t row = ply.ply; row < ply.end && share >= kLeast; ++row, share *= keep) {
      out.push_back({ply.shard.ply_action[row], static_cast<std::uint16_t>(share)});
    }
  }

 private:
  static constexpr double kHorizon = 0.15;  // of the board's area, in plies
  static constexpr double kLeast = 1000.0;  // of 65,535: later plies are left out
};

}  // namespace koridor
