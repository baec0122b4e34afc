#include "train/run/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/sealed_text.h"
#include "core/base/text.h"
#include "core/registry.h"
#include "models/network/model_file.h"
#include "train/run/config_table.h"
#include "train/run/setting_text.h"

namespace koridor {
namespace {

constexpr std::uintmax_t kLargestConfiguration = std::uintmax_t{1} << 20;

// Throws UserError unless every game exists and all of them fit one network.
void check_games(Config& config, const std::string& where) {
  const bool several = !config.run.games.empty();
  const char* const key = several ? "run.games" : "run.game";
  if (several) config.run.game = config.run.games.front();
  std::vector<AnyGame> games;
  try {
    games = games_of(config);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}: {}", where, key, error.what()));
  }
  const auto about = [&](const AnyGame& game) {
    return std::visit(
        [&](const auto& known) {
          return std::tuple(std::string(known.family()), known.name(), known.encoding(config.features));
        },
        game);
  };
  if (games.size() > kMostLearnedGames) {
    throw UserError(fmt::format("{}: {}: it names {} boards, and a network learns at most {}", where, key, games.size(),
                                kMostLearnedGames));
  }
  const auto [family, name, shape] = about(games.front());
  std::vector<std::string> names;
  for (const AnyGame& game : games) {
    const auto [other_family, other_name, other_shape] = about(game);
    if (other_family != family || !signature(other_shape).same_inputs(signature(shape))) {
      throw UserError(fmt::format("{}: {}: {} and {} cannot share a network: they have other players or inputs", where,
                                  key, name, other_name));
    }
    if (std::ranges::find(names, other_name) != names.end()) {
      throw UserError(fmt::format("{}: {}: {} is there twice", where, key, other_name));
    }
    names.push_back(other_name);
  }
}

// Throws UserError where the loop cannot run at once with what is asked beside.
void check_mode(const Config& config, const std::string& where) {
  if (config.run.mode != "continuous") return;
  if (!config.rating.gate.empty()) {
    throw UserError(where + ": run.mode: \"continuous\" does not go with rating.gate, for which self-play must wait");
  }
  if (config.run.games.size() > 1) {
    throw UserError(where + ": run.mode: \"continuous\" learns one board, and run.games names several");
  }
}

// The learning rates of each optimiser where nobody names others (train/METHODS.md).
struct UsualRates {
  std::string_view optimizer;
  double first;
  double final;
};
constexpr UsualRates kUsualRates[] = {{"muon", 0.012, 0.0003}, {"adamw", 0.002, 0.00005}, {"sgd", 0.02, 0.0005}};

void set_learning_rates(TrainingConfig& training, const std::set<std::string>& given) {
  const UsualRates& usual = *std::ranges::find(kUsualRates, training.optimizer, &UsualRates::optimizer);
  if (!given.contains("training.learning_rate")) training.learning_rate = usual.first;
  if (given.contains("training.final_learning_rate")) return;
  training.final_learning_rate = training.learning_rate == usual.first ? usual.final : training.learning_rate / 40;
}

// The keys of both configurations beside each other.
struct Pair {
  Config first;
  Config second;
  SettingList first_keys;
  SettingList second_keys;

  Pair(const Config& a, const Config& b) : first(a), second(b) {
    describe_settings(first, first_keys);
    describe_settings(second, second_keys);
  }
  // Calls visit(setting of the first, its value as text, that of the second) for each key.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < first_keys.settings().size(); ++i) {
      const Setting& setting = first_keys.settings()[i];
      visit(setting, value_text(setting), value_text(second_keys.settings()[i]));
    }
  }
};

Cell value_cell(const Setting& setting) {
  return std::visit(
      [&](const auto* value) -> Cell {
        if constexpr (std::is_constructible_v<Cell, decltype(*value)>) {
          return *value;
        } else {
          return value_text(setting);
        }
      },
      setting.target);
}

// "key = value"
std::string assignment(const Setting& setting) {
  return fmt::format("{} = {}", setting.key(), value_text(setting));
}

