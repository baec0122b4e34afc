// The list of all targets, and those that a network is trained on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/setting.h"
#include "models/network/network.h"
#include "train/targets/target.h"

namespace koridor {

// Every target, the basic ones (policy, value, auxiliary) first.
std::span<const Target* const> all_targets();

// The weight of each target's loss by the target's name.
struct TargetWeights : std::map<std::string, double> {
  TargetWeights();  // the defaults
};
// The keys "<name>_weight" of the list's section.
void describe_settings(TargetWeights& weights, SettingList& list);

// One part of the training loss: a head, the target it learns, and the part's weight.
struct Objective {
  const Target* target;
  Head head;
  double weight;
};

// Those of games of `shape`: the basic ones, and every other that applies and has a weight. The network's heads are
// theirs, in this order.
std::vector<Objective> objectives_of(const TargetWeights& weights, const EncodingShape& shape);
std::vector<Head> heads_of(std::span<const Objective> objectives);

// A network's inputs, and the heads of these objectives.
NetworkSignature training_signature(const TargetWeights& weights, const EncodingShape& shape);

// The objectives that train these heads. Throws std::invalid_argument for a head that no target teaches.
std::vector<Objective> objectives_of(const TargetWeights& weights, std::span<const Head> heads);

}  // namespace koridor
