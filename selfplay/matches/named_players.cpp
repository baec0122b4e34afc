#include "selfplay/matches/named_players.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/toml_text.h"

namespace koridor {
namespace {

constexpr const char* kUsualFile = "players.toml";
constexpr std::string_view kEnding = ".toml:";
constexpr std::uintmax_t kLargestPlayersFile = 1 << 20;
constexpr std::array<const char*, 6> kOptionKeys = {"seconds", "visits", "margin", "patience", "notation", "first"};

class PlayersFile {
 public:
  explicit PlayersFile(const std::string& path) : path_(path) {
    try {
      tables_ = parse_toml(read_file(path, kLargestPlayersFile), path);
    } catch (const toml::parse_error& error) {
      throw not_toml(error, path);
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, node] : tables_) result.emplace_back(name.str());
    return result;
  }

  std::optional<NamedPlayer> find(const std::string& name) const {
    const toml::node* node = tables_.get(name);
    if (node == nullptr) return std::nullopt;
    const toml::table* table = node->as_table();
    if (table == nullptr) fail(*node, fmt::format("\"{}\" is no table; a player is a table [{}]", name, name));
    return table->contains("player") ? read_player(*table) : read_engine(*table, name);
  }

 private:
  std::string place(const toml::node& node) const { return fmt::format("{}:{}", path_, node.source().begin.line); }

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw UserError(fmt::format("{}: {}", place(node), what));
  }

  std::string text(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, fmt::format("{} must be a string", key));
    return *value;
  }

  NamedPlayer read_player(const toml::table& table) const {
    NamedPlayer player;
    for (const auto& [key, node] : table) {
      if (key.str() != "player") {
        fail(node, fmt::format("beside `player` nothing else is set; write player = \"PLAYER,{}=...\"", key.str()));
      }
      player.text = text(node, "player");
      player.place = place(node);
    }
    return player;
  }

  NamedPlayer read_engine(const toml::table& table, const std::string& name) const {
    NamedPlayer player{.text = {}, .place = place(table), .engine = true};
    std::string protocol;
    std::string command;
    for (const auto& [key_name, node] : table) {
      const std::string key(key_name.str());
      if (key == "protocol") {
        protocol = text(node, key);
        if (protocol != "gtp" && protocol != "qtp" && protocol != "uci") {
          fail(node, unknown_word("protocol", protocol, {"gtp", "qtp", "uci"}));
        }
      } else if (key == "command") {
        command = text(node, key);
      } else if (key == "directory") {
        player.directory = (std::filesystem::path(path_).parent_path() / text(node, key)).string();
      } else if (key == "log") {
        player.log = (std::filesystem::path(path_).parent_path() / text(node, key)).string();
      } else if (key == "commands") {
        read_commands(node, player.commands);
      } else if (key == "options") {
        read_options(node, player.engine_options);
      } else if (std::ranges::find(kOptionKeys, key) != kOptionKeys.end()) {
        player.options.push_back({key, value_text(node, key)});
      } else {
        std::vector<std::string> keys = {"player", "protocol", "command", "directory", "log", "commands", "options"};
        keys.insert(keys.end(), kOptionKeys.begin(), kOptionKeys.end());
        fail(node, unknown_word("key", key, keys));
      }
    }
    if (protocol.empty() || command.empty()) {
      fail(table, fmt::format("[{}] needs protocol and command, or player", name));
    }
    const toml::node* options = table.get("options");
    if (options != nullptr && protocol != "uci") {
      fail(*options, fmt::format("{} has no options; write commands = [\"...\"], lines that are sent after each start",
                                 protocol));
    }
    player.text = protocol + ":" + command;
    return player;
  }

  void read_commands(const toml::node& node, std::vector<std::string>& out) const {
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node, "commands must be a list of strings");
    for (const toml::node& entry : *array) out.push_back(one_line(entry, "commands"));
  }

  void read_options(const toml::node& node, std::vector<PlayerOption>& out) const {
    const toml::table* options = node.as_table();
    if (options == nullptr) fail(node, "options must be a table, as in options = { Hash = 64 }");
    for (const auto& [key, value] : *options) {
      check_one_line(value, key.str(), "the name of an option");
      out.push_back({std::string(key.str()), value_text(value, key.str())});
    }
  }

  std::string one_line(const toml::node& node, std::string_view key) const {
    std::string line = text(node, key);
    check_one_line(node, line, key);
    return line;
  }

  // `what` it is, for the error.
  void check_one_line(const toml::node& node, std::string_view line, std::string_view what) const {
    if (line.find('\n') != std::string_view::npos) {
      fail(node, fmt::format("{}: a line ends in the middle of it", what));
    }
  }

  // A string, a number or a truth value as text.
  std::string value_text(const toml::node& node, std::string_view key) const {
    if (node.is_string()) return one_line(node, key);
    if (!node.is_number() && !node.is_boolean()) fail(node, fmt::format("{} must be a string or a number", key));
    std::ostringstream out;
    node.visit([&](const auto& concrete) { out << concrete; });
    return out.str();
  }

  std::string path_;
  toml::table tables_;
};

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

std::optional<NamedPlayer> find_named_player(const std::string& text) {
  const std::size_t ending = text.rfind(kEnding);
  if (ending == std::string::npos) {
    return is_file(kUsualFile) ? PlayersFile(kUsualFile).find(text) : std::nullopt;
  }
  const std::string path = text.substr(0, ending + kEnding.size() - 1);
  const std::string name = text.substr(ending + kEnding.size());
  const PlayersFile file(path);
  std::optional<NamedPlayer> player = file.find(name);
  if (!player) throw UserError(fmt::format("{}: {}", path, unknown_word("player", name, file.names())));
  return player;
}

std::string description_of(const NamedPlayer& player) {
  std::string text = player.text;
  for (const PlayerOption& option : player.options) text += fmt::format(",{}={}", option.key, option.value);
  if (!player.directory.empty()) text += "; directory " + player.directory;
  for (const std::string& command : player.commands) text += "; command " + command;
  for (const PlayerOption& option : player.engine_options) {
    text += fmt::format("; option {} = {}", option.key, option.value);
  }
  return text;
}

std::vector<std::string> player_names() {
  if (!is_file(kUsualFile)) return {};
  try {
    return PlayersFile(kUsualFile).names();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace koridor
