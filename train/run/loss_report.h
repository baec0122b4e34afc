// The losses of a training and what explains them, as the trainer's status and metrics files hold them and as people
// read them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace koridor {

// How well the policy and the value are predicted (README.md, `training`).
struct PredictionFigures {
  double policy_entropy = 0;
  double policy_kl = 0;
  double top1 = 0;
  double value_brier = 0;
  double value_calibration_error = 0;
};

struct LossReport {
  double loss = 0;                                      // the weighted sum
  std::vector<std::pair<std::string, double>> heads{};  // the loss of each head, unweighted
  std::optional<PredictionFigures> predictions{};       // files of older versions do not say
};

// Adds "loss", "heads" (a list of names), "<name>_loss" for each head and the names of PredictionFigures to an object,
// and reads them back. Missing entries are left out.
void write_losses(const LossReport& report, nlohmann::json& object);
LossReport read_losses(const nlohmann::json& object);

// "loss 1.274 (policy 1.031, value 0.198, auxiliary 0.301)"
std::string loss_text(const LossReport& report);

// "loss 1.274 | policy KL 0.213 | top-1 64% | value Brier 0.171", the parts of a line, the most telling ones first.
// Where games are held out, their "hold-out loss 1.301" stands behind the loss.
std::vector<std::string> loss_parts(const LossReport& report, std::optional<double> held_out_loss = std::nullopt);

// The object `training` of figures.jsonl (README.md) from a generation's metrics file.
nlohmann::json training_figures(const nlohmann::json& metrics);

}  // namespace koridor
