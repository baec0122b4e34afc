// koridor learn: the trainer alone, on given shards.
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"

namespace koridor::cli {
namespace {

struct LearnOptions {
  std::string config;
  std::vector<std::string> shards;
  std::string out;
  int threads = 0;
  std::vector<std::string> settings;
};

// Replaces this process by the trainer, the only executable with LibTorch.
void run_learn(const LearnOptions& options) {
  const std::string trainer = (programs_folder() / "koridor-trainer").string();
  std::vector<std::string> arguments = {trainer,     "--config",  find_config(options.config),    "--out",
                                        options.out, "--threads", std::to_string(options.threads)};
  for (const std::string& setting : options.settings) arguments.insert(arguments.end(), {"--set", setting});
  arguments.push_back("--shards");
  arguments.insert(arguments.end(), options.shards.begin(), options.shards.end());
  replace_process(arguments);
}

}  // namespace

void add_learn(CLI::App& app) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* learn = app.add_subcommand("learn", "Train a network on given shards, once (the trainer alone)");
  learn->add_option("config", options->config, "Configuration, e.g. configs/quickstart.toml")->required();
  learn->add_option("--shards", options->shards, "Shards (.h5) to learn from")->required();
  learn->add_option("--out", options->out, "Model file to write")->required();
  learn->add_option("--threads", options->threads, "0: the configuration's, or all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  add_key_settings(*learn, options->settings);
  learn->callback([options] { run_learn(*options); });
}

}  // namespace koridor::cli
