#include "core/base/setting_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/number.h"

namespace koridor {
namespace {

// Calls visit(target) with the setting's number or word.
template <class Visit>
auto with_target(const Setting& setting, Visit&& visit) {
  if (std::string* const* word = std::get_if<std::string*>(&setting.target)) return visit(*word);
  if (int* const* whole = std::get_if<int*>(&setting.target)) return visit(*whole);
  if (double* const* real = std::get_if<double*>(&setting.target)) return visit(*real);
  if (float* const* real = std::get_if<float*>(&setting.target)) return visit(*real);
  throw std::logic_error(setting.name + " is no number and no word");
}

void assign(const Setting& setting, std::string_view value, std::string_view where) {
  with_target(setting, [&](auto* target) {
    using Number = std::remove_reference_t<decltype(*target)>;
    if constexpr (std::is_same_v<Number, std::string>) {
      const std::string word(value);
      if (!setting.takes(word)) {
        const std::string why = setting.choices.empty() ? fmt::format("{}={}: {} must be {}", setting.key(), word,
                                                                      setting.key(), setting.form)
                                                        : unknown_word(setting.key(), word, setting.choices);
        throw UserError(fmt::format("{}: {}", where, why));
      }
      *target = word;
      return;
    } else {
      const auto number =
          read_number<Number>(value, static_cast<Number>(setting.low), static_cast<Number>(setting.high));
      if (!number) {
        throw UserError(fmt::format("{}: {}={}: {} must be a number from {} to {}", where, setting.key(), value,
                                    setting.key(), setting.low, setting.high));
      }
      *target = *number;
    }
  });
}

}  // namespace

void read_setting_words(const SettingList& list, std::string_view text, std::string_view where) {
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      throw UserError(
          fmt::format("{}: \"{}\" is not of the form key=value; write {}", where, word, setting_words(list)));
    }
    const std::string key(word.substr(0, equals));
    std::vector<std::string> keys;
    const Setting* found = nullptr;
    for (const Setting& setting : list.settings()) {
      keys.push_back(setting.key());
      if (setting.key() == key) found = &setting;
    }
    if (found == nullptr) throw UserError(fmt::format("{}: {}", where, unknown_word("key", key, keys)));
    if (!seen.insert(key).second) throw UserError(fmt::format("{}: {} is given twice", where, key));
    assign(*found, word.substr(equals + 1), where);
  }
}

std::string setting_words(const SettingList& list) {
  std::string text;
  for (const Setting& setting : list.settings()) {
    text += text.empty() ? "" : ",";
    text += with_target(setting, [&](const auto* target) { return fmt::format("{}={}", setting.key(), *target); });
  }
  return text;
}

}  // namespace koridor
