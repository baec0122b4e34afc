#include "bench/selfplay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "bench/bench_model.h"
#include "bench/measure.h"
#include "bench/temporary_folder.h"
#include "core/base/resident_bytes.h"
#include "core/base/threads.h"
#include "models/network/uniform.h"
#include "selfplay/generator/choose_slots.h"
#include "selfplay/generator/evaluators.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/lease_files.h"
#include "selfplay/generator/shard_writer.h"
#include "selfplay/shards/describe_game.h"

namespace koridor::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kManyGames = 1 << 20;
constexpr double kWindow = 0.9;  // seconds; statistics come twice a second

// Stores games as a run does, one file for each range of a generation, but without the files by which workers share the
// ranges out. Keeps every report of the statistics and stops when the time is over.
class MeasuringSink : public GameSink {
 public:
  MeasuringSink(std::vector<ShardInfo> infos, const SelfplayTask& task, const fs::path& folder,
                const std::atomic<bool>& stop)
      : range_(ranges_of(task.selfplay.games).at(0).games()),
        writer_(std::move(infos), {.folder = folder, .writer = "bench", .seconds = task.selfplay.shard_seconds}),
        seconds_(task.warm_up + task.seconds),
        stop_(stop) {}
  void take(const GameRecord& record) override {
    const std::uint32_t first = record.number / range_ * range_;
    writer_.keep(record, first);
    if (++played_[first] < range_) return;
    writer_.close_group(first);
    writer_.forget_group(first);
    played_.erase(first);
  }
  void tick(const SelfplayStatistics& now) override {
    writer_.write_due();
    moments.push_back(now);
    resident = std::max<std::size_t>(resident, resident_bytes());
    if (now.seconds >= seconds_ || stop_) done = true;
  }

  std::vector<SelfplayStatistics> moments;
  std::size_t resident = 0;
  std::atomic<bool> done{false};

 private:
  std::uint32_t range_;                            // games
  std::map<std::uint32_t, std::uint32_t> played_;  // games of the ranges in work, by first game
  ShardWriter writer_;
  double seconds_;
  const std::atomic<bool>& stop_;
};

struct Run {
  SelfplayStatistics end;
  std::vector<SelfplayStatistics> moments;
  std::size_t resident = 0;
};

// Of a late generation: selfplay.progressive_share takes visits from the first ones.
GeneratorOptions options_of(const SelfplayTask& task) {
  return {.selfplay = task.selfplay,
          .search = task.search,
          .features = task.model.info.features,
          .generation = task.selfplay.progressive_generations,
          .threads = task.threads};
}

Run play(const SelfplayTask& task, const EvaluatorFactory& factory, const std::atomic<bool>& stop) {
  GeneratorOptions options = options_of(task);
  options.ledger = true;
  std::vector<ShardInfo> infos;
  for (const AnyGame& game : game_variants(task.game, task.selfplay.repetition_share)) {
    infos.push_back(describe_game(game));
  }
  std::vector<std::uint32_t> numbers(kManyGames);
  std::iota(numbers.begin(), numbers.end(), 0);
  const TemporaryFolder folder;
  MeasuringSink sink(infos, task, folder.path(), stop);
  Run run;
  run.end = generate_games({task.game, options, factory}, numbers, sink, sink.done);
  run.moments = std::move(sink.moments);
  run.resident = sink.resident;
  return run;
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// The mean rate after the warm-up, for what comes seldom and in waves, as moves and games do.
template <class Count>
double mean_rate(const std::vector<SelfplayStatistics>& moments, double warm_up, const Count& count) {
  const auto from = std::ranges::find_if(moments, [&](const auto& now) { return now.seconds >= warm_up; });
  if (from == moments.end()) return 0;
  return ratio(static_cast<double>(count(moments.back()) - count(*from)), moments.back().seconds - from->seconds);
}

// The median rate of `count` per second over the windows after the warm-up; the mean rate where none fits.
template <class Count>
double median_rate(const std::vector<SelfplayStatistics>& moments, double warm_up, const Count& count) {
  std::vector<double> rates;
  const SelfplayStatistics* from = nullptr;
  for (const SelfplayStatistics& now : moments) {
    if (now.seconds < warm_up) continue;
    if (from == nullptr) from = &now;
    const double seconds = now.seconds - from->seconds;
    if (seconds < kWindow) continue;
    rates.push_back(static_cast<double>(count(now) - count(*from)) / seconds);
    from = &now;
  }
  return rates.empty() ? mean_rate(moments, warm_up, count) : median(std::move(rates));
}

// Bytes by which the process grows per slot, without a network: from some slots per thread to four times as many.
double measured_slot_bytes(const SelfplayTask& task, const std::atomic<bool>& stop) {
  SelfplayTask few = task;
  few.warm_up = 0;
  few.seconds = 1.5;
  few.selfplay.evaluation.cache_mebibytes = 0;
  SelfplayTask many = few;
  many.selfplay.slots = 4 * few.selfplay.slots;
  const double before = static_cast<double>(play(few, make_uniform, stop).resident);
  const double after = static_cast<double>(play(many, make_uniform, stop).resident);
  return (after - before) / (3.0 * few.selfplay.slots * thread_count(task.threads));
}

}  // namespace

