#include "cli/analysis/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "cli/analysis/answer.h"
#include "cli/analysis/fields.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/version.h"

namespace koridor::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Lines that wait to be read, above which no partial results are added.
constexpr std::size_t kMostUnsaid = 1000;

ordered_json error_of(const std::string& id, const FieldError& error) {
  return {{"error", error.what()}, {"field", error.field}, {"id", id}};
}

}  // namespace

AnalysisServer::AnalysisServer(AnalysisSettings settings, Say say)
    : settings_(std::move(settings)), sayer_(std::move(say)), pool_(make_analysis_pool(settings_.pool)) {}

void AnalysisServer::say(const ordered_json& object) {
  sayer_.say(json_line(object));
}

void AnalysisServer::warn(const std::string& id, const FieldWarning& warning) {
  say({{"warning", warning.message}, {"field", warning.field}, {"id", id}});
}

void AnalysisServer::refuse_long_line(std::size_t longest) {
  say({{"error", fmt::format("the line is longer than {} bytes and was passed over", longest)}});
}

void AnalysisServer::line(std::string_view text) {
  if (trimmed(text).empty()) return;
  try {
    serve(parse_object(text, "the line"));
  } catch (const std::exception& error) {
    say({{"error", message_line(error_text(error))}});
  }
}

void AnalysisServer::end(double grace, const std::function<bool()>& gone) {
  constexpr double kLook = 0.05;  // seconds between two looks at the reader
  for (double left = grace; !pool_->wait(std::min(std::max(left, 0.0), kLook)); left -= kLook) {
    if (left > 0 && !(gone && gone())) continue;
    pool_->terminate([](const AnalysisTask&) { return true; });
    pool_->wait();
    break;
  }
  sayer_.finish();
}

void AnalysisServer::serve(const json& object) {
  const auto found = object.find("id");
  if (found == object.end() || !found->is_string()) {
    say({{"error", "the query has no field \"id\" that is a text"}});
    return;
  }
  const auto id = found->get<std::string>();
  try {
    Fields fields(object);
    if (const auto action = fields.text("action")) {
      act(*action, object, id);
    } else {
      ask(parse_query(object, settings_.defaults));
    }
  } catch (const FieldError& error) {
    say(error_of(id, error));
  } catch (const std::exception& error) {
    say({{"error", message_line(error_text(error))}, {"id", id}});
  }
}

void AnalysisServer::act(const std::string& action, const json& object, const std::string& id) {
  ordered_json reply = {{"action", action}, {"id", id}};
  if (action == "query_version") {
    reply["version"] = this_build().version;
    reply["git_hash"] = this_build().commit;
  } else if (action == "query_models") {
    reply["models"] = describe_models();
  } else if (action == "clear_cache") {
    pool_->clear_cache();
  } else if (action == "terminate" || action == "terminate_all") {
    terminate(action, object, id);
    return;
  } else {
    throw FieldError("action",
                     unknown_word("action", printable(shortened(action, 40)),
                                  {"query_version", "query_models", "clear_cache", "terminate", "terminate_all"}));
  }
  say(reply);
}

void AnalysisServer::terminate(const std::string& action, const json& object, const std::string& id) {
  Fields fields(object);
  ordered_json reply = {{"action", action}, {"id", id}};
  std::optional<std::string> name;
  if (action == "terminate") {
    name = fields.text("terminateId");
    if (!name) throw FieldError("terminateId", "missing: it must be the id of a query");
    reply["terminateId"] = *name;
  }
  const auto turns = fields.integers("turnNumbers", 0, 1'000'000'000);
  if (turns) reply["turnNumbers"] = *turns;
  say(reply);
  pool_->terminate([&](const AnalysisTask& task) {
    return (!name || task.name == *name) && (!turns || std::ranges::find(*turns, task.plies) != turns->end());
  });
}

ordered_json AnalysisServer::describe_models() const {
  const ModelInfo& info = settings_.pool.model->info;
  const std::string evaluator = pool_->evaluator();
  ordered_json model = {{"name", settings_.pool.name},
                        {"internalName", fmt::format("{}-{}x{}-gen-{:04}", info.game, info.network.blocks,
                                                     info.network.channels, info.generation)},
                        {"maxBatchSize", AnalysisPool::kRows},
                        {"usesHumanSLProfile", false},
                        {"version", info.encoding_version},
                        {"usingFP16", "auto"},
                        {"game", info.game},
                        {"evaluator", evaluator}};
  return ordered_json::array({std::move(model)});
}

void AnalysisServer::ask(Query query) {
  try {
    pool_->check(query.line->game);
  } catch (const UserError& error) {
    throw FieldError(query.board ? "boardXSize" : "game", error.what());
  }
  for (const FieldWarning& warning : query.warnings) warn(query.id, warning);
  const auto form = std::make_shared<const AnswerForm>(AnswerForm{.id = query.id,
                                                                  .board = query.board,
                                                                  .perspective = query.perspective,
                                                                  .line_visits = query.line_visits,
                                                                  .notation = settings_.defaults.notation,
                                                                  .line = query.line});
  for (AnalysisTask& task : query.tasks) {
    task.report = [this, form, turn = task.plies, visits = task.visits](const PositionReport& report) {
      // Whoever does not read has enough to read already.
      if (report.kind == PositionReport::Kind::during && sayer_.unsaid() > kMostUnsaid) return;
      if (report.kind == PositionReport::Kind::failed) {
        say({{"error", message_line(report.error)}, {"id", form->id}, {"turnNumber", turn}});
        return;
      }
      if (report.full) {
        say({{"warning", fmt::format("the tree is full after {} of {} visits; give more --memory",
                                     report.analysis.visits, visits)},
             {"field", "maxVisits"},
             {"id", form->id},
             {"turnNumber", turn}});
      }
      say(answer(*form, turn, report));
    };
    pool_->submit(std::move(task));
  }
}

}  // namespace koridor::cli
