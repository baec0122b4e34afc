// Drives `koridor engine` in this process with the lines of an input.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "cli/engine/protocol.h"
#include "core/registry.h"
#include "tests/fuzz/fuzz_tools.h"
#include "tests/tiny_model.h"

namespace koridor::fuzz {

// A network of random weights for the game, one of those of fuzz_tools.h. It is made once.
inline std::shared_ptr<const Model> random_model_of(const AnyGame& game) {
  static std::map<const AnyGame*, std::shared_ptr<const Model>> made;
  if (const auto found = made.find(&game); found != made.end()) return found->second;
  return made[&game] = test::tiny_model(game);
}

struct Dialogue {
  std::string said;      // by the engine
  int lines = 0;         // that it was given
  bool finished = true;  // it read all of them, and was not told to quit before
};

// Gives the text to an engine that thinks for two visits a move, as its input. A search that goes on by itself is ended
// after each line, so that no input takes long. `before(line)` sees each line first and says whether it is given.
template <class Before>
Dialogue speak(const std::string& protocol, const AnyGame& game, std::string_view text, const Before& before) {
  cli::EngineSettings settings{.game = game};
  settings.thinker.model = random_model_of(game);
  settings.thinker.name = "random";
  settings.thinker.evaluation.backend = "uniform";  // what is read is fuzzed here, not networks
  settings.thinker.threads = 1;
  settings.thinker.memory_mebibytes = 16;
  settings.visits = 2;

  Dialogue dialogue;
  std::mutex mutex;
  cli::Output output([&](std::string_view said) {
    const std::lock_guard lock(mutex);
    dialogue.said += said;
  });
  const int file = ::memfd_create("input", 0);
  require(file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  require(::lseek(file, 0, SEEK_SET) == 0);
  {
    cli::Engine engine(settings, output);
    const auto speaker = cli::find_protocol(protocol, engine.session().family()).make(engine);
    cli::LineInput input(file);
    while (auto line = input.next()) {
      if (!before(line->text)) continue;
      ++dialogue.lines;
      const bool goes_on = speaker->line(*line);
      engine.interrupt();
      if (!goes_on) {
        dialogue.finished = false;
        break;
      }
    }
    if (dialogue.finished) speaker->end();
    engine.stop();
  }
  ::close(file);
  return dialogue;
}

// Of a protocol shaped like GTP: every command has one answer, "=" or "?", that ends with an empty line.
inline void require_answers(std::string_view said, int commands) {
  int answers = 0;
  while (!said.empty()) {
    require(said.front() == '=' || said.front() == '?');
    const std::size_t end = said.find("\n\n");
    require(end != std::string_view::npos);
    said.remove_prefix(end + 2);
    ++answers;
  }
  require(answers == commands);
}

}  // namespace koridor::fuzz
