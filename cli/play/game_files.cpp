#include "cli/play/game_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/saved_result.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

std::tm now() {
  return fmt::localtime(std::time(nullptr));
}

std::string key_of(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
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

SavedGame saved_game(const Session& session, const GivenEnd& end) {
  SavedGame saved{.game = session.game(), .actions = session.played_actions()};
  for (int seat = 0; seat < session.players(); ++seat) saved.names.push_back(session.seat_name(seat));
  saved.result = end.result.empty() ? result_of(saved.game, saved.actions) : end.result;
  saved.headers = {{"Date", fmt::format("{:%Y.%m.%d}", now())}};
  if (!end.termination.empty()) saved.headers.emplace_back("Termination", end.termination);
  return saved;
}

// What is in the file before this run saves there.
GameFiles::Games& GameFiles::games_of(const Session& session, const std::string& path) {
  if (const auto known = files_.find(key_of(path)); known != files_.end()) return known->second;
  check_output("--save", path);
  Games games;
  games.lock = std::make_unique<SaveLock>(path);
  std::error_code ignored;
  const bool there = std::filesystem::exists(path, ignored) && std::filesystem::file_size(path, ignored) > 0;
  if (there) read_earlier(session, path, games);
  return files_.emplace(key_of(path), std::move(games)).first->second;
}

void GameFiles::read_earlier(const Session& session, const std::string& path, Games& games) const {
  try {
    std::string text = read_file(path);
    if (!text.ends_with('\n')) text += '\n';
    const SavedGameDefaults defaults{.game = session.game(), .notation = session.notation()};
    const int count = static_cast<int>(read_saved_games(text, path, defaults).size());
    const std::string whole = text + write_saved_game(saved_game(session, {}), session.notation());
    if (std::ssize(read_saved_games(whole, path, defaults)) != count + 1) {
      throw UserError(path + ": its games are in another format");
    }
    std::error_code ignored;
    if (count == 1 && std::filesystem::equivalent(path, continued_, ignored)) return;
    games.count = count;
    games.earlier = std::move(text);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}; saving would lose what is in it, so name another file", error.what()));
  }
}

void GameFiles::check(const Session& session, const std::string& path) {
  games_of(session, path);
}

GameFiles::Place GameFiles::save(const Session& session, const GivenEnd& end, const std::string& path) {
  const std::string text = write_saved_game(saved_game(session, end), session.notation());
  if (!path.empty()) {
    Games& games = games_of(session, path);
    write_file_atomically(path, games.earlier + text);
    games.present = text;
    return {path, games.count + 1};
  }
  const std::string file = new_file(session);
  try {
    write_file_atomically(file, text);
    files_[key_of(file)].present = text;
    return {file};
  } catch (const UserError&) {  // the working folder takes no file
    std::string elsewhere = (temporary_folder() / file).string();
    write_file_atomically(elsewhere, text);
    files_[key_of(elsewhere)].present = text;
    return {std::move(elsewhere)};
  }
}

void GameFiles::next_game() {
  continued_.clear();
  for (auto& [path, games] : files_) {
    if (games.present.empty()) continue;
    games.earlier += std::exchange(games.present, "");
    ++games.count;
  }
}

}  // namespace koridor::cli
