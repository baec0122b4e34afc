// Lines of the analysis protocol: whatever they hold, each answer is a line of JSON, and nothing stays unanswered.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/analysis/server.h"
#include "tests/fuzz/protocol_tools.h"

namespace koridor::fuzz {
namespace {

// A server that lives as long as the fuzzer: each would start threads of its own.
class Listener {
 public:
  explicit Listener(const AnyGame& game)
      : server_(settings(game), [this](std::string_view line) {
          const std::lock_guard lock(mutex_);
          said_.emplace_back(line);
        }) {}

  // Every search is ended after the line that asks for it, so that no input takes long.
  void speak(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      server_.line(text.substr(0, end));
      server_.line(R"({"id":"","action":"terminate_all"})");
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    server_.end();
    const std::lock_guard lock(mutex_);
    for (const std::string& line : said_) {
      require(line.ends_with('\n') && std::ranges::count(line, '\n') == 1);
      const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
      require(object.is_object());
      require(object.contains("id") || object.contains("error"));
    }
    said_.clear();
  }

 private:
  static cli::AnalysisSettings settings(const AnyGame& game) {
    cli::AnalysisSettings settings{.defaults = {.game = game}};
    settings.pool.model = random_model_of(game);
    settings.pool.name = "random";
    settings.pool.threads = 1;
    settings.pool.positions = 2;
    settings.pool.memory_mebibytes = 16;
    settings.pool.evaluation.cache_mebibytes = 1;
    settings.defaults.visits = 2;
    return settings;
  }

  std::mutex mutex_;
  std::vector<std::string> said_;
  cli::AnalysisServer server_;
};

}  // namespace
}  // namespace koridor::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  static fuzz::Listener of_go(parse_game("go:5x5"));
  static fuzz::Listener of_walls(parse_game("quoridor:5x5,walls=3"));
  if (size == 0) return 0;
  (data[0] % 2 == 0 ? of_go : of_walls).speak({reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
