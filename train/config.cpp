#include "train/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <variant>

#include "core/error.h"
#include "core/random.h"
#include "core/registry.h"
#include "models/files.h"

namespace koridor {
namespace {

using Target = SettingTarget;

// One key of the configuration: where it is kept and what it may be. The single list of them, fields(), serves
// reading, writing and hashing.
struct Field {
  std::string name;  // "section.key"
  Target target;
  double low = 0.0;
  double high = 0.0;
  std::vector<std::string> choices;  // of a string; empty: anything
  bool frozen = true;                // must stay equal when a run continues

  std::string section() const { return name.substr(0, name.find('.')); }
  std::string key() const { return name.substr(name.find('.') + 1); }
};

std::vector<Field> fields(Config& config) {
  constexpr double kMillion = 1e6;
  std::vector<Field> list;
  const auto number = [&](const char* name, Target target, double low, double high, bool frozen = true) {
    list.push_back({name, target, low, high, {}, frozen});
  };
  const auto text = [&](const char* name, Target target, std::vector<std::string> choices = {}, bool frozen = true) {
    list.push_back({name, target, 0, 0, std::move(choices), frozen});
  };

  RunConfig& run = config.run;
  text("run.game", &run.game);
  text("run.games", &run.games);
  number("run.seed", &run.seed, 0, 9.2e18);
  number("run.generations", &run.generations, 1, 1e5, false);
  number("run.max_minutes", &run.max_minutes, 0, kMillion, false);
  number("run.threads", &run.threads, 0, 1024, false);

  number("network.blocks", &config.network.blocks, 1, 40);
  number("network.channels", &config.network.channels, 8, 512);
  number("network.pool_every", &config.network.pool_every, 0, 40);
  number("network.policy_channels", &config.network.policy_channels, 1, 512);
  number("network.value_channels", &config.network.value_channels, 1, 512);
  number("network.value_hidden", &config.network.value_hidden, 1, 1024);
  text("network.distances", &config.features.distances);

  const auto describe_search = [&](const char* section, SearchConfig& search, bool frozen) {
    SettingList keys;
    keys.begin_section(section, frozen);
    describe_settings(search, keys);
    for (const Setting& key : keys.settings()) {
      list.push_back({key.name, key.target, key.low, key.high, key.choices, key.frozen});
    }
  };
  describe_search("search", config.search, true);

  SelfplayConfig& selfplay = config.selfplay;
  number("selfplay.games", &selfplay.games, 1, 1e8);
  number("selfplay.first_games", &selfplay.first_games, 0, 1e8);
  number("selfplay.slots", &selfplay.slots, 0, 1024, false);
  number("selfplay.visits", &selfplay.visits, 1, 1e5);
  number("selfplay.cheap_visits", &selfplay.cheap_visits, 1, 1e5);
  number("selfplay.full_share", &selfplay.full_share, 0, 1);
  number("selfplay.opening_plies", &selfplay.opening_plies, 0, 1);
  number("selfplay.opening_temperature", &selfplay.opening_temperature, 0.01, 100);
  number("selfplay.temperature", &selfplay.temperature, 0, 100);
  number("selfplay.temperature_end", &selfplay.temperature_end, 0, 100);
  number("selfplay.temperature_half_life", &selfplay.temperature_half_life, 0, 1e5);
  number("selfplay.repetition_share", &selfplay.repetition_share, 0, 1);
  number("selfplay.cache_mebibytes", &selfplay.cache_mebibytes, 0, 1e5);
  number("selfplay.shard_seconds", &selfplay.shard_seconds, 0.1, 3600);
  text("selfplay.backend", &selfplay.backend, {"uniform", "eigen", "onednn", "torch"});
  text("selfplay.precision", &selfplay.precision, {"auto", "f32", "bf16", "int8"});
  text("selfplay.device", &selfplay.device, {}, false);

  TrainingConfig& training = config.training;
  number("training.batch", &training.batch, 1, 65536);
  number("training.samples_per_position", &training.samples_per_position, 0.01, 1000);
  text("training.optimizer", &training.optimizer, {"adamw", "sgd"});
  number("training.learning_rate", &training.learning_rate, 1e-9, 10);
  number("training.final_learning_rate", &training.final_learning_rate, 0, 10);
  number("training.warmup_steps", &training.warmup_steps, 0, kMillion);
  number("training.weight_decay", &training.weight_decay, 0, 1);
  number("training.momentum", &training.momentum, 0, 1);
  number("training.gradient_clip", &training.gradient_clip, 0, kMillion);
  number("training.ema", &training.ema, 0, 1);
  number("training.value_weight", &training.value_weight, 0, 1000);
  number("training.auxiliary_weight", &training.auxiliary_weight, 0, 1000);
  text("training.bf16", &training.bf16);
  text("training.device", &training.device, {}, false);
  number("training.window_base", &training.window_base, 1, 1e10);
  number("training.window_exponent", &training.window_exponent, 0.01, 1);
  number("training.window_scale", &training.window_scale, 0, 10);
  number("training.reader_threads", &training.reader_threads, 1, 64);
  text("training.start_from", &training.start_from);

  RatingConfig& rating = config.rating;
  number("rating.games", &rating.games, 2, kMillion, false);
  number("rating.visits", &rating.visits, 1, 1e5, false);
  number("rating.previous", &rating.previous, 0, 1000, false);
  number("rating.every", &rating.every, 1, kMillion, false);
  number("rating.opening_plies", &rating.opening_plies, 0, 1000, false);
  text("rating.baselines", &rating.baselines, {}, false);
  describe_search("match", config.match, false);
  return list;
}

// What a value of this field looks like, for error lines.
std::string expected(const Field& field) {
  const auto range = [&](const char* kind) {
    return fmt::format("{} from {:.15g} to {:.15g}", kind, field.low, field.high);
  };
  switch (field.target.index()) {
    case 0:
    case 1:
      return range("an integer");
    case 2:
    case 3:
      return range("a number");
    case 4:
      return "true or false";
    case 6:
      return "a list of strings";
    default:
      return field.choices.empty() ? "a string" : fmt::format("one of \"{}\"", fmt::join(field.choices, "\", \""));
  }
}

// Stores a TOML value in the field; false where it is of another type or out of range.
bool assign(const Field& field, const toml::node& node) {
  const auto in_range = [&](double value) { return value >= field.low && value <= field.high; };
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
    if (value && !field.choices.empty() && std::ranges::find(field.choices, *value) == field.choices.end()) return {};
    return value;
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
            if (!value) return false;
            strings.push_back(*value);
          }
          *target = std::move(strings);
          return true;
        }
      },
      field.target);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string value_text(const Field& field) {
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
      field.target);
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

