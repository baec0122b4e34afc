// koridor learn: the trainer alone, on given shards.
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/files.h"

namespace koridor::cli {
namespace {

struct LearnOptions {
  std::string config;
  std::vector<std::string> shards;
  std::string out;
  int threads = 0;
  double hold_out = 0;
  std::string events;
  std::vector<std::string> settings;
};

// Replaces this process by the trainer, the only executable with LibTorch.
void run_learn(const LearnOptions& options) {
  const std::string config = find_config(options.config);
  check_not_read("--out", options.out, {config});
  std::vector<std::string> arguments = {
      "koridor learn", "--config", config, "--out", options.out, "--threads", std::to_string(options.threads)};
  arguments.insert(arguments.end(), {"--hold-out", fmt::format("{}", options.hold_out)});
  arguments.insert(arguments.end(), {"--events", options.events.empty() ? options.out + ".events" : options.events});
  for (const std::string& setting : options.settings) arguments.insert(arguments.end(), {"--set", setting});
  arguments.push_back("--shards");
  arguments.insert(arguments.end(), options.shards.begin(), options.shards.end());
  replace_process(programs_folder() / "koridor-trainer", arguments);
}

}  // namespace

void add_learn(CommandLine& line) {
  auto options = std::make_shared<LearnOptions>();
  const Command learn = line.add_command("learn", "Train a network on given shards, once (the trainer alone)");
  learn.add_option("config", options->config, "Configuration, e.g. configs/quickstart.toml").required();
  learn.add_option("--shards", options->shards, "Shards (.h5) to learn from, or folders of them (RUN/shards)")
      .required();
  learn.add_option("--out", options->out, "Model file to write").type_name("FILE").required();
  learn
      .add_option("--hold-out", options->hold_out,
                  "Share of the games that only measure the network: whole games, always the same ones by their number")
      .range(0.0, 0.9)
      .show_default();
  learn
      .add_option("--events", options->events,
                  "Folder for TensorBoard events by step, in place of earlier ones (default: OUT.events)")
      .type_name("DIR");
  learn.add_option("--threads", options->threads, "0: the configuration's, or all cores").range(0, 1024).show_default();
  add_key_settings(learn, options->settings);
  learn.runs([options] { run_learn(*options); });
}

}  // namespace koridor::cli
