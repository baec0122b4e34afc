// The analysis protocol (docs/analysis.md): queries in, one line of JSON each, answers out as they come.
//
//   AnalysisServer server(settings, [](std::string_view line) { ... });
//   while (...) server.line(text);
//   server.end();
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/analysis/query.h"
#include "cli/analysis/sayer.h"
#include "selfplay/analysis/pool.h"

namespace koridor::cli {

struct AnalysisSettings {
  PoolSettings pool{};
  QueryDefaults defaults;
};

class AnalysisServer {
 public:
  // Is given whole lines, ends included, one after the other on a thread of its own. It may take its time.
  using Say = Sayer::Say;

  // Throws UserError where the model cannot be evaluated here.
  AnalysisServer(AnalysisSettings settings, Say say);

  // Does what the line says; what is to be searched is answered later. No line makes it throw. It waits where more
  // positions wait than a pool takes.
  void line(std::string_view text);
  // A line that was longer than the reader takes: an error is the answer.
  void refuse_long_line(std::size_t longest);
  // Returns when every query was answered, and all was said. After `grace` seconds, or where `gone()` says that nobody
  // reads any more, the searches are ended, which answer what they have.
  void end(double grace = std::numeric_limits<double>::infinity(), const std::function<bool()>& gone = {});

 private:
  void serve(const nlohmann::json& object);
  void act(const std::string& action, const nlohmann::json& object, const std::string& id);
  void terminate(const std::string& action, const nlohmann::json& object, const std::string& id);
  void ask(Query query);
  nlohmann::ordered_json describe_models() const;
  void say(const nlohmann::ordered_json& object);
  void warn(const std::string& id, const FieldWarning& warning);

  AnalysisSettings settings_;
  Sayer sayer_;
  std::unique_ptr<AnalysisPool> pool_;  // last: its threads say something until it goes
};

}  // namespace koridor::cli
