#include "models/network/device.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/number.h"

namespace koridor {

Device parse_device(std::string_view name) {
  if (name == "auto") return {};
  if (name == "cpu") return {Device::Kind::cpu};
  if (name == "cuda") return {Device::Kind::cuda};
  constexpr std::string_view kNumbered = "cuda:";
  if (name.starts_with(kNumbered)) {
    const auto number = read_number<int>(name.substr(kNumbered.size()), 0, std::numeric_limits<int>::max());
    if (number) return {Device::Kind::cuda, *number};
  }
  throw UserError(unknown_word("device", name, {"auto", "cpu", "cuda", "cuda:NUMBER"}));
}

bool is_device(const std::string& name) {
  try {
    parse_device(name);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

std::string name_of(const Device& device) {
  switch (device.kind) {
    case Device::Kind::automatic:
      return "auto";
    case Device::Kind::cpu:
      return "cpu";
    case Device::Kind::cuda:
      break;
  }
  return device.number < 0 ? "cuda" : fmt::format("cuda:{}", device.number);
}

std::vector<int> gpus_of(const Device& device, int gpus, const char* finder) {
  if (device.kind == Device::Kind::cpu || (device.kind == Device::Kind::automatic && gpus == 0)) return {};
  if (gpus == 0) {
    throw UserError(fmt::format("device {}: {} finds no GPU here; use auto or cpu", name_of(device), finder));
  }
  if (device.number >= gpus) {
    throw UserError(fmt::format("device {}: {} finds {} GPUs here, counted from 0", name_of(device), finder, gpus));
  }
  if (device.number >= 0) return {device.number};
  std::vector<int> all(static_cast<std::size_t>(gpus));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace koridor
