#include "cli/match_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/search/clock.h"
#include "selfplay/matches/openings.h"
#include "selfplay/matches/players.h"
#include "train/run/output_file.h"
#include "train/run/rating.h"

namespace koridor::cli {
namespace {

// A file's path, and the hash of what is in it; empty for an empty path.
std::string with_hash(const std::string& path) {
  return path.empty() ? path : fmt::format("{} (content {})", path, file_hash(path));
}

}  // namespace

void add_match_options(const Command& command, MatchCommandOptions& options) {
  command
      .add_option("--visits", options.visits,
                  "Simulations a move, of players that search (default: 64, or no limit beside --clock)")
      .range(1, 1000000);
  command
      .add_option("--clock", options.clock,
                  "Each player's time; who oversteps it loses: 60+0.6, 0.1/move, 10/move,300/game, 5m+5x30s, "
                  "5m+25/300s, 40/5m (core/search/clock.h)")
      .type_name("TIME")
      .show_default();
  command
      .add_option(
          "--opening-plies", options.opening_plies,
          "Random plies before each group, on average; of --openings: so many plies of each game (default: all)")
      .range(0.0, 1000.0)
      .show_default(fmt::to_string(MatchOptions{}.opening_plies));
  command
      .add_option("--openings", options.openings,
                  "Openings from a file of games (notation text or SGF), those of this game, one after the other")
      .type_name("FILE");
  command
      .add_option("--opening-player", options.opening_player,
                  "Plays the opening for every seat, as in MODEL,visits=0,temperature=1")
      .type_name("PLAYER")
      .excludes("--openings");
  command.add_option("--seed", options.seed, "The same seed plays the same games").show_default();
  command.add_option("--threads", options.threads, "0: all cores").range(0, 1024).show_default();
  add_algorithm(command, options.algorithm);
  add_search_settings(command, options.search);
  command
      .add_option("--resign", options.resign,
                  "A player that expects so little for so many turns resigns, as in value=0.02,turns=3,play_on=0.1; a "
                  "share play_on of the games is played on, to count its mistakes")
      .type_name("RULE");
  command
      .add_option("--draw", options.draw,
                  "A game is drawn when it was even for so many turns, as in plies=100,within=0.05,turns=8")
      .type_name("RULE");
  command.add_flag("--proven", options.proven, "A game ends as soon as a player has proven its result");
  command.add_option("--save", options.save, "Write the games into this file: SGF for Go, else notation text")
      .type_name("FILE");
  command
      .add_option("--out", options.out,
                  "Keep every game in this directory as it ends (text, SGF, HDF5); the same command goes on with it")
      .type_name("DIR");
  add_evaluation(command, options.evaluation, true);
  add_rule_settings(command, options.settings);
}

int visits_of(const MatchCommandOptions& options) {
  if (options.visits > 0) return options.visits;
  return parse_time_control(options.clock).none() ? Strength{}.visits : Strength::kEndless;
}

SearchConfig match_search_of(const MatchCommandOptions& options) {
  SearchConfig search = match_search();
  search.algorithm = options.algorithm;
  apply_search_settings(search, options.search);
  return search;
}

MatchOptions match_options(const MatchCommandOptions& options, const AnyGame& game) {
  MatchOptions match;
  match.games = options.games;
  match.clock = parse_time_control(options.clock);
  match.opening_plies = options.opening_plies.value_or(match.opening_plies);
  match.seed = options.seed;
  match.threads = options.threads;
  match.evaluation = options.evaluation;
  match.adjudication.proven = options.proven;
  if (!options.resign.empty()) {
    match.adjudication.resign = read_resign_rule(options.resign, "--resign");
    if (players_of(game) != 2) {
      throw UserError(fmt::format("--resign: {} has more than two players", name_of(game)));
    }
  }
  if (!options.draw.empty()) match.adjudication.draw = read_draw_rule(options.draw, "--draw");
  if (!options.openings.empty()) {
    const int plies = options.opening_plies ? static_cast<int>(*options.opening_plies) : -1;
    if (options.opening_plies && *options.opening_plies != plies) {
      throw UserError(fmt::format("--opening-plies {}: of the games of --openings it is a whole number of plies",
                                  *options.opening_plies));
    }
    match.openings =
        std::make_shared<const std::vector<std::vector<Action>>>(read_openings(options.openings, game, plies));
  }
  if (!options.opening_player.empty()) {
    // Openings are not played at a clock, so that something else has to limit their searches.
    const int visits = options.visits > 0 ? options.visits : Strength{}.visits;
    match.opening_player = load_found_player(options.opening_player, visits, match_search_of(options));
  }
  return match;
}

void fit_openings(const MatchCommandOptions& options, const AnyGame& game, Schedule& schedule, MatchOptions& match) {
  if (!match.openings) return;
  const auto openings = static_cast<int>(match.openings->size());
  if (schedule.groups <= openings) return;
  const int enough = openings * schedule.group_size();
  if (options.games_given) {
    throw UserError(fmt::format("--games {}: {} has {} of {}, enough for {} games; give that, or more openings",
                                match.games, options.openings, counted(openings, "opening"), name_of(game), enough));
  }
  schedule.groups = openings;
  match.games = enough;
}

namespace {

// What the games of a match depend on. A setting that differs is named to the user by its key here.
MatchIdentity identity_of(const MatchCommandOptions& options, const AnyGame& game,
                          const std::vector<std::string>& players) {
  MatchIdentity identity{.players = players, .settings = {}, .schedule = options.schedule};
  auto& settings = identity.settings;
  const int visits = visits_of(options);
  settings["--visits"] = visits == Strength::kEndless ? std::string("no limit") : fmt::to_string(visits);
  for (const auto& [key, value] : search_texts(match_search_of(options), game)) {
    settings["--search " + key] = value;
  }
  settings["--clock"] = options.clock;
  settings["--opening-plies"] = options.openings.empty() || options.opening_plies
                                    ? fmt::to_string(options.opening_plies.value_or(MatchOptions{}.opening_plies))
                                    : std::string("all of each game");
  settings["--openings"] = with_hash(options.openings);
  // A player as it was written says neither what a file of players has under its name nor what is in a model's file.
  const auto look_behind = [&](const std::string& text, const std::string& who) {
    const NamedPlayer meant = meant_player(find_player(text));
    if (!meant.place.empty()) settings["definition of " + who] = description_of(meant);
    if (const std::string file = model_path(meant.text); !file.empty()) settings["model of " + who] = with_hash(file);
  };
  for (std::size_t i = 0; i < players.size(); ++i) look_behind(players[i], fmt::format("player {}", i + 1));
  settings["--opening-player"] = options.opening_player;
  if (!options.opening_player.empty()) look_behind(options.opening_player, "--opening-player");
  settings["--precision"] = options.evaluation.precision;
  settings["--backend"] = options.evaluation.backend;
  settings["--device"] = options.evaluation.device;
  settings["--seed"] = fmt::to_string(options.seed);
  settings["--resign"] = options.resign;
  settings["--draw"] = options.draw;
  settings["--proven"] = options.proven ? "true" : "false";
  return identity;
}

// The files of openings, players and models that the match reads.
std::vector<std::string> files_read(const MatchCommandOptions& options, std::vector<std::string> players) {
  players.push_back(options.opening_player);
  std::vector<std::string> files = {options.openings};
  for (const std::string& player : players) {
    const std::vector<std::string> of_player = files_of_player(player);
    files.insert(files.end(), of_player.begin(), of_player.end());
  }
  return files;
}

// Throws UserError where the file of --save is one that --out keeps in its folder.
void check_not_kept(const std::filesystem::path& save, const std::string& out) {
  namespace fs = std::filesystem;
  if (out.empty()) return;
  const auto absolute = [](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path)); };
  if (absolute(save).parent_path() != absolute(fs::path(out) / "x").parent_path()) return;
  const std::string name = save.filename().string();
  if (name != "match.json" && !name.starts_with("games")) return;
  throw UserError(
      fmt::format("--save {}: --out keeps its own files under such names; name another file", save.string()));
}

