#include "bench/device.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <variant>
#include <vector>

#include "core/base/elapsed.h"
#include "core/base/threads.h"
#include "models/torch/torch.h"
#include "selfplay/generator/evaluators.h"

namespace koridor::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Positions per second with every place of the device under way all the time.
double bare_rate(BatchDevice& device, double seconds) {
  const auto round = [&] {
    for (int place = 0; place < device.places(); ++place) {
      device.finish(place);
      device.launch_bare(place);
    }
  };
  const auto drain = [&] {
    for (int place = 0; place < device.places(); ++place) device.finish(place);
  };
  for (int place = 0; place < device.places(); ++place) device.launch_bare(place);
  for (const auto warm_up = Clock::now(); seconds_since(warm_up) < 0.2 * seconds;) round();
  drain();
  const auto start = Clock::now();
  double positions = 0;
  while (seconds_since(start) < seconds) {
    round();
    positions += double(device.places()) * device.capacity();
  }
  drain();
  return positions / seconds_since(start);
}

struct Bare {
  double positions = 0;  // per second, of all devices
  int batch = 0;
};

Bare measure_bare(const SelfplayTask& task, const EncodingShape& shape) {
  std::vector<int> devices = torch_devices(parse_device(task.selfplay.evaluation.device));
  GpuBatches batches{.rows = task.selfplay.slots, .places = 1};
  if (devices.front() == kCpu) {
    devices.assign(static_cast<std::size_t>(thread_count(task.threads)), kCpu);
  } else {
    batches = gpu_batches(selfplay_batches(task.selfplay, task.threads), devices.size());
  }
  std::vector<double> rates(devices.size());
  Failure failure;
  on_all_threads(static_cast<int>(devices.size()), failure, [&](int number) {
    const auto device = make_torch_device({task.model, shape, parse_precision(task.selfplay.evaluation.precision),
                                           devices[static_cast<std::size_t>(number)], batches.rows, batches.places});
    rates[static_cast<std::size_t>(number)] = bare_rate(*device, task.seconds);
  });
  failure.rethrow();
  return {std::reduce(rates.begin(), rates.end()), batches.rows};
}

std::string device_text(const TableRow& row) {
  return fmt::format("device: {}, board {}x{}, {} blocks x {} channels, {} threads x {} slots\n", row.text("evaluator"),
                     row.integer("columns"), row.integer("rows"), row.integer("blocks"), row.integer("channels"),
                     row.integer("threads"), row.integer("slots")) +
         fmt::format("  bare network  {:>10.0f} positions/s in batches of {}\n",
                     row.number("bare_positions_per_second"), row.integer("bare_batch")) +
         fmt::format("  self-play     {:>10.0f} positions/s  {:.2f} of it (goal {})\n",
                     row.number("evaluations_per_second"), row.number("share"), row.number("goal")) +
         fmt::format("  time          {}\n", ledger_text(row));
}

}  // namespace

void bench_device(const SelfplayTask& given, TableWriter& out, const std::atomic<bool>& stop) {
  constexpr double kGoal = 0.8;
  constexpr int kSlots = 512;  // if the configuration leaves it open
  SelfplayTask task = given;
  task.selfplay.evaluation.backend = "torch";
  if (task.selfplay.slots == 0) task.selfplay.slots = kSlots;
  task.selfplay.evaluation.cache_mebibytes = 0;  // so that the network computes every position
  const EncodingShape shape =
      std::visit([&](const auto& game) { return game.encoding(task.model.info.features); }, task.game);
  const Bare bare = measure_bare(task, shape);
  const SelfplayFigures figures = measure_selfplay(task, stop);
  if (stop) return;
  const NetworkConfig& network = task.model.info.network;
  using enum ColumnType;
  std::vector<Column> columns = {{"columns", integer},
                                 {"rows", integer},
                                 {"blocks", integer},
                                 {"channels", integer},
                                 {"bare_positions_per_second", number, "1/s"},
                                 {"bare_batch", integer},
                                 {"share", number},
                                 {"goal", number}};
  add_figures(columns);
  std::vector<Cell> cells = {shape.columns,
                             shape.rows,
                             network.blocks,
                             network.channels,
                             bare.positions,
                             bare.batch,
                             figures.evaluations / bare.positions,
                             kGoal};
  add_figures(cells, figures);
  out.begin({"device", std::move(columns), device_text});
  out.row(std::move(cells));
}

}  // namespace koridor::bench