const Field& find_field(const std::vector<Field>& list, const std::string& name, const std::string& where) {
  const auto found = std::ranges::find(list, name, &Field::name);
  if (found != list.end()) return *found;
  std::vector<std::string> names;
  std::ranges::transform(list, std::back_inserter(names), &Field::name);
  const std::string near = nearest(name, names);
  throw UserError(fmt::format(
      "{}: unknown key \"{}\"{}", where, name,
      near.empty() ? "; the configs/ folder shows every key" : fmt::format("; did you mean \"{}\"?", near)));
}

void assign_or_throw(const Field& field, const toml::node& node, const std::string& where) {
  if (!assign(field, node)) {
    throw UserError(fmt::format("{}: {} must be {}, not {}", where, field.name, expected(field), source_text(node)));
  }
}

void apply_table(const std::vector<Field>& list, const toml::table& table, const std::string& where) {
  const auto place = [&](const toml::node& node) { return fmt::format("{}:{}", where, node.source().begin.line); };
  for (const auto& [section_name, section] : table) {
    const std::string section_text(section_name.str());
    const toml::table* keys = section.as_table();
    if (keys == nullptr) {
      throw UserError(fmt::format("{}: the key \"{}\" stands outside of a section; put it under [run] or another one",
                                  place(section), section_text));
    }
    std::vector<std::string> sections;
    for (const Field& field : list) sections.push_back(field.section());
    if (std::ranges::find(sections, section_text) == sections.end()) {
      const std::string near = nearest(section_text, sections);
      throw UserError(fmt::format(
          "{}: unknown section [{}]; {}", place(section), section_text,
          near.empty() ? "there are [run], [network], [search], [selfplay], [training], [rating] and [match]"
                       : fmt::format("did you mean [{}]?", near)));
    }
    for (const auto& [key, node] : *keys) {
      const Field& field = find_field(list, section_text + "." + std::string(key.str()), place(node));
      assign_or_throw(field, node, place(node));
    }
  }
}

