// Answers of the analysis protocol (docs/analysis.md): reports of a pool as lines of JSON.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/analysis/query.h"
#include "selfplay/analysis/task.h"

namespace koridor::cli {

// What the answers to one query have in common.
struct AnswerForm {
  std::string id{};
  bool board = false;  // Query::board
  Perspective perspective = Perspective::black;
  bool line_visits = false;
  Notation notation = Notation::standard;
  std::shared_ptr<const GameLine> line{};
};

// The answer for the position after `turn` moves. The report has not failed.
nlohmann::ordered_json answer(const AnswerForm& form, int turn, const PositionReport& report);

// The object as a line, its end included. Text that is no UTF-8 is made so.
std::string json_line(const nlohmann::ordered_json& object);

}  // namespace koridor::cli
