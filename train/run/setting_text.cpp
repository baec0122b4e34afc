#include "train/run/setting_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/toml_text.h"

namespace koridor {
namespace {

// Stores a TOML value in the setting; false where it has the wrong type or is out of range.
bool assign(const Setting& setting, const toml::node& node) {
  const auto in_range = [&](double value) { return value >= setting.low && value <= setting.high; };
  const auto integer = [&]() -> std::optional<std::int64_t> {
    const auto value = node.value_exact<std::int64_t>();
    return value && in_range(static_cast<double>(*value)) ? value : std::nullopt;
  };
  const auto real = [&]() -> std::optional<double> {
    if (!node.is_number()) return std::nullopt;
    const auto value = node.value<double>();
    return value && in_range(*value) ? value : std::nullopt;
  };
  const auto string = [&]() -> std::optional<std::string> {
    auto value = node.value_exact<std::string>();
    return value && setting.takes(*value) ? value : std::nullopt;
  };
  const auto store = [](auto* target, const auto& value) {
    if (value) *target = static_cast<std::remove_pointer_t<decltype(target)>>(*value);
    return value.has_value();
  };
  return std::visit(
      [&](auto* target) {
        using T = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::uint64_t>) {
          return store(target, integer());
        } else if constexpr (std::is_floating_point_v<T>) {
          return store(target, real());
        } else if constexpr (std::is_same_v<T, bool>) {
          return store(target, node.value_exact<bool>());
        } else if constexpr (std::is_same_v<T, std::string>) {
          return store(target, string());
        } else {
          const toml::array* array = node.as_array();
          if (array == nullptr) return false;
          std::vector<std::string> strings;
          for (const toml::node& entry : *array) {
            const auto value = entry.value_exact<std::string>();
            if (!value || !setting.takes(*value)) return false;
            strings.push_back(*value);
          }
          *target = std::move(strings);
          return true;
        }
      },
      setting.target);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string source_text(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& concrete) { out << concrete; });
  return one_line(out.str());
}

// Section and key of a name; the section is empty where there is no dot.
std::pair<std::string, std::string> parts_of(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// Those that a name may have meant, in quotes: of the same key in other sections, else the nearest key in the section,
// or in all where there is no such section.
std::vector<std::string> near_settings(const SettingList& list, const std::string& name) {
  const auto [section, key] = parts_of(name);
  std::vector<std::string> of_section;
  std::vector<std::string> of_all;
  for (const Setting& setting : list.settings()) {
    const auto [other_section, other_key] = parts_of(setting.name);
    if (other_section == section) of_section.push_back(other_key);
    of_all.push_back(other_key);
  }
  const bool there = std::ranges::find(of_all, key) != of_all.end();
  // Without a section a word may be anything, such as a rule of a game: only a slip of the pen is taken for a key.
  constexpr std::size_t kSlip = 1;
  const std::string meant = there                ? key
                            : section.empty()    ? nearest(key, of_all, kSlip)
                            : of_section.empty() ? nearest(key, of_all)
                                                 : nearest(key, of_section);
  std::vector<std::string> near;
  for (const Setting& setting : list.settings()) {
    const auto [other_section, other_key] = parts_of(setting.name);
    const bool here = there || of_section.empty() || other_section == section;
    if (!meant.empty() && other_key == meant && here) near.push_back(fmt::format("\"{}\"", setting.name));
  }
  return near;
}

const Setting& find_setting(const SettingList& list, const std::string& name, const std::string& where) {
  const auto found = std::ranges::find(list.settings(), name, &Setting::name);
  if (found != list.settings().end()) return *found;
  const std::vector<std::string> near = near_settings(list, name);
  throw UserError(fmt::format(
      "{}: unknown key \"{}\"{}", where, name,
      near.empty() ? fmt::format("; `koridor config` prints every key{}",
                                 name.find('.') == std::string::npos ? ", and rules of the game stand in run.game" : "")
                   : fmt::format("; did you mean {}?", fmt::join(near, " or "))));
}

void assign_or_throw(const Setting& setting, const toml::node& node, const std::string& where) {
  if (!assign(setting, node)) {
    throw UserError(
        fmt::format("{}: {} must be {}, not {}", where, setting.name, expected_text(setting), source_text(node)));
  }
}

// The sections of all keys, each once.
std::vector<std::string> sections_of(const SettingList& list) {
  std::vector<std::string> sections;
  for (const Setting& setting : list.settings()) {
    if (sections.empty() || sections.back() != setting.section()) sections.push_back(setting.section());
  }
  return sections;
}

std::set<std::string> apply_table(const SettingList& list, const toml::table& table, const std::string& where) {
  std::set<std::string> names;
  const std::vector<std::string> sections = sections_of(list);
  const auto place = [&](const toml::node& node) { return fmt::format("{}:{}", where, node.source().begin.line); };
  for (const auto& [section_name, section] : table) {
    const std::string section_text(section_name.str());
    const toml::table* keys = section.as_table();
    const bool known = std::ranges::find(sections, section_text) != sections.end();
    if (keys == nullptr && known) {
      throw UserError(fmt::format("{}: \"{}\" is a section: write [{}] on a line of its own and its keys below",
                                  place(section), section_text, section_text));
    }
    if (keys == nullptr) {
      throw UserError(fmt::format("{}: the key \"{}\" stands outside of a section; put it under [run] or another one",
                                  place(section), section_text));
    }
    if (!known) {
      const std::string near = nearest(section_text, sections);
      throw UserError(fmt::format("{}: unknown section [{}]; {}", place(section), section_text,
                                  near.empty() ? fmt::format("there are [{}]", fmt::join(sections, "], ["))
                                               : fmt::format("did you mean [{}]?", near)));
    }
    for (const auto& [key, node] : *keys) {
      const Setting& setting = find_setting(list, section_text + "." + std::string(key.str()), place(node));
      assign_or_throw(setting, node, place(node));
      names.insert(setting.name);
    }
  }
  return names;
}

}  // namespace

