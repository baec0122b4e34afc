// An engine with a random network that a test drives line by line, without a process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cli/engine/protocol.h"
#include "core/registry.h"
#include "tests/tiny_model.h"

namespace koridor::test {

class EngineUnderTest {
 public:
  explicit EngineUnderTest(const std::string& variant, const std::string& protocol = "", int visits = 8,
                           Notation notation = Notation::standard)
      : output_([this](std::string_view text) { hear(text); }), engine_(settings(variant, visits, notation), output_) {
    if (!protocol.empty()) protocol_ = cli::find_protocol(protocol, engine_.session().family()).make(engine_);
  }
  ~EngineUnderTest() { engine_.stop(); }

  // What is said until the search that the line may start has ended.
  std::string say(const std::string& line) {
    begin(line);
    engine_.wait();
    return take();
  }
  // Says the line alone; the answer may come later.
  bool begin(const std::string& line) {
    if (!protocol_) protocol_ = cli::protocol_of(line, engine_.session().family()).make(engine_);
    return protocol_->line({.text = line});
  }
  // Waits for at most ten seconds until this was said, and returns all that was said since the last call.
  std::string wait_for(const std::string& text) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return heard_.find(text) != std::string::npos; });
    return std::exchange(heard_, {});
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(heard_, {});
  }
  cli::Engine& engine() { return engine_; }
  cli::Protocol& protocol() { return *protocol_; }

 private:
  static cli::EngineSettings settings(const std::string& variant, int visits, Notation notation) {
    const AnyGame game = parse_game(variant);
    cli::EngineSettings settings{.game = game};
    settings.thinker.model = tiny_model(game);
    settings.thinker.name = "tiny";
    settings.visits = visits;
    settings.notation = notation;
    return settings;
  }
  void hear(std::string_view text) {
    const std::lock_guard lock(mutex_);
    heard_ += text;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string heard_;
  cli::Output output_;
  cli::Engine engine_;
  std::unique_ptr<cli::Protocol> protocol_;
};

}  // namespace koridor::test
