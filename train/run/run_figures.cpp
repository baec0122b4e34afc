#include "train/run/run_figures.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "train/run/events.h"
#include "train/run/figure_lines.h"
#include "train/run/loss_report.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kColumns = 80;

// The lines of figures.jsonl by generation. What has no checksum or a wrong one is left out, to be made anew.
std::map<int, json> read_lines(const fs::path& path) {
  std::map<int, json> lines;
  for (FigureLine& line : read_figure_lines(path).lines) {
    if (line.sealed) lines[line.generation] = std::move(line.figures);
  }
  return lines;
}

// Leaves out what JSON cannot hold.
void drop_what_is_no_number(json& value) {
  if (value.is_object()) {
    std::erase_if(value.get_ref<json::object_t&>(), [](const auto& entry) {
      return entry.second.is_null() ||
             (entry.second.is_number_float() && !std::isfinite(entry.second.template get<double>()));
    });
  }
  if (value.is_structured()) {
    for (json& part : value) drop_what_is_no_number(part);
  }
}

json rating_of(const RatedPlayer& player) {
  json scores = json::object();
  for (const auto& [baseline, score] : player.score) scores[baseline] = score;
  return {{"elo", player.elo}, {"error95", player.error}, {"games", player.games}, {"scores", scores}};
}

// The speed of a board; of one that took so many seconds of all workers, by what its games say.
json speed_of_board(const json& speed, const json& selfplay) {
  const double seconds = member(speed, "played_seconds", 0.0);
  if (seconds <= 0 || !selfplay.contains("games")) return speed;
  json result = {{"positions_per_second", member(selfplay, "games", 0.0) * member(selfplay, "plies", 0.0) / seconds}};
  if (selfplay.contains("evaluations")) {
    result["evaluations_per_second"] = member(selfplay, "evaluations", 0.0) / seconds;
  }
  return result;
}

// The mean of the boards' speeds, which were measured one after the other.
json speed_of(std::span<const json> speeds) {
  json means = json::object();
  for (const char* name : {"positions_per_second", "evaluations_per_second", "cache_hit_share", "waited_seconds"}) {
    double total = 0;
    int known = 0;
    for (const json& speed : speeds) {
      if (!speed.is_object() || !speed.contains(name) || !speed[name].is_number()) continue;
      total += speed[name].get<double>();
      ++known;
    }
    if (known > 0) means[name] = total / known;
  }
  return means;
}

}  // namespace

fs::path RunFigures::events(int generation) const {
  return run_.events() / "generations" / fmt::format("events.out.tfevents.{:010}.koridor", generation);
}

bool RunFigures::finished(int generation) const {
  return fs::exists(events(generation));
}

json RunFigures::line_of(int generation, std::span<const json> speeds) const {
  json line = {{"generation", generation}};
  if (generation == 0) return line;
  json metrics = json::object();
  try {
    if (fs::exists(run_.metrics(generation))) metrics = read_json(run_.metrics(generation));
  } catch (const UserError& error) {
    line["note"] = error.what();
  }
  try {
    line["cost"] = cost_.until(generation);
  } catch (const UserError&) {
    // Games of older versions do not say what they took; damaged metrics are named in the note.
  }
  if (metrics.contains("loss")) line["training"] = training_figures(metrics);
  line["selfplay"] = object_in(metrics, "selfplay");
  const json boards = object_in(metrics, "boards");
  std::vector<json> by_board;
  for (std::size_t board = 0; board < speeds.size(); ++board) {
    const bool one = config_.run.games.empty();
    const json of_board =
        one || board >= config_.run.games.size() ? metrics : object_in(boards, config_.run.games[board]);
    by_board.push_back(speed_of_board(speeds[board], object_in(of_board, "selfplay")));
  }
  line["selfplay"].update(speed_of(by_board));
  if (line["selfplay"].empty()) line.erase("selfplay");
  for (std::size_t board = 0; board < config_.run.games.size(); ++board) {
    const std::string& name = config_.run.games[board];
    const json of_board = object_in(boards, name);
    json& figures = line["boards"][name] = json::object();
    if (of_board.contains("loss")) figures["training"] = training_figures(of_board);
    if (of_board.contains("selfplay")) figures["selfplay"] = object_in(of_board, "selfplay");
    if (board < by_board.size()) figures["selfplay"].update(speed_of(std::span(by_board).subspan(board, 1)));
  }
  return line;
}

