// Ratings of a run's generations: matches against earlier generations and the baselines, and Elo from all matches.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "models/evaluation.h"
#include "selfplay/matches/elo.h"
#include "selfplay/matches/match.h"
#include "train/run/config.h"
#include "train/run/encounter.h"
#include "train/run/run_directory.h"

namespace koridor {

// A line of a run's table of ratings: a generation or a baseline.
struct RatedPlayer {
  std::string name;     // "gen-0003", "greedy"; of several runs "quickstart/gen-0003"
  std::string run{};    // of several: the run's label
  int generation = -1;  // -1: a baseline
  double elo = 0.0;     // relative to the last of rating.baselines, which has 0
  double error = 0.0;   // half the width of the 95% confidence interval, in Elo
  int games = 0;
  std::map<std::string, double> score{};   // against each baseline, in [0, 1]: the mean over the boards of run.games
  std::optional<double> value_kept{};      // the share of proven values kept (yardstick_file.h), if it was measured
  double value_kept_error = 0.0;           // half the width of its 95% confidence interval
  std::shared_ptr<const RatingFit> fit{};  // of all players of the table, for errors of sums and differences
  std::size_t place_in_fit = 0;            // among its players; that of another name of the same player, too
};

// Whom a name stands for.
struct PlayerOfRun {
  std::string run{};
  int generation = -1;  // -1: a baseline
};

// A search's settings, each by its key and as text. The rule is the one that "auto" stands for in this game: results
// say what was played, and a later build may give the game another rule.
std::vector<std::pair<std::string, std::string>> search_texts(SearchConfig search, const AnyGame& game);

// How a model chooses in matches of this game, as text: all that its results depend on beside the model, the game and
// the opponent, and the kind of processor. The backend onednn with the precision auto is not named.
std::string match_choice_text(const SearchConfig& search, int visits, const AnyGame& game,
                              const Evaluation& evaluation);

// One fit of Elo over the encounters: generations first, run after run, then baselines. The last of `baselines` has 0;
// where it did not play, the first player. `boards`: on so many boards every baseline is met.
std::vector<RatedPlayer> rated_players(std::span<const Encounter> encounters, const std::vector<std::string>& baselines,
                                       std::size_t boards,
                                       const std::function<PlayerOfRun(const std::string& name)>& player_of);

// Adds what the yardstick says of the generations of the run with this label (RatedPlayer::run), by as many visits as
// the run's matches have. Returns a line about each file that is damaged, whose generation is left as it is.
std::vector<std::string> add_yardsticks(std::span<RatedPlayer> players, const std::string& label,
                                        const RunDirectory& run, const Config& config);

// The players as the table "ratings".
Table ratings_table(std::span<const RatedPlayer> players, const std::vector<std::string>& baselines);

class Ratings {
 public:
  Ratings(const RunDirectory& run, const Config& config) : run_(run), config_(config) {}

  // Whether rating.every asks for the generation, or it is the `last` of the run, and it is not rated yet. A file of
  // results that is damaged counts as none: a line on standard error names it. Throws ReadError where it cannot be
  // read.
  bool due(int generation, bool last = false) const;

  // Plays the matches of `generation`, calling `progress(done, total)` now and then, and writes the results to
  // run.rating(generation) and, where no file is damaged, the table. Where `stop` is set it ends early, writes nothing
  // and returns false.
  bool rate(int generation, const std::function<void(int done, int total)>& progress, const std::atomic<bool>& stop);

  // Every rated player, generations first, with the ratings from all match files. Throws UserError that names a file
  // that is damaged.
  std::vector<RatedPlayer> table() const;
  // The same; nothing where a file is damaged, as one whose generation due() has still to name.
  std::optional<std::vector<RatedPlayer>> table_if_whole() const;

  // Writes the table to run.elo() where it does not say the same already.
  void save_table() const;

  // A line that says which key of the matches' search has changed since a generation was rated; empty where none has.
  // Its model is another player then. Files that do not say what they were played with are passed over.
  std::string changed_search() const;
  // Every encounter in the rating files of the run.
  std::vector<Encounter> encounters() const;

  // The table as text.
  std::string table_text() const;

 private:
  void write_table(const std::vector<RatedPlayer>& table) const;

  RunDirectory run_;
  Config config_;
};

}  // namespace koridor
