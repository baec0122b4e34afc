#include "cli/model_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/registry.h"
#include "models/network/compact_model.h"
#include "models/network/head.h"
#include "models/network/model_file.h"
#include "models/network/tensor_file.h"
#include "train/run/figure_lines.h"
#include "train/run/run_directory.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

// "A B C" as "A and B and C".
std::string and_between(std::string names) {
  for (std::size_t at = names.find(' '); at != std::string::npos; at = names.find(' ', at + 5)) {
    names.replace(at, 1, " and ");
  }
  return names;
}

std::string sentences(const TableRow& row) {
  const std::string game = row.text("game");
  const std::string games = and_between(row.text("learned_games"));
  std::string text =
      fmt::format("{}\n  a model of {}, generation {}, configuration {}\n", row.text("file"), games,
                  row.integer("generation"), row.text("config_hash").empty() ? "unknown" : row.text("config_hash"));
  text += fmt::format("  written by {}\n", row.text("written_by"));
  if (!row.empty("rules")) {
    text += fmt::format("  rules{}: {}\n", games == game ? "" : " of " + game, row.text("rules"));
  }
  text += fmt::format("  encoding {} of the family {}: {} planes, {} scalars, features: {}\n",
                      row.integer("encoding_version"), row.text("family"), row.integer("planes"),
                      row.integer("scalars"), row.text("features"));
  if (!row.empty("plane_names")) {
    text += fmt::format("  planes: {}\n  scalars: {}\n", row.text("plane_names"), row.text("scalar_names"));
  }
  text += fmt::format("  network of {} x {}, a pool every {}, {} weights\n", counted(row.integer("blocks"), "block"),
                      counted(row.integer("channels"), "channel"), counted(row.integer("pool_every"), "block"),
                      row.integer("weights"));
  text += fmt::format("  heads: {}; {} players, {} planes of actions\n", row.text("heads"), row.integer("players"),
                      row.integer("policy_planes"));
  if (!row.empty("policy_size")) {
    text += fmt::format("  on a board of {}: {} logits of the policy, {} multiply-adds for each position\n",
                        row.text("board"), row.integer("policy_size"), row.integer("multiply_adds"));
    text += fmt::format("  actions: {}\n", row.text("action_order"));
  }
  text += row.integer("calibration_positions") > 0
              ? fmt::format("  calibrated for int8 on a board of {}\n", row.text("calibration_board"))
              : "  not calibrated for int8\n";
  return text + fmt::format("  {} bytes{}, checksum {}\n", row.integer("bytes"),
                            row.truth("compact") ? ", compact: the weights of convolutions as bytes" : "",
                            row.text("checksum"));
}

Table models_table() {
  return {"models",
          {{"file", text},
           {"game", text},
           {"rules", text},
           {"written_by", text},
           {"board", text},
           {"generation", integer},
           {"config_hash", text},
           {"family", text},
           {"encoding_version", integer},
           {"planes", integer},
           {"scalars", integer},
           {"features", text},
           {"plane_names", text},
           {"scalar_names", text},
           {"players", integer},
           {"policy_planes", integer},
           {"policy_size", integer},
           {"action_order", text},
           {"heads", text},
           {"blocks", integer},
           {"channels", integer},
           {"pool_every", integer},
           {"policy_channels", integer},
           {"value_channels", integer},
           {"value_hidden", integer},
           {"weights", integer},
           {"multiply_adds", integer},
           {"calibration_positions", integer},
           {"calibration_board", text},
           {"compact", truth},
           {"bytes", integer, "bytes"},
           {"checksum", text},
           {"learned_games", text}},
          sentences};
}

// What the model's game adds to its file; nothing for a game that this Koridor does not know, or with other inputs.
struct GameCard {
  std::string rules;
  EncodingShape shape;
  EncodingNames names;
  std::string action_order;
};