// Throws UserError where the file of --save cannot be written; what is in it stays.
void check_saves(const std::string& path) {
  std::error_code ignored;
  const bool there = std::filesystem::exists(path, ignored);
  if (!std::ofstream(path, std::ios::app))
    throw UserError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  if (!there) std::filesystem::remove(path, ignored);
}

}  // namespace

GameKeeper::GameKeeper(const MatchCommandOptions& options, const AnyGame& game, std::vector<std::string> players,
                       const Schedule& schedule)
    : path_(options.save), game_(game), players_(std::move(players)) {
  if (!path_.empty()) {
    check_not_read("--save", path_, files_read(options, players_));
    check_not_kept(path_, options.out);
    refuse_file_of_run("--save", path_);
  }
  if (!options.out.empty()) {
    refuse_other_files(options.out, options.what);
    files_.emplace(options.out, game, identity_of(options, game, players_), schedule, options.seed);
  }
  if (path_.empty()) return;
  lock_.emplace(path_);
  check_saves(path_);
  if (!files_) return;
  for (const MatchGame& played : files_->played()) save(played);
}

void GameKeeper::attach(MatchOptions& match) {
  if (files_) match.played = files_->played();
  match.on_game = [this](const MatchGame& played) { add(played); };
}

void GameKeeper::add(const MatchGame& played) {
  if (files_) files_->add(played);
  if (!path_.empty()) save(played);
}

void GameKeeper::save(const MatchGame& played) {
  if (!file_.is_open()) file_.open(path_, std::ios::trunc);
  file_ << write_saved_game(saved_match_game(game_, players_, played));
  file_.flush();
  if (!file_) throw UserError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void GameKeeper::close() {
  if (files_) files_->close();
}

std::string left_out_words(int games) {
  if (games == 0) return "";
  return fmt::format("Not counted: {} of openings that were not played from every seat\n", counted(games, "game"));
}

std::string repeated_words(int repeated, int games) {
  if (2 * repeated <= games) return "";
  return fmt::format("{} of {} went move by move as an earlier one: they say nothing new of the players\n", repeated,
                     counted(games, "game"));
}

}  // namespace koridor::cli
