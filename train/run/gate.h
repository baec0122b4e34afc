// The gate of self-play: a new generation meets the one that plays self-play, its champion, and takes its place only
// where a sequential test accepts it (rating.gate). Training goes on from the newest generation in any case.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

struct GateDecision {
  int generation = 0;  // that asked for entry
  int before = 0;      // the champion that it met
  bool accepted = false;
  int games = 0;
  double score = 0;  // of the generation, points per game
  double llr = 0;    // log-likelihood ratio of the test at its end

  int champion() const { return accepted ? generation : before; }
};

// "gen-0004 plays self-play from now on (62.5% in 64 games against gen-0003)."
std::string gate_text(const GateDecision& decision);

// The decision in run.gate(generation); nothing where there is none. Throws UserError that names a file that is
// damaged.
std::optional<GateDecision> read_gate(const RunDirectory& run, int generation);

// The generation whose model plays the games of `generation`: itself without a gate. Where there is no decision it is
// the one that has played them by the metrics of the training on them, else itself. Throws UserError as read_gate().
int champion_of(const RunDirectory& run, const Config& config, int generation);

// Whether the generation has still to ask for entry: it is neither the first, whom nobody precedes, nor the last, which
// plays no games, and it has no decision while none of its games is played yet. Where its decision is damaged it has
// to, whether they are or not, since later ones go by it: a line on standard error names the file.
bool gate_due(const RunDirectory& run, const Config& config, int generation);

// Plays the match of `generation` and its champion and writes the decision, calling `progress(done, most)` now and
// then. The boards of run.games take turns, and one test covers the pairs of all. Where the test has not decided after
// rating.gate_games games the champion stays. Where `stop` is set it writes nothing and returns nothing.
std::optional<GateDecision> decide_gate(const RunDirectory& run, const Config& config, int generation,
                                        const std::function<void(int done, int most)>& progress,
                                        const std::atomic<bool>& stop);

}  // namespace koridor