// What print(setting) gives for each key, under the headings of their sections.
template <class Print>
std::string sections_text(const SettingList& list, const Print& print) {
  std::string text;
  std::string section;
  for (const Setting& setting : list.settings()) {
    if (setting.section() != section) {
      section = setting.section();
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    text += print(setting);
  }
  return text;
}

}  // namespace

int steps_for(const TrainingConfig& config, std::uint64_t new_positions) {
  const double steps =
      std::ceil(static_cast<double>(new_positions) * config.samples_per_position / static_cast<double>(config.batch));
  if (steps > std::numeric_limits<int>::max()) {
    throw UserError(fmt::format(
        "training.samples_per_position ({}) and training.batch ({}) make {:.0f} steps of {} positions, and {} is the "
        "most; give fewer samples or a larger batch",
        config.samples_per_position, config.batch, steps, new_positions, std::numeric_limits<int>::max()));
  }
  return static_cast<int>(steps);
}

int steps_of_generation(const TrainingConfig& config, std::uint64_t new_positions, std::uint64_t window_positions) {
  const double full = static_cast<double>(window_positions) / config.window_base;
  if (config.start_from.empty() || full >= 1) return steps_for(config, new_positions);
  return steps_for(config, static_cast<std::uint64_t>(std::ceil(static_cast<double>(new_positions) * full)));
}

void describe_settings(Config& config, SettingList& list) {
  list.begin_section("run");
  describe_settings(config.run, list);
  list.begin_section("network");
  describe_settings(config.network, list);
  for (const auto& [name, member, comment] : kFeatureNames) list.flag(name, &(config.features.*member), comment);
  list.begin_section("search");
  describe_settings(config.search, list);
  list.begin_section("selfplay");
  describe_settings(config.selfplay, list);
  list.begin_section("training");
  describe_settings(config.training, list);
  list.begin_section("rating");
  describe_settings(config.rating, list);
  list.begin_section("match", false);
  describe_settings(config.match, list);
}

Config parse_config(const std::string& toml_text, const std::string& where, std::span<const std::string> settings) {
  Config config;
  SettingList list;
  describe_settings(config, list);
  std::set<std::string> given = apply_toml(list, toml_text, where);
  for (const std::string& setting : settings) {
    given.insert(apply_assignment(list, setting, "--set " + setting));
    if (setting.starts_with("run.game=")) config.run.games.clear();  // that one board instead of the file's several
  }
  // Keys that were one key before follow it where they are not given themselves: older files mean what they meant.
  if (given.contains("search.algorithm") && !given.contains("match.algorithm")) {
    config.match.algorithm = config.search.algorithm;
  }
  if (given.contains("training.auxiliary_weight") && !given.contains("training.ownership_weight")) {
    config.training.weights["ownership"] = config.training.weights["auxiliary"];
  }
  set_learning_rates(config.training, given);
  // What is wrong is blamed on the last assignment of its key, where there is one.
  const auto blamed = [&](std::initializer_list<const char*> keys) {
    for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {
      const std::string key = setting->substr(0, setting->find('='));
      if (std::ranges::find(keys, key) != keys.end()) return "--set " + *setting;
    }
    return where;
  };
  check_games(config, blamed({"run.game", "run.games"}));
  check_mode(config, blamed({"run.mode", "rating.gate"}));
  return config;
}

Config load_config(const std::string& path, std::span<const std::string> settings) {
  const std::string text = read_file(path, kLargestConfiguration);
  unseal_lines(text, path);  // throws where a run's configuration is damaged
  Config unused;
  SettingList list;
  describe_settings(unused, list);
  if (apply_toml(list, text, path).empty()) {
    throw UserError(fmt::format("{}: it sets no key; `koridor config` prints every key with its meaning", path));
  }
  return parse_config(text, path, settings);
}

