#include "selfplay/matches/players.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace koridor {

// Instantiated in each kind's file (players/kind.h).
template <class Kind>
PlayerKind describe_kind();

template <class... Kinds>
struct KindList {
  static std::vector<PlayerKind> describe() { return {describe_kind<Kinds>()...}; }
};

// Every kind of player: a new one is a file in players/ and a line here. The last one takes the texts of no other kind.
using AllKinds = KindList<       //
    struct RandomPlayerKind,     //
    struct GreedyPlayerKind,     //
    struct AlphaBetaPlayerKind,  //
    struct MctsPlayerKind,       //
    struct SolverPlayerKind,     //
    struct GtpPlayerKind,        //
    struct QtpPlayerKind,        //
    struct UciPlayerKind,        //
    struct ModelPlayerKind>;

const std::vector<PlayerKind>& player_kinds() {
  static const std::vector<PlayerKind> kinds = AllKinds::describe();
  return kinds;
}

const PlayerKind& kind_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(':'));
  return *std::ranges::find_if(player_kinds(),
                               [&](const PlayerKind& kind) { return kind.word.empty() || kind.word == word; });
}

namespace {

// As split_player, but an engine's command keeps what only looks like options.
PlayerText split_options(const std::string& text) {
  PlayerText player = split_player(text);
  const PlayerKind& kind = kind_of(player.base);
  if (!kind.command) return player;
  const auto own = [&](const PlayerOption& option) {
    return option.value.find(' ') == std::string::npos && std::ranges::find(kind.keys, option.key) != kind.keys.end();
  };
  const auto last = std::ranges::find_if_not(player.options.rbegin(), player.options.rend(), own).base();
  for (auto option = player.options.begin(); option != last; ++option) {
    player.base += "," + option->key + "=" + option->value;
  }
  player.options.erase(player.options.begin(), last);
  return player;
}

// Throws UserError for an option that the kind does not take, or that is given twice.
void check_options(const PlayerKind& kind, const NamedPlayer& player, const std::string& text) {
  std::vector<std::string> seen;
  for (const PlayerOption& option : player.options) {
    if (kind.keys.empty()) {
      throw UserError(fmt::format("player \"{}\": {} has nothing to set; write {}", text, player.text, player.text));
    }
    if (std::ranges::find(kind.keys, option.key) == kind.keys.end()) {
      throw UserError(fmt::format("player \"{}\": {}", text, unknown_word("key", option.key, kind.keys)));
    }
    if (std::ranges::find(seen, option.key) != seen.end()) {
      throw UserError(fmt::format("player \"{}\": {} is given twice", text, option.key));
    }
    seen.push_back(option.key);
  }
}

// Throws UserError where an option is written without its value, as in "mcts,visits", which would else be a player that
// nobody knows. A file may have such a name, and an engine's command such a word.
void check_values(const NamedPlayer& player, const std::string& text) {
  std::error_code ignored;
  const std::size_t comma = player.text.rfind(',');
  if (comma == std::string::npos || std::filesystem::exists(player.text, ignored)) return;
  const std::string key = player.text.substr(comma + 1);
  const std::string before = player.text.substr(0, player.text.find(','));
  const PlayerKind& kind = kind_of(before);
  if (kind.command) return;
  if (kind.keys.empty()) {
    throw UserError(fmt::format("player \"{}\": {} has nothing to set; write {}", text, before, before));
  }
  if (std::ranges::find(kind.keys, key) == kind.keys.end()) return;
  const char* example = key == "visits" ? "500" : key == "level" ? "easy" : "VALUE";
  throw UserError(fmt::format("{} needs a value: {}={}", key, player.text, example));
}

MatchPlayer load_meant(const NamedPlayer& meant, const std::string& text, int visits, const SearchConfig& search) {
  check_values(meant, text);
  const PlayerKind& kind = kind_of(meant.text);
  check_options(kind, meant, text);
  PlayerRequest request{.text = meant.text,
                        .options = meant.options,
                        .visits = visits,
                        .search = search,
                        .directory = meant.directory,
                        .log = meant.log,
                        .commands = meant.commands,
                        .engine_options = meant.engine_options};
  const std::size_t colon = meant.text.find(':');
  if (colon != std::string::npos) request.detail = meant.text.substr(colon + 1);
  MatchPlayer player = kind.load(request);
  player.name = text;
  return player;
}

}  // namespace

