#include "train/run/loss_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

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
  const auto number = [&](const std::string& key) -> std::optional<double> {
    const auto found = object.find(key);  // a loss that was no number is null
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  };
  report.loss = number("loss").value_or(0.0);
  // Files written before there was a list have these three.
  static const nlohmann::json kBefore = {"policy", "value", "auxiliary"};
  for (const auto& head : object.value("heads", kBefore)) {
    if (!head.is_string()) continue;
    const auto name = head.get<std::string>();
    if (const auto loss = number(name + "_loss")) report.heads.emplace_back(name, *loss);
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
