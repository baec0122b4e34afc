#include "cli/play/game_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor::cli {
namespace {

std::string name_of(const AnyGame& game) {
  return std::visit([](const auto& known) { return known.name(); }, game);
}

std::tm now() {
  return fmt::localtime(std::time(nullptr));
}

std::string new_file(const Session& session) {
  const std::string stem = fmt::format("koridor-{:%Y%m%d-%H%M%S}", now());
  const char* ending = session.family() == "go" ? "sgf" : "txt";
  std::string path = fmt::format("{}.{}", stem, ending);
  for (int number = 2; std::filesystem::exists(path); ++number) path = fmt::format("{}-{}.{}", stem, number, ending);
  return path;
}

}  // namespace

SavedGame load_game(const PlayOptions& options) {
  SavedGameDefaults defaults{.game = {}, .notation = options.notation};
  if (!options.game.empty()) defaults.game = parse_game(options.game);
  std::vector<SavedGame> games = read_saved_games(read_file(options.load), options.load, defaults);
  if (options.load_game > static_cast<int>(games.size())) {
    throw UserError(fmt::format("--load-game {}: {} has {} {}", options.load_game, options.load, games.size(),
                                games.size() == 1 ? "game" : "games"));
  }
  SavedGame& game = games[static_cast<std::size_t>(options.load_game - 1)];
  if (defaults.game && name_of(game.game) != name_of(*defaults.game)) {
    throw UserError(fmt::format("{} is a game of {}, not of {}; leave the game's name out", options.load,
                                name_of(game.game), name_of(*defaults.game)));
  }
  return std::move(game);
}

SavedGame saved_game(const Session& session, const std::string& result) {
  SavedGame saved{.game = session.game(), .actions = {}};
  for (const SessionMove& move : session.moves().first(static_cast<std::size_t>(session.ply()))) {
    saved.actions.push_back(move.action);
  }
  for (int seat = 0; seat < session.players(); ++seat) saved.names.push_back(session.seat_name(seat));
  saved.result = result.empty() ? result_of(saved.game, saved.actions) : result;
  saved.headers = {{"Date", fmt::format("{:%Y.%m.%d}", now())}};
  return saved;
}

std::string save_game(const Session& session, const std::string& result, const std::string& path) {
  const std::string text = write_saved_game(saved_game(session, result), session.notation());
  const std::string file = path.empty() ? new_file(session) : path;
  try {
    write_file_atomically(file, text);
    return file;
  } catch (const UserError&) {
    if (!path.empty()) throw;
  }
  std::string elsewhere = (std::filesystem::temp_directory_path() / file).string();
  write_file_atomically(elsewhere, text);
  return elsewhere;
}

}  // namespace koridor::cli
