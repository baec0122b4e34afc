#include "train/run/loss_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace koridor {
namespace {

// Every entry of PredictionFigures with its name.
template <class Figures, class Visit>
void for_each_figure(Figures& figures, Visit&& visit) {
  visit("policy_entropy", figures.policy_entropy);
  visit("policy_kl", figures.policy_kl);
  visit("top1", figures.top1);
  visit("value_brier", figures.value_brier);
  visit("value_calibration_error", figures.value_calibration_error);
}

}  // namespace

void write_losses(const LossReport& report, nlohmann::json& object) {
  object["loss"] = report.loss;
  object["heads"] = nlohmann::json::array();
  for (const auto& [head, loss] : report.heads) {
    object["heads"].push_back(head);
    object[head + "_loss"] = loss;
  }
  if (!report.predictions) return;
  for_each_figure(*report.predictions, [&](const char* name, double figure) { object[name] = figure; });
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
  const auto found = object.find("heads");
  const nlohmann::json& heads = found == object.end() ? kBefore : *found;
  if (!heads.is_array()) return report;
  for (const auto& head : heads) {
    if (!head.is_string()) continue;
    const auto name = head.get<std::string>();
    if (const auto loss = number(name + "_loss")) report.heads.emplace_back(name, *loss);
  }
  if (number("policy_kl")) {
    report.predictions.emplace();
    for_each_figure(*report.predictions,
                    [&](const char* name, double& figure) { figure = number(name).value_or(0.0); });
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

std::vector<std::string> loss_parts(const LossReport& report, std::optional<double> held_out_loss) {
  std::vector<std::string> parts{fmt::format("loss {:.3f}", report.loss)};
  if (held_out_loss) parts.push_back(fmt::format("hold-out loss {:.3f}", *held_out_loss));
  if (report.predictions) {
    const PredictionFigures& figures = *report.predictions;
    parts.push_back(fmt::format("policy KL {:.3f}", figures.policy_kl));
    parts.push_back(fmt::format("top-1 {:.0f}%", 100.0 * figures.top1));
    parts.push_back(fmt::format("value Brier {:.3f}", figures.value_brier));
  }
  return parts;
}

nlohmann::json training_figures(const nlohmann::json& metrics) {
  const LossReport report = read_losses(metrics);
  nlohmann::json figures = {{"loss", report.loss}};
  for (const auto& [head, loss] : report.heads) figures["losses"][head] = loss;
  if (report.predictions) {
    for_each_figure(*report.predictions, [&](const char* name, double figure) { figures[name] = figure; });
  }
  for (const char* name : {"steps", "new_positions", "window_positions", "gradient_norm", "learning_rate",
                           "samples_per_second", "waited_seconds"}) {
    const auto found = metrics.find(name);
    if (found != metrics.end() && found->is_number()) figures[name] = *found;
  }
  // The metrics of one board of several have no batch, and no samples are told: its steps leave out skipped ones.
  const auto steps = metrics.find("steps");
  const auto batch = metrics.find("batch");
  if (steps != metrics.end() && batch != metrics.end() && steps->is_number_integer() && batch->is_number_integer()) {
    figures["samples"] = steps->get<std::int64_t>() * batch->get<std::int64_t>();
  }
  return figures;
}

}  // namespace koridor
