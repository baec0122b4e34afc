// Runs and other players on one scale: generations of different runs meet in cross matches, some of each run meet every
// player that is named beside the runs (a program, a model of elsewhere), and one fit of Elo covers these and
// all matches of the runs themselves. The results of the cross matches are kept in a file, by what the players are and
// not by where they lie, so that they are played once.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "train/run/config.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"

namespace koridor {

// A run as a comparison names it.
struct LabelledRun {
  RunDirectory directory;
  Config config;
  std::string label;  // the folder's name, or the path as it was given where two folders have the same name
};

// Reads the runs' configurations. Throws UserError where one cannot be read, and where a run is there twice.
std::vector<LabelledRun> load_runs(const std::vector<std::string>& paths);
// A message on standard error for each run whose models have a gap: what lies behind it is in no table.
void warn_of_missing_models(std::span<const LabelledRun> runs);
// A generation of a run, or a player.
struct CrossSide {
  std::size_t run = 0;  // its place among the runs
  int generation = 0;
  std::string player{};  // where it is not empty, it is this player
};

struct CrossMatch {
  CrossSide a;
  CrossSide b;
};

struct CrossOptions {
  int generations = 3;                 // of each run that play cross matches: spread evenly, the last among them
  std::vector<int> chosen{};           // these instead; a run plays with those of them that it has
  int games = 0;                       // of each cross match; 0: rating.games of the first run
  std::vector<std::string> players{};  // who else meets these generations, as load_player takes them
  std::filesystem::path store{};       // the file of results, as store_of() takes it
  // Where it is not empty: these matches instead, in this order. No other generation is on the scale then, and no match
  // of the runs themselves counts.
  std::vector<CrossMatch> matches{};
};

// The file of results that is given; where it is empty, "cross-matches.json" beside the runs: in the first, by name, of
// the folders that hold them.
std::filesystem::path store_of(const std::vector<LabelledRun>& runs, const std::filesystem::path& given);
// Throws UserError where such a file is there and damaged: before the work, not behind it.
void check_cross_matches(const std::filesystem::path& store);

class Comparison {
 public:
  // Throws UserError unless all runs have the same boards.
  Comparison(std::vector<LabelledRun> runs, CrossOptions options);

  // The cross matches that are not in the file yet, and all of them.
  int missing() const;
  int matches() const;

  // Plays them, calling `progress(what, done, total)` now and then, and adds each to the file at once. Where `stop` is
  // set it returns false; the matches that were finished are kept. Throws UserError where the file cannot be written.
  bool play(const std::function<void(const std::string& what, int done, int total)>& progress,
            const std::atomic<bool>& stop);

  // Every player of every run, and every other player, on one scale, on which the last baseline of the first run has 0.
  // The cross matches are those in the file between any two models of the runs. Throws UserError that names a file that
  // is damaged.
  std::vector<RatedPlayer> table() const;

  // The baselines of all runs, the first run's last one last.
  std::vector<std::string> baselines() const;

  const std::vector<LabelledRun>& runs() const { return runs_; }
  const std::filesystem::path& store() const { return options_.store; }

 private:
  struct Entry;   // a generation of a run, or a player
  struct Result;  // a match of the file
  std::vector<int> chosen(const LabelledRun& run) const;
  std::string identity(const Entry& entry) const;
  std::string make_identity(const Entry& entry) const;
  std::string name(const Entry& entry) const;
  MatchPlayer load(const Entry& entry) const;
  void add_matches(const Entry& a, const Entry& b, std::vector<Result>& matches) const;
  std::vector<Result> wanted() const;
  std::vector<Result> listed() const;
  std::vector<RatedPlayer> table_of_listed() const;
  Entry entry_of(const CrossSide& side) const;
  std::vector<Result> stored() const;
  std::vector<Result> unplayed() const;
  int games() const;  // of each match
  void keep(const Result& result) const;

  std::vector<LabelledRun> runs_;
  CrossOptions options_;
  mutable std::map<std::tuple<const LabelledRun*, int, std::string>, std::string> identities_;  // by run, or by player
};

}  // namespace koridor
