// The search's policy: each action's share after all simulations.
#pragma once

#include "train/targets/target.h"

namespace koridor {

class PolicyTarget final : public Target {
 public:
  Head head() const override { return basic_heads()[0]; }
  double default_weight() const override { return 1.0; }
  const char* comment() const override { return "weight of the loss of the search's policy"; }
  bool legal_only() const override { return true; }
  using Target::write;
  void write(const PlyView& ply, std::vector<ActionShare>& out) const override {
    const std::size_t first = ply.shard.policy_first[ply.ply];
    for (std::size_t i = first; i < first + ply.shard.policy_count[ply.ply]; ++i) {
      out.push_back({ply.shard.policy_action[i], ply.shard.policy_probability[i]});
    }
  }
};

}  // namespace koridor
