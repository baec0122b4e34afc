#include "cli/inspect_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/version.h"
#include "core/game_end.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

// Which models played the games, where the file says it: "; played by the models 3 to 5".
std::string models_text(const TableRow& row) {
  if (row.empty("first_model")) return "";
  const auto first = row.integer("first_model");
  const auto last = row.integer("last_model");
  return first == last ? fmt::format("; played by model {}", first)
                       : fmt::format("; played by the models {} to {}", first, last);
}

// Whose games they are: a run's, or those of a match, which belong to no generation and no configuration.
std::string origin_text(const TableRow& row) {
  if (row.empty("generation")) return fmt::format("of a match with seed {}", row.text("seed"));
  return fmt::format("generation {}, run seed {}, configuration {}", row.integer("generation"), row.text("seed"),
                     row.text("config_hash"));
}

// How its plies were chosen; a match keeps no searches, and its openings are not told apart.
std::string kinds_text(const TableRow& row) {
  if (row.empty("opening")) return "a match keeps no searches";
  return fmt::format("{} full, {} cheap, {} opening, {} of opponents; {}", row.integer("full"), row.integer("cheap"),
                     row.integer("opening"), row.integer("opponent"),
                     counted(row.integer("policy_entries"), "policy entry", "policy entries"));
}

Table shards_table() {
  return {"shards",
          {{"file", text},
           {"game", text},
           {"generation", integer},
           {"seed", text},
           {"config_hash", text},
           {"written_by", text},
           {"games", integer},
           {"plies", integer, "plies"},
           {"full", integer, "plies"},
           {"cheap", integer, "plies"},
           {"opening", integer, "plies"},
           {"opponent", integer, "plies"},
           {"policy_entries", integer},
           {"first_model", integer},
           {"last_model", integer}},
          [](const TableRow& row) {
            return fmt::format(
                "{}\n  game {}, {}\n"
                "  written by {}{}\n"
                "  {}, {} ({:.1f} a game): {}\n",
                row.text("file"), row.text("game"), origin_text(row), row.text("written_by"), models_text(row),
                counted(row.integer("games"), "game"), counted(row.integer("plies"), "ply", "plies"),
                row.number("plies") / std::max(1.0, row.number("games")), kinds_text(row));
          }};
}

Table points_table() {
  return {"points", {{"file", text}, {"player", integer}, {"points", number}}, [](const TableRow& row) {
            return fmt::format("  player {}: {:.1f} points\n", row.integer("player"), row.number("points"));
          }};
}

Table ends_table() {
  return {"ends", {{"file", text}, {"games", integer}, {"end", text}}, [](const TableRow& row) {
            return fmt::format("  {} ended by {}\n", counted(row.integer("games"), "game"), end_text(row.text("end")));
          }};
}

}  // namespace

std::string end_text(const std::string& name) {
  constexpr std::array<const char*, kGameEnds> kTexts = {"the goal", "the ply cap",          "repetition",
                                                         "passes",   "the supply of stones", "forfeit or adjudication"};
  const auto found = std::ranges::find(kGameEndNames, name);
  return found == kGameEndNames.end() ? name : kTexts[static_cast<std::size_t>(found - kGameEndNames.begin())];
}

bool is_match(const ShardData& data) {
  return data.info.config_hash.empty() &&
         std::ranges::all_of(data.ply_kind, [](std::uint8_t kind) { return PlyKind{kind} == PlyKind::opening; });
}

void show_summary(TableWriter& out, const std::string& file, const ShardData& data) {
  const ShardInfo& info = data.info;
  const bool match = is_match(data);
  const auto kinds = [&](PlyKind kind) { return std::ranges::count(data.ply_kind, static_cast<std::uint8_t>(kind)); };
  const std::vector<std::uint32_t>& models = data.game_model;
  out.begin(shards_table());
  // A seed may be larger than the numbers that JSON's readers hold exactly.
  out.row({file, info.game, match ? Cell() : Cell(info.generation), std::to_string(info.seed),
           match ? Cell() : Cell(info.config_hash), build_text(data.build), data.games(), data.plies(),
           kinds(PlyKind::full), kinds(PlyKind::cheap), match ? Cell() : Cell(kinds(PlyKind::opening)),
           kinds(PlyKind::opponent), data.policy_action.size(),
           models.empty() ? Cell() : Cell(std::ranges::min(models)),
           models.empty() ? Cell() : Cell(std::ranges::max(models))});
  std::vector<double> score(static_cast<std::size_t>(info.players));
  for (std::size_t i = 0; i < data.game_outcome.size(); ++i) score[i % score.size()] += data.game_outcome[i];
  out.begin(points_table());
  for (std::size_t player = 0; player < score.size(); ++player) out.row({file, player + 1, score[player]});
  std::vector<int> ends(kGameEnds);
  for (std::uint8_t end : data.game_end) ++ends[std::min<std::size_t>(end, ends.size() - 1)];
  out.begin(ends_table());
  for (std::size_t end = 0; end < ends.size(); ++end) {
    if (ends[end] > 0) out.row({file, ends[end], kGameEndNames[end]});
  }
}

}  // namespace koridor::cli
