#include "cli/model_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/registry.h"
#include "models/network/head.h"
#include "models/network/model_file.h"
#include "models/network/tensor_file.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

std::string sentences(const TableRow& row) {
  std::string text =
      fmt::format("{}\n  a model of {}, generation {}, configuration {}\n", row.text("file"), row.text("game"),
                  row.integer("generation"), row.text("config_hash").empty() ? "unknown" : row.text("config_hash"));
  if (!row.empty("rules")) text += fmt::format("  rules: {}\n", row.text("rules"));
  text += fmt::format("  encoding {} of the family {}: {} planes, {} scalars, distances {}\n",
                      row.integer("encoding_version"), row.text("family"), row.integer("planes"),
                      row.integer("scalars"), row.truth("distances") ? "yes" : "no");
  text += fmt::format("  network of {} x {}, a pool every {}, {} weights\n", counted(row.integer("blocks"), "block"),
                      counted(row.integer("channels"), "channel"), counted(row.integer("pool_every"), "block"),
                      row.integer("weights"));
  text += fmt::format("  heads: {}; {} players, {} planes of actions\n", row.text("heads"), row.integer("players"),
                      row.integer("policy_planes"));
  text += row.integer("calibration_positions") > 0
              ? fmt::format("  calibrated for int8 on a board of {}\n", row.text("calibration_board"))
              : "  not calibrated for int8\n";
  return text + fmt::format("  {} bytes, checksum {}\n", row.integer("bytes"), row.text("checksum"));
}

Table models_table() {
  return {"models",
          {{"file", text},
           {"game", text},
           {"rules", text},
           {"generation", integer},
           {"config_hash", text},
           {"family", text},
           {"encoding_version", integer},
           {"planes", integer},
           {"scalars", integer},
           {"distances", truth},
           {"players", integer},
           {"policy_planes", integer},
           {"heads", text},
           {"blocks", integer},
           {"channels", integer},
           {"pool_every", integer},
           {"policy_channels", integer},
           {"value_channels", integer},
           {"value_hidden", integer},
           {"weights", integer},
           {"calibration_positions", integer},
           {"calibration_board", text},
           {"bytes", integer, "bytes"},
           {"checksum", text}},
          sentences};
}

// The rules of the game by name; nothing for a game that this Koridor does not know.
Cell rules_text(const std::string& game) {
  try {
    std::vector<std::string> rules;
    for (const auto& [name, value] : rule_parameters(parse_game(game))) {
      rules.push_back(fmt::format("{}={}", name, value));
    }
    return fmt::format("{}", fmt::join(rules, ", "));
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

bool looks_like_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char start[9] = {};
  return in.read(start, sizeof start) && start[8] == '{';
}

void show_model_card(TableWriter& out, const std::string& path) {
  const Model model = load_model(path);
  const ModelInfo& info = model.info;
  const nlohmann::json metadata = TensorFile(path, "koridor-model-1").header().at("__metadata__");
  std::size_t weights = 0;
  for (const auto& [name, values] : model.tensors) weights += values.size();
  const Calibration& calibration = model.calibration;
  const auto board = static_cast<std::size_t>(calibration.rows * calibration.columns);
  const std::size_t positions =
      calibration.empty() ? 0 : calibration.planes.size() / (board * static_cast<std::size_t>(info.signature.planes));
  const NetworkConfig& network = info.network;
  const NetworkSignature& signature = info.signature;
  out.begin(models_table());
  out.row({path,
           info.game,
           rules_text(info.game),
           info.generation,
           info.config_hash,
           info.family,
           info.encoding_version,
           signature.planes,
           signature.scalars,
           info.features.distances,
           signature.players,
           signature.policy_planes,
           heads_text(signature.heads),
           network.blocks,
           network.channels,
           network.pool_every,
           network.policy_channels,
           network.value_channels,
           network.value_hidden,
           weights,
           positions,
           positions > 0 ? Cell(fmt::format("{}x{}", calibration.columns, calibration.rows)) : Cell(),
           std::filesystem::file_size(path),
           metadata.value("checksum", "")});
  if (out.is_text()) return;
  out.begin({"metadata", {{"file", text}, {"key", text}, {"value", text}}});
  for (const auto& [key, value] : metadata.items()) {
    if (value.is_string()) out.row({path, key, value.get<std::string>()});
  }
}

}  // namespace koridor::cli