NamedPlayer meant_player(const std::string& text) {
  const PlayerText written = split_options(text);
  std::error_code ignored;
  const bool may_be_name =
      kind_of(written.base).word.empty() && !std::filesystem::is_regular_file(written.base, ignored);
  std::optional<NamedPlayer> named = may_be_name ? find_named_player(written.base) : std::nullopt;
  if (!named) return {.text = written.base, .options = written.options};
  if (!named->engine) {
    PlayerText meant = split_options(named->text);
    named->text = std::move(meant.base);
    named->options = std::move(meant.options);
  }
  for (const PlayerOption& option : written.options) {
    std::erase_if(named->options, [&](const PlayerOption& other) { return other.key == option.key; });
  }
  named->options.insert(named->options.end(), written.options.begin(), written.options.end());
  return *std::move(named);
}

MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search) {
  const NamedPlayer meant = meant_player(text);
  try {
    return load_meant(meant, text, visits, search);
  } catch (const UserError& error) {
    if (meant.place.empty()) throw;
    throw UserError(fmt::format("{}: {}", meant.place, error.what()));
  }
}

bool has_usual_visits(const std::string& text) {
  const NamedPlayer meant = meant_player(text);
  const PlayerKind& kind = kind_of(meant.text);
  if (std::ranges::find(kind.keys, "visits") == kind.keys.end()) return false;
  // What stands behind the colon of a search is its visits.
  if (!kind.word.empty() && !kind.command && meant.text.find(':') != std::string::npos) return false;
  return std::ranges::none_of(meant.options, [](const PlayerOption& option) {
    return option.key == "visits" || option.key == "seconds" || option.key == "level";
  });
}

bool is_unknown_word(const std::string& text) {
  if (!kind_of(text.substr(0, text.find(','))).word.empty()) return false;
  // Any text may be a path; one without a slash and without a model's ending is more likely a misspelt player.
  const std::filesystem::path file(text);
  if (file.has_parent_path() || file.has_extension()) return false;
  std::error_code ignored;
  return !std::filesystem::exists(file, ignored) && !std::filesystem::exists(text.substr(0, text.rfind('@')), ignored);
}

UserError unknown_player(const std::string& text, const std::vector<std::string>& models) {
  std::vector<std::string> examples = player_names();
  examples.insert(examples.end(), models.begin(), models.end());
  std::vector<std::string> usages;
  for (const PlayerKind& kind : player_kinds()) {
    if (!kind.example.empty()) examples.push_back(kind.example);
    usages.push_back(kind.usage);
  }
  const std::string near = nearest(text, examples);
  if (!near.empty() && near != text)
    return UserError(fmt::format("unknown player \"{}\"; did you mean \"{}\"?", text, near));
  std::string line = fmt::format("unknown player \"{}\"; a player is {}", text, fmt::join(usages, ", "));
  if (!models.empty()) line += fmt::format("; the trained models are {}", fmt::join(models, ", "));
  return UserError(line);
}

std::string players_help() {
  std::size_t width = 0;
  for (const PlayerKind& kind : player_kinds()) width = std::max(width, kind.usage.size());
  std::string text = "A player is one of:";
  for (const PlayerKind& kind : player_kinds()) text += fmt::format("\n  {:<{}}  {}", kind.usage, width, kind.help);
  text +=
      fmt::format("\n  {:<{}}  a player of the file players.toml; FILE.toml:NAME one of another file", "NAME", width);
  text += "\nOptions follow behind commas, as in MODEL,level=easy or mcts,visits=500:";
  text += fmt::format("\n  level=NAME     {}", level_names());
  text += "\n  visits=N       simulations a move; of a model also 0: it draws from the network's policy";
  text += "\n  seconds=S      of thinking a move; without visits beside it nothing else limits the search";
  text += "\n  leaves=N       of a model's search that are evaluated at once (default 1)";
  text += "\n  algorithm=NAME of a model's search, instead of --algorithm";
  text += "\n  c_puct=C, gumbel_c_scale=S, ...  of a model's search: any key of a configuration's section [match]";
  text += "\n  temperature=T  of a model's draw among the actions; 0: the best one";
  text += "\nand of an engine:";
  text += "\n  seconds=S      for each action, where no clock runs";
  text += "\n  visits=N       simulations for each action, of uci: alone";
  text += "\n  margin=S       seconds of its time that it is not told of (0.02)";
  text += "\n  patience=S     seconds after which it is given up, where no clock runs (60)";
  text += "\n  notation=NAME, first=COLOUR  as --notation and --first of `koridor engine`";
  return text;
}

}  // namespace koridor
