#include "cli/match_games.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace koridor::cli {

MatchGames::MatchGames(const std::string& path, const AnyGame& game, const std::string& a, const std::string& b)
    : path_(path), game_(game), a_(a), b_(b), file_(path, std::ios::trunc) {
  if (!file_) throw UserError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void MatchGames::add(const MatchGame& played) {
  SavedGame saved{.game = game_, .actions = played.actions};
  const int players = std::visit([](const auto& known) { return known.players(); }, game_);
  for (int seat = 0; seat < players; ++seat) saved.names.push_back(seat == played.seat ? a_ : b_);
  saved.result = result_of(game_, played.actions);
  saved.headers = {{"Round", fmt::to_string(played.number + 1)},
                   {"OpeningPlies", fmt::to_string(played.opening_plies)}};
  file_ << write_saved_game(saved);
  file_.flush();
  if (!file_) throw UserError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

}  // namespace koridor::cli