SelfplayFigures measure_selfplay(const SelfplayTask& given, const std::atomic<bool>& stop) {
  const EvaluatorFactory factory = selfplay_evaluators(
      std::make_shared<const Model>(calibrated(given.game, given.model)), given.selfplay, "the model", given.threads);
  SelfplayFigures figures;
  std::visit(
      [&](const auto& game) { figures.evaluator = factory(game.encoding(given.model.info.features), 1)->describe(); },
      given.game);

  const SlotChoice choice = choose_slots(given.game, options_of(given), factory, kManyGames, stop);
  SelfplayTask task = given;
  figures.threads = task.threads = choice.threads;
  figures.slots = task.selfplay.slots = choice.slots;
  const Run run = play(task, factory, stop);
  const auto rate = [&](const auto& count) { return mean_rate(run.moments, task.warm_up, count); };
  using Now = SelfplayStatistics;
  figures.evaluations =
      median_rate(run.moments, task.warm_up, [](const Now& now) { return now.evaluations - now.cache_hits; });
  figures.moves = rate([](const Now& now) { return now.searched_plies; });
  figures.rows = rate([](const Now& now) { return now.full_plies; });
  figures.visits = rate([](const Now& now) { return now.simulations; });
  figures.games = rate([](const Now& now) { return now.games; });
  const auto all = static_cast<double>(run.end.evaluations);
  figures.hit_share = ratio(static_cast<double>(run.end.cache_hits), all);
  figures.batch = ratio(all * (1 - figures.hit_share), static_cast<double>(run.end.batches));
  figures.ledger = run.end.ledger;
  figures.seconds = run.end.seconds;
  figures.slot_bytes = run.end.slot_bytes;
  return figures;
}

void add_figures(std::vector<Column>& columns) {
  using enum ColumnType;
  const std::vector<Column> more = {{"evaluator", text},
                                    {"threads", integer},
                                    {"slots", integer},
                                    {"evaluations_per_second", number, "1/s"},
                                    {"batch", number},
                                    {"cache_hit_share", number},
                                    {"visits_per_second", number, "1/s"},
                                    {"moves_per_second", number, "1/s"},
                                    {"rows_per_second", number, "1/s"},
                                    {"games_per_second", number, "1/s"},
                                    {"slot_bytes", integer, "bytes"},
                                    {"network_share", number},
                                    {"rules_share", number},
                                    {"tree_share", number},
                                    {"encoding_share", number},
                                    {"cache_share", number},
                                    {"writing_share", number},
                                    {"starting_share", number},
                                    {"waiting_share", number}};
  columns.insert(columns.end(), more.begin(), more.end());
}

void add_figures(std::vector<Cell>& cells, const SelfplayFigures& figures) {
  const Ledger& ledger = figures.ledger;
  const auto share = [&](double seconds) { return ratio(seconds, figures.seconds * figures.threads); };
  const std::vector<Cell> more = {
      figures.evaluator,   figures.threads,       figures.slots,          figures.evaluations,  figures.batch,
      figures.hit_share,   figures.visits,        figures.moves,          figures.rows,         figures.games,
      figures.slot_bytes,  share(ledger.network), share(ledger.rules),    share(ledger.tree),   share(ledger.encoding),
      share(ledger.cache), share(ledger.writing), share(ledger.starting), share(ledger.waiting)};
  cells.insert(cells.end(), more.begin(), more.end());
}

std::string ledger_text(const TableRow& row) {
  std::string text;
  for (const char* part : {"network", "rules", "tree", "encoding", "cache", "writing", "starting", "waiting"}) {
    text +=
        fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", part, 100.0 * row.number(std::string(part) + "_share"));
  }
  return text;
}

namespace {

std::string selfplay_text(const TableRow& row) {
  std::string text = fmt::format("self-play: {}, network of {} blocks x {} channels, {}, {} threads x {} slots, {}\n",
                                 row.text("game"), row.integer("blocks"), row.integer("channels"),
                                 row.text("evaluator"), row.integer("threads"), row.integer("slots"),
                                 row.integer("cache_mebibytes") > 0
                                     ? fmt::format("cache of {} MiB a thread", row.integer("cache_mebibytes"))
                                     : "no cache");
  const auto line = [&](const char* name, const std::string& remark) {
    const double rate = row.number(std::string(name) + "_per_second");
    text += fmt::format("  {:<12} {:>10.{}f} a second{}\n", name, rate, rate < 100 ? 1 : 0, remark);
  };
  line("evaluations", fmt::format(", {:.1f} a batch; the cache answers {:.1f}% of what is asked", row.number("batch"),
                                  100.0 * row.number("cache_hit_share")));
  line("visits", "");
  line("moves", " (searched plies)");
  line("rows", " (full searches: what is learned from)");
  line("games", "");
  text += fmt::format("  {:<12} {}\n", "time", ledger_text(row));
  return text + fmt::format(
                    "  {:<12} {:.0f} KiB a slot reserved (tree, record, row of the batch), {:.0f} KiB by the "
                    "process's growth\n\n",
                    "memory", row.number("slot_bytes") / 1024, row.number("grown_slot_bytes") / 1024);
}

}  // namespace

void bench_selfplay(const SelfplayTask& task, TableWriter& out, const std::atomic<bool>& stop) {
  const SelfplayFigures figures = measure_selfplay(task, stop);
  if (stop) return;
  SelfplayTask chosen = task;
  chosen.threads = figures.threads;
  chosen.selfplay.slots = figures.slots;
  const double measured = measured_slot_bytes(chosen, stop);
  if (stop) return;
  using enum ColumnType;
  std::vector<Column> columns = {{"game", text},
                                 {"blocks", integer},
                                 {"channels", integer},
                                 {"cache_mebibytes", integer, "MiB"},
                                 {"grown_slot_bytes", number, "bytes"}};
  add_figures(columns);
  const NetworkConfig& network = task.model.info.network;
  std::vector<Cell> cells = {name_of(task.game), network.blocks, network.channels,
                             task.selfplay.evaluation.cache_mebibytes, measured};
  add_figures(cells, figures);
  out.begin({"selfplay", std::move(columns), selfplay_text});
  out.row(std::move(cells));
}

}  // namespace koridor::bench
