#include "models/network/network.h"

namespace koridor {

std::vector<std::pair<std::string, std::vector<int>>> network_tensors(const NetworkConfig& config,
                                                                      const NetworkSignature& signature) {
  const int channels = config.channels;
  std::vector<std::pair<std::string, std::vector<int>>> tensors;
  const auto add = [&](const std::string& name, const std::vector<int>& weight, bool bias = true) {
    tensors.emplace_back(name + ".weight", weight);
    if (bias) tensors.emplace_back(name + ".bias", std::vector<int>{weight[0]});
  };
  add("stem", {channels, signature.planes, 3, 3});
  add("scalars", {channels, signature.scalars}, false);
  for (int block = 0; block < config.blocks; ++block) {
    const std::string prefix = "blocks." + std::to_string(block);
    add(prefix + ".first", {channels, channels, 3, 3});
    if (config.pools(block)) add(prefix + ".pool", {channels, 2 * channels});
    add(prefix + ".second", {channels, channels, 3, 3});
  }
  add("policy.conv", {config.policy_channels, channels});
  add("policy.pool", {config.policy_channels, 2 * channels}, false);
  add("policy.out", {signature.policy_planes, config.policy_channels});
  add("policy.pass", {1, 2 * channels});
  add("value.conv", {config.value_channels, channels});
  add("value.hidden", {config.value_hidden, 2 * config.value_channels});
  add("value.out", {signature.players + 1, config.value_hidden});
  add("auxiliary.out", {signature.players, config.value_hidden});
  if (signature.ownership_planes > 0) add("ownership.out", {signature.ownership_planes, config.value_channels});
  return tensors;
}

}  // namespace koridor
