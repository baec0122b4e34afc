// Models of files as players: what their options mean.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/base/setting_words.h"
#include "models/network/precision.h"
#include "selfplay/matches/players/kind.h"

namespace koridor {
namespace {

// What the options say, by rising weight: --visits, a level, and what is said of the player's own.
Strength strength_of(const PlayerRequest& request) {
  Strength strength = timed_strength(request, 0);
  if (const std::string* name = find_option(request, "level")) {
    const Strength level = find_level(*name).strength;
    strength.visits = number_option(request, "visits", 0, kMaxPlayerVisits, level.visits);
    strength.temperature = level.temperature;
  }
  strength.leaves = number_option(request, "leaves", 1, Strength::kMostLeaves, 1);
  strength.temperature = number_option(request, "temperature", 0.0, 100.0, strength.temperature);
  return strength;
}

// Takes the precision after the last "@" off a player's text; empty where there is none. Throws UserError where the
// text before the "@" is a file, the whole text is none, and the word behind it is no precision.
std::string split_precision(std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return {};
  if (!find_precision(text.substr(at + 1))) {
    std::error_code ignored;
    const bool file_before = std::filesystem::is_regular_file(text.substr(0, at), ignored);
    if (!file_before || std::filesystem::exists(text, ignored)) return {};
    throw UserError(text + ": " + unknown_word("precision", text.substr(at + 1), precision_names()));
  }
  const std::string precision = text.substr(at + 1);
  text.resize(at);
  return precision;
}

// The settings of a search, which a player may have of its own.
SettingList search_settings(SearchConfig& config) {
  SettingList list;
  list.begin_section("match");
  describe_settings(config, list);
  return list;
}

// The options that a model takes.
std::vector<std::string> option_keys() {
  std::vector<std::string> keys = {"level", "visits", "seconds", "temperature", "leaves"};
  SearchConfig config;
  const SettingList list = search_settings(config);
  for (const Setting& setting : list.settings()) keys.push_back(setting.key());
  return keys;
}

// The match's search, with what the player says of its own.
SearchConfig search_of(const PlayerRequest& request) {
  SearchConfig config = request.search;
  const SettingList list = search_settings(config);
  for (const PlayerOption& option : request.options) {
    if (std::ranges::find(list.settings(), option.key, &Setting::key) == list.settings().end()) continue;
    read_setting_words(list, option.key + "=" + option.value, fmt::format("player \"{}\"", request.text));
  }
  return config;
}

MatchPlayer load_model_player(const PlayerRequest& request) {
  if (is_unknown_word(request.text)) throw unknown_player(request.text);
  std::string path = request.text;
  const std::string precision = split_precision(path);
  MatchPlayer player = model_player(request.text, std::make_shared<const Model>(load_model(path)), strength_of(request),
                                    search_of(request));
  player.precision = precision;
  return player;
}

}  // namespace

struct ModelPlayerKind {
  static PlayerKind describe() {
    return {.word = "",
            .usage = "MODEL[@PRECISION]",
            .example = "",
            .help = "tree search with the model of a file, perhaps in a precision of its own (f32, bf16 or int8)",
            .keys = option_keys(),
            .load = load_model_player};
  }
};
template PlayerKind describe_kind<ModelPlayerKind>();

}  // namespace koridor
