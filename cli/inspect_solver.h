// koridor inspect --solver: how true what games teach is.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/base/table.h"
#include "core/registry.h"
#include "selfplay/matches/yardstick/target_truth.h"
#include "selfplay/shards/shard.h"

namespace koridor::cli {

// How true the results and the searches' values of shards are, variant by variant.
class TargetTruths {
 public:
  // The solver's tables of each variant have this much memory, in MiB.
  explicit TargetTruths(int mebibytes) : mebibytes_(mebibytes) {}

  // Solves the game first, if it is a new one. Throws UserError where it has more than two players or cannot be solved,
  // where a game breaks the rules, or where somebody stops it.
  void add(const std::string& file, const ShardData& data);
  void show(TableWriter& out) const;

 private:
  struct Judge {
    AnyGame game;
    TargetTruth truth;
    std::size_t games = 0;
  };
  Judge judge_of(const AnyGame& game) const;

  int mebibytes_;
  std::map<std::string, Judge> judges_;
};

}  // namespace koridor::cli
