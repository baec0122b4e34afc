#include "selfplay/matches/players.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

// The kind of the texts that begin with this word; the end of the list where there is none.
std::vector<PlayerKind>::const_iterator find_kind(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(':'));
  return std::ranges::find_if(player_kinds(),
                              [&](const PlayerKind& kind) { return kind.word.empty() || kind.word == word; });
}

// Gives back to the command of an engine what only looks like options.
void restore_command(const PlayerKind& kind, PlayerText& player) {
  const auto own = [&](const PlayerOption& option) {
    return option.value.find(' ') == std::string::npos && std::ranges::find(kind.keys, option.key) != kind.keys.end();
  };
  const auto last = std::ranges::find_if_not(player.options.rbegin(), player.options.rend(), own).base();
  for (auto option = player.options.begin(); option != last; ++option) {
    player.base += "," + option->key + "=" + option->value;
  }
  player.options.erase(player.options.begin(), last);
}

// Throws UserError for an option that the kind does not take, or that is given twice.
void check_options(const PlayerKind& kind, const PlayerText& player, const std::string& text) {
  std::vector<std::string> seen;
  for (const PlayerOption& option : player.options) {
    if (kind.keys.empty()) {
      throw UserError(fmt::format("player \"{}\": {} has nothing to set; write {}", text, player.base, player.base));
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

}  // namespace

MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search) {
  PlayerText split = split_player(text);
  const auto kind = find_kind(split.base);
  if (kind == player_kinds().end()) throw unknown_player(text);
  if (kind->command) restore_command(*kind, split);
  const std::size_t colon = split.base.find(':');
  PlayerRequest request{.text = split.base, .options = split.options, .visits = visits, .search = search};
  if (colon != std::string::npos) request.detail = split.base.substr(colon + 1);
  check_options(*kind, split, text);
  MatchPlayer player = kind->load(request);
  player.name = text;
  return player;
}

UserError unknown_player(const std::string& text) {
  std::vector<std::string> examples;
  std::vector<std::string> usages;
  for (const PlayerKind& kind : player_kinds()) {
    if (!kind.example.empty()) examples.push_back(kind.example);
    usages.push_back(kind.usage);
  }
  const std::string near = nearest(text, examples);
  return UserError(near.empty() ? fmt::format("unknown player \"{}\"; a player is {}", text, fmt::join(usages, ", "))
                                : fmt::format("unknown player \"{}\"; did you mean \"{}\"?", text, near));
}

std::string players_help() {
  std::size_t width = 0;
  for (const PlayerKind& kind : player_kinds()) width = std::max(width, kind.usage.size());
  std::string text = "A player is one of:";
  for (const PlayerKind& kind : player_kinds()) text += fmt::format("\n  {:<{}}  {}", kind.usage, width, kind.help);
  text += "\nOptions follow behind commas, as in MODEL,level=easy or mcts,visits=500:";
  text += fmt::format("\n  level=NAME     {}", level_names());
  text += "\n  visits=N       simulations a move; of a model also 0: it draws from the network's policy";
  text += "\n  temperature=T  of a model's draw among the actions; 0: the best one";
  return text;
}

}  // namespace koridor
