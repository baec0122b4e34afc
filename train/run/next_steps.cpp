#include "train/run/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/shell.h"
#include "selfplay/shards/shard.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

std::string newest_shard(const RunDirectory& run) {
  int generation = 0;
  while (fs::exists(run.complete(generation + 1))) ++generation;
  const std::vector<fs::path> shards = shards_in(run.shards(generation));
  return shards.empty() ? run.shards(generation).string() : shards.front().string();
}

}  // namespace

std::string next_steps(const RunDirectory& run, const Config& config, const fs::path& programs) {
  const int last = std::max(run.models() - 1, 0);
  const std::string model = run.model(last).string();
  const std::string word = shell_word(model);
  const std::string root = shell_word(run.root().string());
  const std::string koridor = shell_program(programs / "koridor");
  const std::string game = shell_word(config.run.games.empty() ? config.run.game : config.run.games.front());
  return fmt::format(
      "The model: {}\n\nNext:\n"
      "  {} play {} --model {}\n"
      "  {} match {} --a {} --b alphabeta:3 --games 100 --visits 64\n"
      "  {} inspect {} --game 0\n"
      "  {} plot {}\n"
      "In the browser, the board and the run:\n"
      "  {} serve {}",
      model, koridor, game, word, koridor, game, word, koridor, shell_word(newest_shard(run)), koridor, root, koridor,
      root);
}

}  // namespace koridor
