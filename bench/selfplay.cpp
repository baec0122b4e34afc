#include "bench/selfplay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "models/backends.h"
#include "selfplay/all_threads.h"
#include "selfplay/generator.h"

namespace koridor::bench {
namespace {

// Lets games go, and stops the run when its time is over.
class TimedSink : public GameSink {
 public:
  TimedSink(double seconds, std::atomic<bool>& done, const std::atomic<bool>& stop)
      : seconds_(seconds), done_(done), stop_(stop) {}
  void take(const GameRecord&) override {}
  void tick(const SelfplayStatistics& statistics) override {
    if (statistics.seconds >= seconds_ || stop_) done_ = true;
  }

 private:
  double seconds_;
  std::atomic<bool>& done_;
  const std::atomic<bool>& stop_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

void bench_selfplay(const SelfplayTask& task, const std::atomic<bool>& stop) {
  const EvaluatorOptions evaluator{.backend = parse_backend(task.selfplay.backend),
                                   .precision = parse_precision(task.selfplay.precision),
                                   .max_batch = task.selfplay.slots,
                                   .device = task.selfplay.device};
  std::string evaluator_name;
  const EvaluatorFactory factory = make_evaluator_factory(std::make_shared<const Model>(task.model), evaluator,
                                                          "the model", thread_count(task.threads));
  std::visit(
      [&](const auto& game) { evaluator_name = factory(game.encoding(task.model.info.features), 1)->describe(); },
      task.game);

  const GeneratorOptions options{
      .selfplay = task.selfplay, .search = task.search, .features = task.model.info.features, .threads = task.threads};
  std::vector<std::uint32_t> numbers(10'000'000);
  std::iota(numbers.begin(), numbers.end(), 0);

  std::vector<double> evaluations, positions, games, share, batch;
  for (int run = 0; run < task.runs && !stop; ++run) {
    std::atomic<bool> done{false};
    TimedSink sink(task.seconds, done, stop);
    const SelfplayStatistics now = generate_games(task.game, options, factory, numbers, sink, done);
    const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / now.seconds; };
    evaluations.push_back(rate(now.evaluations));
    positions.push_back(rate(now.plies));
    games.push_back(rate(now.games));
    share.push_back(now.network_share());
    batch.push_back(static_cast<double>(now.evaluations) /
                    static_cast<double>(std::max<std::uint64_t>(now.batches, 1)));
  }
  if (evaluations.empty()) return;
  const double in_network = median(share);
  fmt::print("self-play: {}, no cache, {} slots a thread, median of {} runs of {:.0f} s\n", evaluator_name,
             task.selfplay.slots, evaluations.size(), task.seconds);
  fmt::print("  evaluations  {:>10.0f} a second, {:.1f} a batch\n", median(evaluations), median(batch));
  fmt::print("  positions    {:>10.0f} a second\n", median(positions));
  fmt::print("  games        {:>10.0f} a second\n", median(games));
  fmt::print("  network      {:>10.1f}% of the time; rules, search, encoding and waiting: {:.1f}%\n\n",
             100.0 * in_network, 100.0 * (1.0 - in_network));
}

}  // namespace koridor::bench
