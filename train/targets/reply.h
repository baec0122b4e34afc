// The next ply's policy: that of its search where it was a full one, else the action played, also by one of
// selfplay.opponents (KataGo's "opponent's reply", Wu 2019, section 3.4).
#pragma once

#include <limits>

#include "train/targets/pawn_names.h"
#include "train/targets/target.h"

namespace koridor {

class ReplyTarget final : public Target {
 public:
  Head head() const override { return {"reply", Extent::actions, Activation::softmax, 1}; }
  bool learns_from(const AnyGame& game) const override { return !names_pawns_by_mover(game); }
  double default_weight() const override { return 0.0; }
  const char* comment() const override { return "weight of the loss of the next ply's policy; 0: no head; Wu 2019"; }
  using Target::write;
  void write(const PlyView& ply, std::vector<ActionShare>& out) const override {
    const std::size_t next = ply.ply + 1;
    if (next == ply.end || !learns_from(ply.game)) return;
    const ShardData& shard = ply.shard;
    const std::size_t first = shard.policy_first[next];
    for (std::size_t i = first; i < first + shard.policy_count[next]; ++i) {
      out.push_back({shard.policy_action[i], shard.policy_probability[i]});
    }
    if (shard.policy_count[next] == 0)
      out.push_back({shard.ply_action[next], std::numeric_limits<std::uint16_t>::max()});
  }
};

}  // namespace koridor