std::optional<GameCard> game_card(const ModelInfo& info) {
  try {
    const AnyGame game = parse_game(info.game);
    GameCard card;
    std::vector<std::string> rules;
    for (const auto& [name, value] : rule_parameters(game)) rules.push_back(fmt::format("{}={}", name, value));
    card.rules = fmt::format("{}", fmt::join(rules, ", "));
    card.names = encoding_names(game, info.features);
    std::visit(
        [&](const auto& known) {
          card.shape = known.encoding(info.features);
          card.action_order = known.action_order();
          require_fits(info, known.family(), card.shape, "");
        },
        game);
    return card;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// What the run that a model lies in says of its training.
Table training_table() {
  return {"training",
          {{"file", text},
           {"run", text},
           {"recipe", text},
           {"seconds", number, "s"},
           {"games", integer},
           {"positions", integer},
           {"steps", integer},
           {"elo", number},
           {"error95", number}},
          [](const TableRow& row) {
            std::string line =
                fmt::format("  trained in the run {} ({}): {}, {}, {}", row.text("run"), row.text("recipe"),
                            counted(row.integer("games"), "game"), counted(row.integer("positions"), "position"),
                            counted(row.integer("steps"), "step"));
            if (!row.empty("seconds")) line += fmt::format(" in {:.1f} minutes", row.number("seconds") / 60.0);
            if (!row.empty("elo"))
              line += fmt::format("; Elo {:.0f} +-{:.0f}", row.number("elo"), row.number("error95"));
            return line + "\n";
          }};
}

// The number at the end of the path of keys; empty where there is none.
Cell figure(const nlohmann::json& line, std::initializer_list<const char*> keys) {
  const nlohmann::json* at = &line;
  for (const char* key : keys) {
    if (!at->is_object() || !at->contains(key)) return {};
    at = &at->at(key);
  }
  return at->is_number() ? Cell(at->get<double>()) : Cell();
}

// A model RUN/models/gen-0007.koridor has its cost in RUN/figures.jsonl. Nothing is shown of other models.
void show_training(TableWriter& out, const std::string& path, int generation) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  const RunDirectory run(folder.parent_path());
  std::error_code ignored;
  if (folder.filename() != "models" || !std::filesystem::exists(run.figures(), ignored)) return;
  std::int64_t games = 0, positions = 0, steps = 0;
  Cell seconds, elo, error95;
  bool found = false;
  for (const FigureLine& line : read_figure_lines(run.figures()).lines) {
    if (line.generation > generation) continue;
    const auto count = [&](const char* part, const char* key) {
      const Cell cell = figure(line.figures, {part, key});
      return cell.empty() ? 0 : static_cast<std::int64_t>(std::get<double>(cell.value()));
    };
    games += count("selfplay", "games");
    positions += count("selfplay", "positions");
    steps += count("training", "steps");
    if (line.generation != generation) continue;
    found = true;
    seconds = figure(line.figures, {"seconds"});
    elo = figure(line.figures, {"rating", "elo"});
    error95 = figure(line.figures, {"rating", "error95"});
  }
  if (!found) return;
  out.begin(training_table());
  out.row({path, run.root().string(), run.config().string(), seconds, games, positions, steps, elo, error95});
}

// The names in the order of their planes, as rows for programs.
void show_names(TableWriter& out, const std::string& path, const std::string& table,
                const std::vector<std::string>& names) {
  out.begin({table, {{"file", text}, {"place", integer}, {"name", text}}});
  for (std::size_t i = 0; i < names.size(); ++i) out.row({path, i, names[i]});
}

std::string board_text(int rows, int columns) {
  return fmt::format("{}x{}", columns, rows);
}

}  // namespace

bool looks_like_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char start[9] = {};
  return path.ends_with(".koridor") || (in.read(start, sizeof start) && start[8] == '{');
}

void show_model_card(TableWriter& out, const std::string& path) {
  const Model model = load_model(path);
  const ModelInfo& info = model.info;
  std::size_t weights = 0;
  for (const auto& [name, values] : model.tensors) weights += values.size();
  const Calibration& calibration = model.calibration;
  const auto board = static_cast<std::size_t>(calibration.rows * calibration.columns);
  const std::size_t positions =
      calibration.empty() ? 0 : calibration.planes.size() / (board * static_cast<std::size_t>(info.signature.planes));
  const NetworkConfig& network = info.network;
  const NetworkSignature& signature = info.signature;
  const std::optional<GameCard> card = game_card(info);
  const auto of_game = [&](const auto& what) { return card ? Cell(what(*card)) : Cell(); };
  out.begin(models_table());
  out.row({path,
           info.game,
           of_game([](const GameCard& game) { return game.rules; }),
           build_text(info.build),
           of_game([](const GameCard& game) { return board_text(game.shape.rows, game.shape.columns); }),
           info.generation,
           info.config_hash,
           info.family,
           info.encoding_version,
           signature.planes,
           signature.scalars,
           features_text(info.features),
           of_game([](const GameCard& game) { return fmt::format("{}", fmt::join(game.names.planes, ", ")); }),
           of_game([](const GameCard& game) { return fmt::format("{}", fmt::join(game.names.scalars, ", ")); }),
           signature.players,
           signature.policy_planes,
           of_game([](const GameCard& game) { return game.shape.policy_size(); }),
           of_game([](const GameCard& game) { return game.action_order; }),
           heads_text(signature.heads),
           network.blocks,
           network.channels,
           network.pool_every,
           network.policy_channels,
           network.value_channels,
           network.value_hidden,
           weights,
           of_game([&](const GameCard& game) { return multiply_adds(network, signature, game.shape.area()); }),
           positions,
           positions > 0 ? Cell(board_text(calibration.rows, calibration.columns)) : Cell(),
           is_compact_model(path),
           std::filesystem::file_size(path),
           info.checksum,
           fmt::format("{}", fmt::join(learned_games(info), " "))});
  show_training(out, path, info.generation);
  if (out.is_text()) return;
  if (card) {
    show_names(out, path, "planes", card->names.planes);
    show_names(out, path, "scalars", card->names.scalars);
  }
  const nlohmann::json metadata = TensorFile(path, "koridor-model-1").header().at("__metadata__");
  out.begin({"metadata", {{"file", text}, {"key", text}, {"value", text}}});
  for (const auto& [key, value] : metadata.items()) {
    if (value.is_string()) out.row({path, key, value.get<std::string>()});
  }
}

}  // namespace koridor::cli
