// The losses of a training, as the trainer's status and metrics files hold them and as people read them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace koridor {

struct LossReport {
  double loss = 0;                                      // the weighted sum
  std::vector<std::pair<std::string, double>> heads{};  // the loss of each head, unweighted
};

// Adds "loss", "heads" (a list of names) and "<name>_loss" for each head to an object, and reads them back. Missing
// entries are left out.
void write_losses(const LossReport& report, nlohmann::json& object);
LossReport read_losses(const nlohmann::json& object);

// "loss 1.274 (policy 1.031, value 0.198, auxiliary 0.301)"
std::string loss_text(const LossReport& report);

}  // namespace koridor