std::string expected_text(const Setting& setting) {
  const auto range = [&](const char* kind) {
    return fmt::format("{} from {:.15g} to {:.15g}", kind, setting.low, setting.high);
  };
  switch (setting.target.index()) {
    case 0:
    case 1:
      return range("an integer");
    case 2:
    case 3:
      return range("a number");
    case 4:
      return "true or false";
    case 6:
      return setting.form == nullptr ? "a list of strings" : fmt::format("a list of strings, each {}", setting.form);
    default:
      if (setting.form != nullptr) return setting.form;
      return setting.choices.empty() ? "a string" : fmt::format("one of \"{}\"", fmt::join(setting.choices, "\", \""));
  }
}

std::string value_text(const Setting& setting) {
  return std::visit(
      [](const auto* target) -> std::string {
        using T = std::remove_cvref_t<decltype(*target)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return quoted(*target);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          std::vector<std::string> entries;
          std::ranges::transform(*target, std::back_inserter(entries), quoted);
          return fmt::format("[{}]", fmt::join(entries, ", "));
        } else if constexpr (std::is_floating_point_v<T>) {
          return fmt::format("{}", *target);  // the shortest text that reads back to the same number
        } else {
          return fmt::format("{}", *target);
        }
      },
      setting.target);
}

std::set<std::string> apply_toml(const SettingList& list, const std::string& text, const std::string& where) {
  try {
    return apply_table(list, parse_toml(text, where), where);
  } catch (const toml::parse_error& error) {
    throw not_toml(error, where);
  }
}

std::string apply_assignment(const SettingList& list, const std::string& assignment, const std::string& where) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) throw UserError(where + ": write it as key=value");
  const Setting& setting = find_setting(list, assignment.substr(0, equals), where);
  const std::string value = assignment.substr(equals + 1);
  const bool is_text = std::holds_alternative<std::string*>(setting.target);
  const bool bare = is_text && (value.empty() || (value.front() != '"' && value.front() != '\''));
  try {
    const toml::table table = parse_toml("value = " + (bare ? quoted(value) : value), where);
    if (table.size() != 1) throw UserError(where + ": it sets more than one key");
    assign_or_throw(setting, *table.get("value"), where);
  } catch (const toml::parse_error&) {
    throw UserError(fmt::format("{}: {} must be {}", where, setting.name, expected_text(setting)));
  }
  return setting.name;
}

}  // namespace koridor
