#include "train/run/loss_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace koridor {

void write_losses(const LossReport& report, nlohmann::json& object) {
  object["loss"] = report.loss;
  object["heads"] = nlohmann::json::array();
  for (const auto& [head, loss] : report.heads) {
    object["heads"].push_back(head);
    object[head + "_loss"] = loss;
  }
}

LossReport read_losses(const nlohmann::json& object) {
  LossReport report;
  if (!object.is_object()) return report;
  report.loss = object.value("loss", 0.0);
  for (const auto& head : object.value("heads", nlohmann::json::array())) {
    const auto name = head.get<std::string>();
    report.heads.emplace_back(name, object.value(name + "_loss", 0.0));
  }
  return report;
}

std::string loss_text(const LossReport& report) {
  std::string parts;
  for (const auto& [head, loss] : report.heads) {
    parts += fmt::format("{}{} {:.3f}", parts.empty() ? "" : ", ", head, loss);
  }
  return fmt::format("loss {:.3f} ({})", report.loss, parts);
}

}  // namespace koridor
