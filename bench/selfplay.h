// How fast is self-play, and where does its time go? `koridor bench selfplay` prints what this measures.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "models/network/model_file.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/ledger.h"

namespace koridor::bench {

struct SelfplayTask {
  AnyGame game;
  Model model;
  SelfplayConfig selfplay;  // `games` says only how many go into a file
  SearchConfig search;
  int threads = 0;      // 0: all cores
  double seconds = 10;  // measured, after the warm-up
  double warm_up = 2;   // seconds
};

// The figures of all threads together. Rates are per second: that of evaluations is the median over windows of about a
// second, the others are means, which need some moves of every slot.
struct SelfplayFigures {
  std::string evaluator;
  int threads = 0;
  int slots = 0;               // per thread
  double evaluations = 0;      // positions the network computed
  double batch = 0;            // positions per call of the network
  double hit_share = 0;        // share of the positions asked for that the cache knew
  double moves = 0;            // searched plies
  double rows = 0;             // plies with a full search: positions to learn from
  double visits = 0;           // simulations; kept ones are not counted again
  double games = 0;            // finished games
  Ledger ledger;               // of the whole run
  double seconds = 0;          // wall-clock time of the whole run
  std::size_t slot_bytes = 0;  // memory reserved per slot
};

// Plays games into a temporary folder, with the model calibrated if it is not yet. Ends early once `stop` is set; the
// figures may then be zero.
SelfplayFigures measure_selfplay(const SelfplayTask& task, const std::atomic<bool>& stop);

// Shows the figures and the memory per slot, both reserved and by the growth of the process, as the table "selfplay".
void bench_selfplay(const SelfplayTask& task, TableWriter& out, const std::atomic<bool>& stop);

// Adds the figures to the columns of a table, and to a row of it.
void add_figures(std::vector<Column>& columns);
void add_figures(std::vector<Cell>& cells, const SelfplayFigures& figures);

// The shares of the threads' time, of a row with the figures.
std::string ledger_text(const TableRow& row);

}  // namespace koridor::bench