// "section.key=value": the value in TOML, or bare text for a string.
void apply_setting(const std::vector<Field>& list, const std::string& setting) {
  const std::string where = fmt::format("--set {}", setting);
  const auto equals = setting.find('=');
  if (equals == std::string::npos) throw UserError(where + ": write it as section.key=value");
  const Field& field = find_field(list, setting.substr(0, equals), where);
  const std::string value = setting.substr(equals + 1);
  const bool is_text = std::holds_alternative<std::string*>(field.target);
  const bool bare = is_text && (value.empty() || (value.front() != '"' && value.front() != '\''));
  try {
    const toml::table table = toml::parse("value = " + (bare ? quoted(value) : value));
    assign_or_throw(field, *table.get("value"), where);
  } catch (const toml::parse_error&) {
    throw UserError(fmt::format("{}: {} must be {}", where, field.name, expected(field)));
  }
}

// Every game must be one, and all must fit one network.
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
  const auto [family, name, shape] = about(games.front());
  std::vector<std::string> names;
  for (const AnyGame& game : games) {
    const auto [other_family, other_name, other_shape] = about(game);
    if (other_family != family || signature(other_shape) != signature(shape)) {
      throw UserError(fmt::format("{}: {}: {} and {} cannot share a network: they have other players or inputs", where,
                                  key, name, other_name));
    }
    if (std::ranges::find(names, other_name) != names.end()) {
      throw UserError(fmt::format("{}: {}: {} is there twice", where, key, other_name));
    }
    names.push_back(other_name);
  }
}

}  // namespace

Config parse_config(const std::string& toml_text, const std::string& where, std::span<const std::string> settings) {
  Config config;
  const std::vector<Field> list = fields(config);
  try {
    apply_table(list, toml::parse(toml_text), where);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}:{}: not TOML: {}", where, error.source().begin.line, error.source().begin.column,
                                one_line(std::string(error.description()))));
  }
  for (const std::string& setting : settings) {
    apply_setting(list, setting);
    if (setting.starts_with("run.game=")) config.run.games.clear();  // that one board instead of the file's several
  }
  check_games(config, where);
  return config;
}

Config load_config(const std::string& path, std::span<const std::string> settings) {
  return parse_config(read_file(path), path, settings);
}

std::vector<AnyGame> games_of(const Config& config) {
  if (config.run.games.empty()) return {parse_game(config.run.game)};
  std::vector<AnyGame> games;
  for (const std::string& game : config.run.games) games.push_back(parse_game(game));
  return games;
}

NetworkSignature signature_of(const Config& config) {
  return std::visit([&](const auto& game) { return signature(game.encoding(config.features)); },
                    parse_game(config.run.game));
}

std::string to_toml(const Config& config) {
  Config copy = config;
  std::string out;
  std::string section;
  for (const Field& field : fields(copy)) {
    if (field.section() != section) {
      out += fmt::format("{}[{}]\n", section.empty() ? "" : "\n", field.section());
      section = field.section();
    }
    out += fmt::format("{} = {}\n", field.key(), value_text(field));
  }
  return out;
}

std::string config_hash(const Config& config) {
  Config copy = config;
  std::uint64_t hash = 0;
  for (const Field& field : fields(copy)) {
    if (!field.frozen) continue;
    for (char c : fmt::format("{}={}\n", field.name, value_text(field))) {
      hash = mix64(hash ^ static_cast<unsigned char>(c));
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string first_frozen_difference(const Config& run, const Config& given) {
  Config a = run;
  Config b = given;
  const std::vector<Field> ours = fields(a);
  const std::vector<Field> theirs = fields(b);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].frozen && value_text(ours[i]) != value_text(theirs[i])) {
      return fmt::format("{} is {} there and {} here", ours[i].name, value_text(ours[i]), value_text(theirs[i]));
    }
  }
  return {};
}

}  // namespace koridor
