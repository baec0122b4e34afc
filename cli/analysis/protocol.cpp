#include "cli/analysis/protocol.h"

#include <limits>

#include "cli/analysis/server.h"
#include "core/base/error.h"

namespace koridor::cli {
namespace {

AnalysisSettings settings_of(Engine& engine) {
  const EngineSettings& given = engine.settings();
  const int players = players_of(given.game);
  if (given.naming == Naming::qtp) {
    throw UserError("--notation qtp means nothing in the protocol analysis: it has standard and modern");
  }
  const bool modern = given.naming == Naming::modern || given.notation == Notation::modern;
  AnalysisSettings settings{.defaults = {.game = given.game,
                                         .notation = modern ? Notation::modern : Notation::standard,
                                         .perspective = usual_perspective(players),
                                         .visits = given.visits > 0 ? given.visits : EngineSettings::kUsualVisits,
                                         .seconds = given.seconds}};
  settings.pool.model = given.thinker.model;
  settings.pool.name = given.thinker.name;
  settings.pool.evaluation = given.thinker.evaluation;
  settings.pool.search = given.thinker.search;
  settings.pool.threads = given.thinker.threads;
  if (given.thinker.leaves > 0) settings.pool.leaves = given.thinker.leaves;
  settings.pool.memory_mebibytes = static_cast<std::size_t>(given.thinker.memory_mebibytes);
  settings.pool.seed = given.thinker.seed;
  return settings;
}

class AnalysisProtocol final : public Protocol {
 public:
  explicit AnalysisProtocol(Engine& engine)
      : engine_(engine),
        server_(settings_of(engine), [&output = engine.output()](std::string_view line) { output.say(line); }) {}

  bool line(const InputLine& line) override {
    line.cut ? server_.refuse_long_line(LineInput::kLongest) : server_.line(line.text);
    return true;
  }
  void end() override {
    server_.end(engine_.settings().grace.value_or(std::numeric_limits<double>::infinity()),
                [this] { return engine_.output().gone(); });
  }

 private:
  Engine& engine_;
  AnalysisServer server_;
};

}  // namespace

std::unique_ptr<Protocol> make_analysis(Engine& engine) {
  return std::make_unique<AnalysisProtocol>(engine);
}

}  // namespace koridor::cli
