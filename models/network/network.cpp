#include "models/network/network.h"

#include <algorithm>

namespace koridor {

NetworkConfig obstacles_to_growth(const NetworkConfig& from, const NetworkConfig& to) {
  NetworkConfig result = to;
  for (int NetworkConfig::*number : {&NetworkConfig::blocks, &NetworkConfig::channels, &NetworkConfig::policy_channels,
                                     &NetworkConfig::value_channels, &NetworkConfig::value_hidden}) {
    if (from.*number > to.*number) result.*number = from.*number;
  }
  for (int block = 0; block < std::min(from.blocks, to.blocks); ++block) {
    if (from.pools(block) != to.pools(block)) result.pool_every = from.pool_every;
  }
  return result;
}

bool grows_into(const NetworkConfig& from, const NetworkConfig& to) {
  return obstacles_to_growth(from, to) == to;
}

void describe_settings(NetworkConfig& config, SettingList& list) {
  list.number("blocks", &config.blocks, 1, 40, "residual blocks of two 3x3 convolutions");
  list.number("channels", &config.channels, 8, 512, "channels of the trunk");
  list.number("pool_every", &config.pool_every, 0, 40,
              "distance, in blocks, between two blocks with global pooling; 0: no block has it; Wu 2019, section 3.3");
  list.number("policy_channels", &config.policy_channels, 1, 512, "channels of the policy head");
  list.number("value_channels", &config.value_channels, 1, 512, "channels of the value head");
  list.number("value_hidden", &config.value_hidden, 1, 4096, "hidden units of the value head");
}

std::vector<std::pair<std::string, std::vector<int>>> network_tensors(const NetworkConfig& config,
                                                                      const NetworkSignature& signature) {
  const int channels = config.channels;
  std::vector<std::pair<std::string, std::vector<int>>> tensors;
  const auto add = [&](const std::string& name, const std::vector<int>& weight, bool bias = true) {
    tensors.emplace_back(name + ".weight", weight);
    if (bias) tensors.emplace_back(name + ".bias", std::vector<int>{weight[0]});
  };
  const auto add_head = [&](const Head& head) {
    switch (head.extent) {
      case Extent::actions:
        add(head.name + ".out", {signature.policy_planes, config.policy_channels});
        return add(head.name + ".pass", {1, 2 * channels});
      case Extent::outcome:
        return add(head.name + ".out", {head.count * (signature.players + 1), config.value_hidden});
      case Extent::players:
        return add(head.name + ".out", {head.count * signature.players, config.value_hidden});
      case Extent::squares:
        return add(head.name + ".out", {head.count, config.value_channels});
      case Extent::scalar:
        return add(head.name + ".out", {head.count, config.value_hidden});
    }
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
  add_head(signature.heads.front());  // the policy
  add("value.conv", {config.value_channels, channels});
  add("value.hidden", {config.value_hidden, 2 * config.value_channels});
  for (std::size_t i = 1; i < signature.heads.size(); ++i) add_head(signature.heads[i]);
  return tensors;
}

std::uint64_t multiply_adds(const NetworkConfig& config, const NetworkSignature& signature, int area) {
  NetworkSignature evaluated = signature;
  evaluated.heads = basic_heads();
  std::uint64_t total = 0;
  for (const auto& [name, shape] : network_tensors(config, evaluated)) {
    if (!name.ends_with(".weight")) continue;
    std::uint64_t products = 1;
    for (const int side : shape) products *= static_cast<std::uint64_t>(side);
    const bool on_every_square =
        shape.size() == 4 || name == "policy.conv.weight" || name == "policy.out.weight" || name == "value.conv.weight";
    total += products * (on_every_square ? static_cast<std::uint64_t>(area) : 1);
  }
  return total;
}

}  // namespace koridor
