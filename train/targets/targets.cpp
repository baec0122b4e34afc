#include "train/targets/targets.h"

#include <algorithm>
#include <stdexcept>

#include "train/targets/auxiliary.h"
#include "train/targets/coming_actions.h"
#include "train/targets/ownership.h"
#include "train/targets/policy.h"
#include "train/targets/reply.h"
#include "train/targets/short_term_value.h"
#include "train/targets/value.h"

namespace koridor {
namespace {

template <class T>
const T kTarget{};

// The list of all targets. Those of the basic heads come first, in their order (models/network/head.h).
// clang-format off
const Target* const kTargets[] = {
    &kTarget<PolicyTarget>,
    &kTarget<ValueTarget>,
    &kTarget<AuxiliaryTarget>,
    &kTarget<OwnershipTarget>,
    &kTarget<ShortTermValueTarget>,
    &kTarget<ReplyTarget>,
    &kTarget<ComingActionsTarget>,
};
// clang-format on

bool is_basic(const Head& head) {
  const std::vector<Head> basic = basic_heads();
  return std::ranges::find(basic, head) != basic.end();
}

}  // namespace

std::span<const Target* const> all_targets() {
  return kTargets;
}

TargetWeights::TargetWeights() {
  for (const Target* target : all_targets()) (*this)[target->head().name] = target->default_weight();
}

void describe_settings(TargetWeights& weights, SettingList& list) {
  for (const Target* target : all_targets()) {
    const std::string name = target->head().name;
    list.number((name + "_weight").c_str(), &weights[name], 0, 1000, target->comment());
  }
}

std::vector<Objective> objectives_of(const TargetWeights& weights, const EncodingShape& shape) {
  std::vector<Objective> objectives;
  for (const Target* target : all_targets()) {
    const Head head = target->head();
    const double weight = weights.at(head.name);
    if (is_basic(head) || (weight > 0 && target->applies(shape))) objectives.push_back({target, head, weight});
  }
  return objectives;
}

std::vector<Head> heads_of(std::span<const Objective> objectives) {
  std::vector<Head> heads;
  for (const Objective& objective : objectives) heads.push_back(objective.head);
  return heads;
}

NetworkSignature training_signature(const TargetWeights& weights, const EncodingShape& shape) {
  NetworkSignature result = signature(shape);
  result.heads = heads_of(objectives_of(weights, shape));
  return result;
}

std::vector<Objective> objectives_of(const TargetWeights& weights, std::span<const Head> heads) {
  std::vector<Objective> objectives;
  for (const Head& head : heads) {
    const auto all = all_targets();
    const auto found = std::ranges::find(all, head, &Target::head);
    if (found == all.end()) throw std::invalid_argument("no target teaches the head " + head.name);
    objectives.push_back({*found, head, weights.at(head.name)});
  }
  return objectives;
}

}  // namespace koridor