void check_training(const TrainingConfig& training) {
  if (training.ema == 1 && !training.start_from.empty()) {
    throw UserError(
        "training.ema = 1 with training.start_from: every model would be the one that the run starts from; "
        "give less than 1");
  }
  if (training.final_learning_rate > training.learning_rate) {
    throw UserError(fmt::format(
        "training.final_learning_rate ({}) is above training.learning_rate ({}), from which the rate falls; "
        "give at most that",
        training.final_learning_rate, training.learning_rate));
  }
  if (std::ranges::all_of(training.weights, [](const auto& weight) { return weight.second == 0; })) {
    throw UserError("all weights of losses are 0 (training.policy_weight and the others): nothing would be learned");
  }
  if (training.learning_rate * training.weight_decay >= 1) {
    throw UserError(
        fmt::format("training.weight_decay ({}) times training.learning_rate ({}) is the share of a weight that a step "
                    "takes away; it must be less than 1",
                    training.weight_decay, training.learning_rate));
  }
}

std::vector<AnyGame> games_of(const Config& config) {
  if (config.run.games.empty()) return {parse_game(config.run.game)};
  std::vector<AnyGame> games;
  for (const std::string& game : config.run.games) games.push_back(parse_game(game));
  return games;
}

std::set<std::string> boards_of(const Config& config) {
  std::set<std::string> names;
  for (const AnyGame& game : games_of(config)) names.insert(name_of(game));
  return names;
}

NetworkSignature signature_of(const Config& config) {
  return std::visit(
      [&](const auto& game) { return training_signature(config.training.weights, game.encoding(config.features)); },
      parse_game(config.run.game));
}

std::string to_toml(const Config& config) {
  Config copy = config;
  SettingList list;
  describe_settings(copy, list);
  return sections_text(list, [](const Setting& setting) { return assignment(setting) + "\n"; });
}

Table config_table(const Config& config) {
  using enum ColumnType;
  Table table(
      "keys",
      {{"key", text}, {"value", any}, {"default", any}, {"expected", text}, {"may_change", truth}, {"meaning", text}});
  const Pair pair(config, {});
  for (std::size_t i = 0; i < pair.first_keys.settings().size(); ++i) {
    const Setting& setting = pair.first_keys.settings()[i];
    table.add({setting.name, value_cell(setting), value_cell(pair.second_keys.settings()[i]), expected_text(setting),
               !setting.frozen, setting.comment});
  }
  return table;
}

std::string config_reference() {
  Config config;
  SettingList list;
  describe_settings(config, list);
  return sections_text(list, [](const Setting& setting) {
    const std::string changes = setting.frozen ? "" : "; may change between the stops of a run";
    return wrapped_text(fmt::format("{} ({}{})", setting.comment, expected_text(setting), changes), 110, "# ") + "\n" +
           assignment(setting) + "\n";
  });
}

std::string config_summary(const Config& config) {
  std::map<std::string, std::string> changed;  // the defaults of the keys that have another value
  Pair pair(config, {});
  pair.for_each([&](const Setting& setting, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) changed[setting.name] = otherwise;
  });
  return sections_text(pair.first_keys, [&](const Setting& setting) {
    const auto found = changed.find(setting.name);
    return found == changed.end() ? assignment(setting) + "\n"
                                  : fmt::format("{:<40}  # default: {}\n", assignment(setting), found->second);
  });
}

std::string config_hash(const Config& config) {
  std::uint64_t hash = 0;
  Pair(config, {}).for_each([&](const Setting& setting, const std::string& value, const std::string& otherwise) {
    if (!setting.frozen || value == otherwise) return;
    for (char c : fmt::format("{}={}\n", setting.name, value)) hash = mix64(hash ^ static_cast<unsigned char>(c));
  });
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> differences(const Config& there, const Config& here,
                                     const std::function<bool(const Setting&)>& counts) {
  std::vector<std::string> differences;
  Pair(there, here).for_each([&](const Setting& setting, const std::string& value, const std::string& other) {
    if (value == other || !counts(setting)) return;
    differences.push_back(fmt::format("{} is {} there and {} here", setting.name, value, other));
  });
  return differences;
}

std::string first_difference(const Config& run, const Config& given,
                             const std::function<bool(const Setting&)>& counts) {
  const std::vector<std::string> all = differences(run, given, counts);
  return all.empty() ? "" : all.front();
}

std::string first_frozen_difference(const Config& run, const Config& given) {
  return first_difference(run, given, [](const Setting& setting) { return setting.frozen; });
}

}  // namespace koridor
