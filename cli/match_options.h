// The options that `match` and `tournament` share: how games are played, how they begin, what ends them early, and
// where they are kept.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/base/save_lock.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/match_files.h"
#include "selfplay/matches/schedule.h"

namespace koridor::cli {

struct MatchCommandOptions {
  std::string what = "a match";  // that --out keeps
  // The subcommand's own options on which the schedule depends, by name.
  std::map<std::string, std::string> schedule;
  std::string game;
  int games = 100;
  bool games_given = false;
  int visits = 0;  // 0: not given
  std::string clock = "none";
  std::optional<double> opening_plies;  // none: not given
  std::string openings;
  std::string opening_player;
  std::uint64_t seed = 1;
  int threads = 0;
  std::string algorithm = kRuleOfGame;
  std::vector<std::string> search;
  std::string resign;
  std::string draw;
  bool proven = false;
  std::string save;
  std::string out;
  Evaluation evaluation = match_evaluation();
  std::vector<std::string> settings;
};

// Adds the options but --games; `options` must outlive the parsing.
void add_match_options(const Command& command, MatchCommandOptions& options);

// What the options say of the games, all but `games`. Throws UserError.
MatchOptions match_options(const MatchCommandOptions& options, const AnyGame& game);
// Where the openings are those of a file, the schedule gets no more groups than there are openings, and `match.games`
// becomes as many games as a match, or each contest, then has. Throws UserError where --games asks for more: players
// without chance would play the same games again, which would count as new ones.
void fit_openings(const MatchCommandOptions& options, const AnyGame& game, Schedule& schedule, MatchOptions& match);
SearchConfig match_search_of(const MatchCommandOptions& options);
// The visits of players that do not say: those of --visits, else 64 or, at a clock, no limit.
int visits_of(const MatchCommandOptions& options);

// Where the games of a match go as they end: the file of --save and the directory of --out.
class GameKeeper {
 public:
  // `players`: as they were written. The game must outlive the object. An older file of --save is there until the first
  // game ends. Throws UserError where the file cannot be written, is one that the match reads or one in which another
  // process saves, and as refuse_other_files and MatchFiles.
  GameKeeper(const MatchCommandOptions& options, const AnyGame& game, std::vector<std::string> players,
             const Schedule& schedule);

  // Lets the match go on with the games of earlier starts, and keep those that end.
  void attach(MatchOptions& match);
  void close();

 private:
  void add(const MatchGame& played);
  void save(const MatchGame& played);

  std::string path_;
  std::optional<SaveLock> lock_;
  const AnyGame& game_;
  std::vector<std::string> players_;
  std::ofstream file_;
  std::optional<MatchFiles> files_;
};

// A line that says how many games were left out, as their groups are not whole; empty where none was.
std::string left_out_words(int games);
// A line that says that more than half of the games went as earlier ones (repeats.h); empty where fewer did.
std::string repeated_words(int repeated, int games);

}  // namespace koridor::cli
