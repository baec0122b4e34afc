#include "selfplay/matches/plain_players.h"

#include <algorithm>
#include <array>

namespace koridor {

// Instantiated in each kind's file (players/kind.h).
template <class Kind>
PlayerKind describe_kind();
struct RandomPlayerKind;
struct GreedyPlayerKind;
struct AlphaBetaPlayerKind;
struct MctsPlayerKind;

const std::vector<std::string>& plain_players() {
  static const std::vector<std::string> all{"random", "greedy", "alphabeta:2", "alphabeta:3", "mcts"};
  return all;
}

MatchPlayer plain_player(const std::string& text, int visits, const SearchConfig& search) {
  static const std::array kinds = {describe_kind<RandomPlayerKind>(), describe_kind<GreedyPlayerKind>(),
                                   describe_kind<AlphaBetaPlayerKind>(), describe_kind<MctsPlayerKind>()};
  if (std::ranges::find(plain_players(), text) == plain_players().end()) {
    throw UserError(unknown_word("player", text, plain_players()));
  }
  PlayerRequest request{.text = text, .visits = visits, .search = search};
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) request.detail = text.substr(colon + 1);
  const auto kind = std::ranges::find(kinds, text.substr(0, colon), &PlayerKind::word);
  MatchPlayer player = kind->load(request);
  player.name = text;
  return player;
}

}  // namespace koridor