json RunFigures::finish(int generation, double seconds, std::span<const json> speeds,
                        std::span<const RatedPlayer> table) const {
  run_.require_there();
  std::map<int, json> lines = read_lines(run_.figures());
  add_missing_lines(lines, generation - 1);
  json& line = lines[generation];
  if (line.is_null()) {
    line = line_of(generation, speeds);
    line["seconds"] = seconds;
  }
  write_lines(lines, table);
  for (const auto& [number, one] : lines) write_events(number, one);
  return line;
}

void RunFigures::add_missing_lines(std::map<int, json>& lines, int generation) const {
  for (int each = 0; each <= generation; ++each) {
    if (!lines.contains(each)) lines[each] = line_of(each, {});
  }
}

void RunFigures::write_lines(std::map<int, json>& lines, std::span<const RatedPlayer> table) const {
  for (const RatedPlayer& player : table) {
    if (player.generation >= 0 && lines.contains(player.generation))
      lines[player.generation]["rating"] = rating_of(player);
  }
  std::string text;
  for (auto& [number, one] : lines) {
    drop_what_is_no_number(one);
    text += figure_line_text(one);
  }
  write_file_atomically(run_.figures(), text);
}

void RunFigures::write_events(int generation, const json& line) const {
  const fs::path path = events(generation);
  if (fs::exists(path)) return;
  const double time = seconds_since_1970();
  std::string records = first_event(time);
  for_each_number(line, '/', [&](const std::string& tag, double value) {
    if (tag != "generation") records += scalar_event(tag, generation, value, time);
  });
  write_file_atomically(path, records);
}

void RunFigures::write_last_ratings(std::span<const RatedPlayer> table) const {
  run_.require_there();
  std::map<int, json> lines = read_lines(run_.figures());
  for (const RatedPlayer& player : table) add_missing_lines(lines, player.generation);
  write_lines(lines, table);
  const double time = seconds_since_1970();
  std::string records = first_event(time);
  for (const RatedPlayer& player : table) {
    if (player.generation < 0) continue;
    records += scalar_event("rating/elo", player.generation, player.elo, time);
    records += scalar_event("rating/error95", player.generation, player.error, time);
  }
  write_file_atomically(run_.events() / "last_table" / "events.out.tfevents.0000000000.koridor", records);
}

std::string generation_header(const std::vector<std::string>& baselines) {
  const std::string scores =
      baselines.empty() ? "" : fmt::format("; points per game against {}", fmt::join(baselines, ", "));
  return wrapped_text(
             fmt::format("Columns: time of work; loss of the training; KL, of the network's policy from its target; "
                         "top-1, how often their first choices agree; Brier score of the value; Elo with its 95% "
                         "interval{}.",
                         scores)) +
         fmt::format("\n\n{:<9}{:>8}{:>8}{:>7}{:>7}{:>7}{:>7}{:>8}{}", "", "time", "loss", "KL", "top-1", "Brier",
                     "Elo", "95%", baselines.empty() ? "" : "  points");
}

std::string generation_text(const json& line, const std::vector<std::string>& baselines) {
  const json training = line.value("training", json::object());
  const json rating = line.value("rating", json::object());
  const auto cell = [](const json& object, const char* name, const char* format, double factor = 1.0) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number()) return std::string("-");
    return without_negative_zero(fmt::format(fmt::runtime(format), factor * found->get<double>()));
  };
  std::string text = fmt::format(
      "{:<9}{:>8}{:>8}{:>7}{:>7}{:>7}{:>7}{:>8}", RunDirectory::label(line["generation"].get<int>()),
      line.contains("seconds") ? clock_text(line["seconds"].get<double>()) : "-", cell(training, "loss", "{:.3f}"),
      cell(training, "policy_kl", "{:.3f}"), cell(training, "top1", "{:.0f}%", 100.0),
      cell(training, "value_brier", "{:.3f}"), cell(rating, "elo", "{:.0f}"), cell(rating, "error95", "+-{:.0f}"));
  if (rating.empty()) return text;
  const std::size_t indent = text.size() + 1;
  const json scores = rating.value("scores", json::object());
  std::size_t column = text.size();
  for (const std::string& baseline : baselines) {
    const std::string score = fmt::format(" {:>4}", cell(scores, baseline.c_str(), "{:.0f}%", 100.0));
    if (column + score.size() > kColumns) {
      text += "\n" + std::string(indent - 1, ' ');
      column = indent - 1;
    }
    text += score;
    column += score.size();
  }
  return text;
}

}  // namespace koridor
