#include "cli/search_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <variant>

#include "core/base/setting.h"
#include "core/error.h"

namespace koridor::cli {
namespace {

std::string expected(const Setting& setting) {
  if (std::holds_alternative<std::string*>(setting.target)) {
    return fmt::format("one of {}", fmt::join(setting.choices, ", "));
  }
  return fmt::format("{} from {:.15g} to {:.15g}",
                     std::holds_alternative<int*>(setting.target) ? "an integer" : "a number", setting.low,
                     setting.high);
}

// False where the text is no such value. Rules have numbers and words only.
bool assign(const Setting& setting, const std::string& text) {
  return std::visit(
      [&](auto* target) {
        using T = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<T, std::string>) {
          if (std::ranges::find(setting.choices, text) == setting.choices.end()) return false;
          *target = text;
          return true;
        } else if constexpr (std::is_same_v<T, int> || std::is_floating_point_v<T>) {
          T value{};
          const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
          if (error != std::errc{} || end != text.data() + text.size()) return false;
          const auto number = static_cast<double>(value);
          if (!(number >= setting.low && number <= setting.high)) return false;
          *target = value;
          return true;
        } else {
          return false;
        }
      },
      setting.target);
}

}  // namespace

void add_search_settings(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--search", settings,
                  "key=value, as in --search gumbel_considered=16: the keys of a configuration's section [match]")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void apply_search_settings(SearchConfig& config, std::span<const std::string> settings) {
  SettingList list;
  list.begin_section("search");
  describe_settings(config, list);
  std::vector<std::string> keys;
  for (const Setting& setting : list.settings()) keys.push_back(setting.key());
  for (const std::string& given : settings) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) throw UserError(fmt::format("--search {}: write it as key=value", given));
    const auto place = std::ranges::find(keys, given.substr(0, equals));
    if (place == keys.end()) {
      throw UserError(fmt::format("--search {}: {}", given, unknown_word("key", given.substr(0, equals), keys)));
    }
    const Setting& setting = list.settings()[static_cast<std::size_t>(place - keys.begin())];
    if (!assign(setting, given.substr(equals + 1))) {
      throw UserError(fmt::format("--search {}: {} must be {}", given, setting.key(), expected(setting)));
    }
  }
}

}  // namespace koridor::cli
