// koridor score: how a game of Go in an SGF file stands, by every rule.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "core/base/colour.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/terminal.h"
#include "core/go/sgf.h"

namespace koridor::cli {
namespace {

constexpr std::uintmax_t kLargestRecord = std::uintmax_t{16} << 20;

struct ScoreOptions {
  std::vector<std::string> files;
  int moves = -1;
};

// "black by 3.5", "white by 1", "a draw".
std::string winner(int half_points) {
  if (half_points == 0) return "a draw";
  return fmt::format("{} by {}", half_points > 0 ? "black" : "white", go::komi_text(std::abs(half_points)));
}

void print_score(const std::string& path, int moves) {
  go::Record record = go::read_sgf(read_file(path, kLargestRecord), path);
  if (moves >= 0) {
    if (static_cast<std::size_t>(moves) > record.actions.size()) {
      throw UserError(fmt::format("--moves {}: {} has {} moves", moves, path, record.actions.size()));
    }
    record.actions.resize(static_cast<std::size_t>(moves));
  }
  const go::GoGame& game = record.game;
  const Position<go::GoGame> position = record.end();
  const go::State& state = position.state;
  const go::Score score = game.score(state);
  const Outcome outcome = game.outcome(state, position.history);

  fmt::print("{}: {}, {} moves\n", printable(path), game.name(), record.actions.size());
  if (!record.black.empty() || !record.white.empty()) {
    fmt::print("black: {}, white: {}\n", printable(record.black), printable(record.white));
  }
  for (const std::string& note : record.notes) fmt::print("note: {}\n", printable(note));
  fmt::print("\n{}\n", game.print_board(state, Notation::standard, use_colour()));
  const auto line = [](std::string_view what, int black, int white) {
    fmt::print("{:<26} {:>5} {:>5}\n", what, black, white);
  };
  fmt::print("{:<26} {:>5} {:>5}\n", "", "black", "white");
  line("stones", score.stones[0], score.stones[1]);
  line("territory", score.territory[0], score.territory[1]);
  line("area", score.area(0), score.area(1));
  line("prisoners", score.prisoners[0], score.prisoners[1]);
  line("stones placed", score.placed[0], score.placed[1]);
  if (score.placed_in_cleanup != std::array{0, 0}) {
    line("placed in cleanup", score.placed_in_cleanup[0], score.placed_in_cleanup[1]);
  }
  fmt::print("neutral points: {}\n\n", score.neutral);

  const int komi = game.rules().half_points_of_komi;
  fmt::print("by area                    {}\n", winner(2 * score.by_area() - komi));
  fmt::print("by territory               {}\n", winner(2 * score.by_territory() - komi));
  for (const std::string& name : go::ruleset_names()) {
    go::Rules rules = game.rules();
    go::set_word(rules, name);
    fmt::print("{:<26} {}\n", fmt::format("{}, komi {}", name, go::komi_text(rules.half_points_of_komi)),
               winner(go::GoGame(rules).half_points(state)));
  }
  if (!outcome.over()) {
    fmt::print("the game is not over: as it stands, with every stone alive\n");
  } else if (outcome.kind == Outcome::Kind::draw && state.passes < 2) {
    fmt::print("the game is a draw by repetition or at its last move\n");
  } else {
    fmt::print("the game is over: {}\n", winner(game.half_points(state)));
  }
  if (!record.result.empty()) fmt::print("the record says: {}\n", printable(record.result));
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* score = app.add_subcommand("score", "Score a game of Go in an SGF file by every rule");
  score->add_option("file", options->files, "SGF files")->required();
  score->add_option("--moves", options->moves, "Only so many moves of it")->check(CLI::Range(0, 1'000'000));
  score->callback([options] {
    for (const std::string& file : options->files) print_score(file, options->moves);
  });
}

}  // namespace koridor::cli
