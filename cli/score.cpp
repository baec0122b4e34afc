// koridor score: how a game of Go in an SGF file stands, by every rule.
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>

#include "cli/commands.h"
#include "cli/table.h"
#include "core/base/colour.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "core/go/sgf.h"

namespace koridor::cli {
namespace {

struct ScoreOptions {
  std::vector<std::string> files;
  int moves = -1;
  TableOptions tables;
};

// "black by 3.5", "white by 1", "a draw".
std::string winner(int half_points) {
  if (half_points == 0) return "a draw";
  return fmt::format("{} by {}", half_points > 0 ? "black" : "white", go::komi_text(std::abs(half_points)));
}

using enum ColumnType;

Table score_games_table() {
  return {"games",
          {{"file", text}, {"game", text}, {"moves", integer}, {"black", text}, {"white", text}},
          [](const TableRow& row) {
            std::string lines =
                fmt::format("{}: {}, {}\n", row.text("file"), row.text("game"), counted(row.integer("moves"), "move"));
            if (!row.text("black").empty() || !row.text("white").empty()) {
              lines += fmt::format("black: {}, white: {}\n", row.text("black"), row.text("white"));
            }
            return lines;
          }};
}

// What was passed over or assumed in reading.
Table score_notes_table() {
  return {"notes", {{"file", text}, {"note", text}}, [](const TableRow& row) {
            return fmt::format("note: {}\n", printable(row.text("note")));
          }};
}

Table counts_table() {
  return {"counts",
          {{"file", text},
           {"what", text, "", "", -26, "{}"},
           {"black", integer, "", "black", 5, "{}"},
           {"white", integer, "", "white", 5, "{}"}}};
}

// A winner and the margin, as "black by 3.5" or "a draw".
Table results_table() {
  return {"results",
          {{"file", text}, {"rules", text}, {"result", text}, {"black_minus_white", number, "points"}},
          [](const TableRow& row) { return fmt::format("{:<26} {}\n", row.text("rules"), row.text("result")); }};
}

Table score_ends_table() {
  return {"ends", {{"file", text}, {"over", truth}, {"end", text}, {"recorded_result", text}}, [](const TableRow& row) {
            const std::string end = row.text("end") + "\n";
            return row.empty("recorded_result") ? end : end + "the record says: " + row.text("recorded_result") + "\n";
          }};
}

void show_counts(TableWriter& out, const std::string& path, const go::Score& score) {
  out.begin(counts_table());
  const auto line = [&](std::string_view what, int black, int white) { out.row({path, what, black, white}); };
  line("stones", score.stones[0], score.stones[1]);
  line("territory", score.territory[0], score.territory[1]);
  line("area", score.area(0), score.area(1));
  line("prisoners", score.prisoners[0], score.prisoners[1]);
  line("stones placed", score.placed[0], score.placed[1]);
  if (score.placed_in_cleanup != std::array{0, 0}) {
    line("placed in cleanup", score.placed_in_cleanup[0], score.placed_in_cleanup[1]);
  }
  out.say(fmt::format("neutral points: {}\n\n", score.neutral));
}

void show_results(TableWriter& out, const std::string& path, const go::Record& record, const go::Score& score) {
  const go::GoGame& game = record.game;
  const Position<go::GoGame> position = record.end();
  const go::State& state = position.state;
  out.begin(results_table());
  const auto line = [&](const std::string& rules, int half_points) {
    out.row({path, rules, winner(half_points), half_points / 2.0});
  };
  const int komi = game.rules().half_points_of_komi;
  line("by area", 2 * score.by_area() - komi);
  line("by territory", 2 * score.by_territory() - komi);
  for (const std::string& name : go::ruleset_names()) {
    go::Rules rules = game.rules();
    go::set_word(rules, name);
    line(fmt::format("{}, komi {}", name, go::komi_text(rules.half_points_of_komi)),
         go::GoGame(rules).half_points(state));
  }
  const Outcome outcome = game.outcome(state, position.history);
  std::string end;
  if (!outcome.over()) {
    end = "the game is not over: as it stands, with every stone alive";
  } else if (!game.ends_by_count(state, outcome)) {
    end = "the game is a draw by repetition";
  } else {
    end = fmt::format("the game is over: {}", winner(game.half_points(state)));
  }
  out.begin(score_ends_table());
  out.row({path, outcome.over(), end, record.result.empty() ? Cell() : Cell(record.result)});
}

void show_score(TableWriter& out, const std::string& path, int moves) {
  go::Record record = go::read_sgf(read_file(path, go::kLargestRecord), path);
  if (moves >= 0) {
    if (static_cast<std::size_t>(moves) > record.actions.size()) {
      throw UserError(fmt::format("--moves {}: {} has {}", moves, path, counted(std::ssize(record.actions), "move")));
    }
    record.actions.resize(static_cast<std::size_t>(moves));
  }
  const go::GoGame& game = record.game;
  const Position<go::GoGame> position = record.end();
  const go::Score score = game.score(position.state);
  out.begin(score_games_table());
  out.row({path, game.name(), record.actions.size(), record.black, record.white});
  out.begin(score_notes_table());
  for (const std::string& note : record.notes) out.row({path, note});
  out.say(fmt::format("\n{}\n", board_text(game, position, {.colour = use_colour()})));
  show_counts(out, path, score);
  show_results(out, path, record, score);
}

}  // namespace

void add_score(CommandLine& line) {
  auto options = std::make_shared<ScoreOptions>();
  const Command score = line.add_command("score", "Score a game of Go in an SGF file by every rule");
  score.add_option("file", options->files, "SGF files").type_name("FILE").required();
  score.add_option("--moves", options->moves, "Only so many moves of it").range(0, 1'000'000);
  add_tables(score, options->tables, {"results", "counts", "games", "notes", "ends"});
  score.runs([options] {
    TableWriter out = table_writer(options->tables);
    for (const std::string& file : options->files) {
      if (&file != &options->files.front()) out.say("\n");
      show_score(out, file, options->moves);
    }
    out.finish();
  });
}

}  // namespace koridor::cli
