#include "bench/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_model.h"
#include "bench/measure.h"
#include "core/base/cores.h"
#include "core/base/random.h"
#include "selfplay/session/session.h"

namespace koridor::bench {
namespace {

constexpr int kRounds = 3;     // in each of which every number of threads has its turn
constexpr int kPositions = 4;  // of a turn
constexpr int kPlies = 6;      // that are played at random before a position is searched

// One number of threads, and the rates of its turns.
struct Searcher {
  int threads = 1;
  LeafSplit split{};
  std::unique_ptr<Session> session{};
  std::vector<double> visits{};       // a second
  std::vector<double> evaluations{};  // likewise
  double depth = 0;                   // mean of the last search
};

void play_randomly(Session& session, Random& random) {
  session.set_up({});
  while (session.ply() < kPlies && !session.outcome().over()) {
    const std::vector<Action> legal = session.legal();
    session.play(legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))]);
  }
  if (session.outcome().over()) session.undo();
}

// Searches some positions for so many seconds together.
void take_turn(Searcher& searcher, double seconds, std::uint64_t seed, const std::atomic<bool>& stop) {
  Random random(seed);
  double visits = 0, evaluations = 0, passed = 0;
  for (int i = 0; i < kPositions && !stop; ++i) {
    play_randomly(*searcher.session, random);
    searcher.session->search({.visits = 1});  // starts the threads
    const Analysis& analysis = searcher.session->search({.visits = 0, .seconds = seconds / kPositions, .stop = &stop});
    visits += analysis.visits;
    evaluations += analysis.evaluations;
    passed += analysis.seconds;
    searcher.depth = analysis.mean_depth;
  }
  searcher.visits.push_back(visits / passed);
  searcher.evaluations.push_back(evaluations / passed);
}

Searcher make_searcher(const SelfplayTask& task, const std::shared_ptr<const Model>& model, int threads) {
  const ThinkerSettings settings{
      .model = model, .name = "the model", .evaluation = task.selfplay.evaluation, .threads = threads};
  Searcher searcher{.threads = threads, .split = split_leaves(settings)};
  searcher.session = std::make_unique<Session>(task.game, SessionSettings{.thinker = settings, .report_seconds = 1e9});
  return searcher;
}

std::string play_text(const TableRow& row) {
  return fmt::format(
      "one tree: {}, network of {} blocks x {} channels, {} threads, {} leaves in batches of {}\n"
      "  {:<12} {:>10.0f} a second, {:.1f}% of self-play's {:.0f}\n"
      "  {:<12} {:>10.0f} a second, {:.2f} times one thread's (self-play: {:.0f})\n"
      "  {:<12} {:>10.1f} plies on average\n\n",
      row.text("game"), row.integer("blocks"), row.integer("channels"), row.integer("threads"), row.integer("leaves"),
      row.integer("batch"), "evaluations", row.number("evaluations_per_second"), 100.0 * row.number("selfplay_share"),
      row.number("selfplay_evaluations_per_second"), "visits", row.number("visits_per_second"), row.number("speedup"),
      row.number("selfplay_visits_per_second"), "depth", row.number("mean_depth"));
}

}  // namespace

void bench_play(const SelfplayTask& task, TableWriter& out, const std::atomic<bool>& stop) {
  const auto model = std::make_shared<const Model>(calibrated(task.game, task.model));
  std::vector<Searcher> searchers;
  searchers.push_back(make_searcher(task, model, 1));
  if (const int all = thread_count(task.threads); all > 1) searchers.push_back(make_searcher(task, model, all));
  for (int round = 0; round < kRounds; ++round) {
    for (Searcher& searcher : searchers) {
      take_turn(searcher, task.seconds / kRounds, static_cast<std::uint64_t>(round), stop);
    }
  }
  if (stop) return;
  const SelfplayFigures selfplay = measure_selfplay(task, stop);
  if (stop) return;
  if (selfplay.evaluations == 0 || median(searchers.front().visits) == 0) {
    throw UserError(
        "nothing was searched: the game is proven at once or the time too short; give another --game, or "
        "more --seconds");
  }
  using enum ColumnType;
  out.begin({"play",
             {{"game", text},
              {"blocks", integer},
              {"channels", integer},
              {"evaluator", text},
              {"threads", integer},
              {"leaves", integer},
              {"batch", integer},
              {"evaluations_per_second", number, "1/s"},
              {"visits_per_second", number, "1/s"},
              {"speedup", number},
              {"mean_depth", number, "plies"},
              {"selfplay_threads", integer},
              {"selfplay_evaluations_per_second", number, "1/s"},
              {"selfplay_visits_per_second", number, "1/s"},
              {"selfplay_share", number}},
             play_text});
  const NetworkConfig& network = task.model.info.network;
  const double one = median(searchers.front().visits);
  for (const Searcher& searcher : searchers) {
    // Self-play's rate on as many threads; its threads share nothing.
    const double threads_share = static_cast<double>(searcher.threads) / selfplay.threads;
    out.row({searcher.session->variant(), network.blocks, network.channels, selfplay.evaluator, searcher.threads,
             searcher.split.leaves(), searcher.split.rows, median(searcher.evaluations), median(searcher.visits),
             median(searcher.visits) / one, searcher.depth, selfplay.threads, selfplay.evaluations, selfplay.visits,
             median(searcher.evaluations) / (selfplay.evaluations * threads_share)});
  }
}

}  // namespace koridor::bench
