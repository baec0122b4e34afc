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

// The weight of each target's loss, by the name of its head.
struct TargetWeights : std::map<std::string, double> {
  TargetWeights();  // the defaults
};
// Adds the keys "<name>_weight" to the list's section.
void describe_settings(TargetWeights& weights, SettingList& list);

// One term of the training loss: a head, the target that it learns, and the term's weight.
struct Objective {
  const Target* target;
  Head head;
  double weight;
};

// The objectives for games of `shape`: those of the basic targets, and of every other target that applies and has a
// weight above 0. The network's heads are theirs, in this order.
std::vector<Objective> objectives_of(const TargetWeights& weights, const EncodingShape& shape);
std::vector<Head> heads_of(std::span<const Objective> objectives);

// The signature of a network for games of `shape` with the heads of these objectives.
NetworkSignature training_signature(const TargetWeights& weights, const EncodingShape& shape);

// The objectives that train these heads. Throws std::invalid_argument for a head that no target has.
std::vector<Objective> objectives_of(const TargetWeights& weights, std::span<const Head> heads);

}  // namespace koridor
