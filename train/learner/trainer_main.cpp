// koridor-trainer: the only executable that links LibTorch. Started by `koridor train`, `learn` and `export`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/notice.h"
#include "core/base/signals.h"
#include "core/base/table.h"
#include "core/base/terminal.h"
#include "core/base/version.h"
#include "models/network/model_file.h"
#include "train/learner/learn.h"
#include "train/learner/torchscript.h"
#include "train/learner/trainer.h"
#include "train/learner/trainer_bench.h"
#include "train/learner/training_parts.h"
#include "train/run/run_config.h"

namespace {

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = koridor::check_cpu;

// LibTorch's libraries read these settings when they are loaded, before main. So this sets them, unless the user has,
// and starts the program once more.
//   OPENBLAS_NUM_THREADS   OpenBLAS's own threads would compete with LibTorch's for the cores.
//   GOMP_SPINCOUNT         A waiting thread sleeps after about 20 microseconds instead of occupying a core. Beside
//                          other work this made the trainer three times as fast.
void set_thread_environment(char** argv) {
  constexpr const char* kMark = "GOMP_SPINCOUNT";
  if (std::getenv(kMark) != nullptr) return;
  ::setenv(kMark, "20000", 1);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ::execv("/proc/self/exe", argv);  // returns only if it fails; the trainer is then merely slower
}

// Keeps freed memory in the process: every step frees its tensors and allocates them again, and the page faults were a
// sixth of the training.
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  ::mallopt(M_TOP_PAD, 16 << 20);
}

struct Options {
  std::string run, out, config, events, torchscript;
  std::vector<std::string> shards, settings;
  int threads = 0;
  bool check = false;
  double hold_out = 0;
  bool bench = false;
  bool json = false;  // of the bench
};

// What the program can do, each by the option that asks for it, with the other options that mean something then.
struct Task {
  std::string option;
  std::vector<std::string> takes;
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = {
      {"--run", {"--config", "--threads"}},
      {"--shards", {"--config", "--out", "--set", "--threads", "--hold-out", "--events"}},
      {"--torchscript", {"--out"}},
      {"--check", {"--config", "--set"}},
      {"--bench", {"--config", "--set", "--threads", "--json"}},
  };
  return all;
}

// Throws UserError unless one task is asked for, and every other option belongs to it.
void require_one_task(const CLI::App& app) {
  using namespace koridor;
  std::vector<std::string> names;
  for (const Task& task : tasks()) {
    names.push_back(task.option);
    if (app.count(task.option) == 0) continue;
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option->get_name();
      if (option->count() == 0 || name == task.option || std::ranges::find(task.takes, name) != task.takes.end())
        continue;
      throw UserError(
          fmt::format("{} means nothing beside {}, which takes {}", name, task.option, fmt::join(task.takes, ", ")));
    }
    return;
  }
  throw UserError(fmt::format("one of {} is needed; --help says more", fmt::join(names, ", ")));
}

int run(const Options& options) {
  using namespace koridor;
  const RankPlace place = options.check ? RankPlace{} : place_in_environment();
  if (place.size > 1) {
    trainer_name += fmt::format(" {} of {}", place.rank + 1, place.size);
    if (options.run.empty()) throw UserError("several trainers together train a run, with --run, and do nothing else");
  }
  if (!options.run.empty()) {
    const Config config =
        options.config.empty() ? load_run_config(RunDirectory(options.run)) : load_config(options.config);
    train_run(options.run, config, options.threads, stop_requested(), place);
    return 0;
  }
  if (!options.torchscript.empty()) {
    if (options.out.empty()) throw UserError("--torchscript needs --out as well");
    const TorchScriptCheck check =
        export_torchscript(load_model(options.torchscript), options.out, options.torchscript);
    fmt::print(
        "{}: TorchScript, f32, any board, any batch; loaded again, on {} positions it is within {:.1e} of our "
        "policy's logits and {:.1e} of our values\n",
        options.out, check.positions, check.policy, check.value);
    return 0;
  }
  if (!options.shards.empty()) {
    if (options.config.empty() || options.out.empty()) throw UserError("--shards needs --config and --out as well");
    const LearnTask task{.config = load_config(options.config, options.settings),
                         .shards = options.shards,
                         .out = options.out,
                         .threads = options.threads,
                         .hold_out = options.hold_out,
                         .events = options.events};
    learn_from_shards(task, stop_requested());
    return 0;
  }
  if (options.check) {
    if (options.config.empty()) throw UserError("--check needs --config as well");
    new_learner(load_config(options.config, options.settings), 1);
    return 0;
  }
  // --bench is what is left (require_one_task).
  TableWriter out(options.json ? TableForm::json : TableForm::text);
  bench_trainer(options.config.empty() ? parse_config("", "defaults", options.settings)
                                       : load_config(options.config, options.settings),
                options.threads, out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  koridor::open_standard_files();
  // `koridor learn` and `koridor export` become this program, under their own names.
  if (argc > 0 && std::string_view(argv[0]).starts_with("koridor ")) koridor::trainer_name = argv[0];
  Options options;
  CLI::App app{"The trainer of Koridor: turns shards of games into models. `koridor train` starts it."};
  app.set_version_flag("--version", koridor::version_text("koridor-trainer"), "Version, commit and libraries");
  app.add_option("--run", options.run, "Train the run in this directory, waiting for its games");
  app.add_option("--shards", options.shards, "Train on these shards alone; of a folder, on all in and below it");
  app.add_option("--out", options.out, "File to write (with --shards and --torchscript)");
  app.add_option("--torchscript", options.torchscript, "Write this model as a TorchScript file (with --out)");
  app.add_option("--hold-out", options.hold_out, "Share of the games to measure by, not to learn from (with --shards)")
      ->check(CLI::Range(0.0, 0.9));
  app.add_option("--events", options.events, "Folder for TensorBoard events (with --shards)");
  app.add_option("--config", options.config,
                 "Configuration file (with --shards, --check and --bench); with --run: instead of the run's own");
  app.add_option("--set", options.settings, "section.key=value over the configuration")->allow_extra_args(false);
  app.add_option("--threads", options.threads, "Threads; 0: the configuration's, or all cores")
      ->check(CLI::Range(0, 1024));
  app.add_flag("--check", options.check, "Only check that --config can be trained here");
  app.add_flag("--bench", options.bench, "Measure samples a second against the bare forward and backward pass");
  app.add_flag("--json", options.json, "Of --bench: put out JSON and nothing else");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    koridor::print_message(koridor::trainer_name, error.what());
    return 2;
  }

  set_thread_environment(argv);
  keep_freed_memory();
  koridor::catch_signals();
  koridor::report_full_disks();
  koridor::keep_ended_children();
  koridor::read_notices([](std::string_view text) { koridor::print_message(koridor::trainer_name, text); });
  try {
    require_one_task(app);
    const int status = run(options);
    koridor::finish_output();
    return status;
  } catch (const std::exception&) {
    return koridor::report_failure(koridor::trainer_name);
  }
}
