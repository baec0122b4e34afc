// koridor play: a person against a model, on a board in the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <ranges>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/records.h"
#include "cli/search_options.h"
#include "core/base/error.h"
#include "core/registry.h"
#include "models/network/model_file.h"
#include "selfplay/session/session.h"

namespace koridor::cli {
namespace {

struct PlayOptions {
  std::string game;
  std::string model;
  int visits = 400;
  int seat = 1;
  bool hints = false;
  Notation notation = Notation::standard;
  std::string colour = "auto";
  std::uint64_t seed = 0;
  std::string sgf;
  Evaluation evaluation{};
  std::vector<std::string> search;
};

constexpr const char* kHelp =
    "  hint      the model's best actions     undo      take back your last action\n"
    "  actions   every legal action           help      this text\n"
    "  quit      end\n";

// A session at a terminal: a person in one seat, the model in all others.
class Terminal {
 public:
  Terminal(Session& session, const PlayOptions& options)
      : session_(session),
        options_(options),
        colour_(options.colour == "always" || (options.colour == "auto" && ::isatty(STDOUT_FILENO) == 1)) {}

  void run() {
    fmt::print("You are player {}. Type an action, or one of:\n{}{}", options_.seat, help_text(session_.help()), kHelp);
    while (!session_.outcome().over()) {
      show();
      if (is_mine(session_.seat_to_move())) {
        if (!ask()) break;
      } else {
        reply();
      }
    }
    if (session_.outcome().over()) {
      show();
      announce();
    }
  }

 private:
  bool is_mine(int seat) const { return seat == options_.seat - 1; }
  void show() const { fmt::print("\n{}\n", session_.board(colour_)); }

  void hint() {
    const Analysis& analysis = session_.search({.visits = options_.visits});
    fmt::print("{}", analysis.proven ? "Proven. " : "");
    for (int seat = 0; seat < session_.players(); ++seat) {
      fmt::print("player {} {:.1f}%{}", seat + 1, 100.0f * analysis.values[static_cast<std::size_t>(seat)],
                 seat + 1 < session_.players() ? ", " : " to win\n");
    }
    for (const Candidate& candidate : analysis.candidates | std::views::take(5)) {
      if (candidate.policy > 0) fmt::print("  {:<6} {:5.1f}%\n", candidate.text, 100.0f * candidate.policy);
    }
  }

  void reply() {
    const Analysis analysis = session_.search({.visits = options_.visits});
    fmt::print("Player {} plays {}", analysis.seat + 1, analysis.best_text);
    const float value = analysis.values[static_cast<std::size_t>(analysis.seat)];
    fmt::print("{}\n", options_.hints ? fmt::format("  (sees {:.1f}% for itself)", 100.0f * value) : "");
    session_.play(analysis.best);
  }

  // Returns false when the person wants to end.
  bool ask() {
    if (options_.hints) hint();
    for (;;) {
      fmt::print("> ");
      std::fflush(stdout);
      std::string line;
      if (!std::getline(std::cin, line) || line == "quit" || line == "q") return false;
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
      if (line.empty()) continue;
      if (line == "hint") {
        hint();
      } else if (line == "help" || line == "?") {
        fmt::print("{}{}", help_text(session_.help()), kHelp);
      } else if (line == "actions") {
        fmt::print("{} \n", fmt::join(session_.legal_texts(), " "));
      } else if (line == "undo") {
        undo();
        return true;
      } else if (const auto refusal = session_.play(line)) {
        fmt::print("{}\n", refusal->text());
      } else {
        return true;
      }
    }
  }

  // Back to the person's last turn.
  void undo() {
    int ply = session_.ply() - 1;
    while (ply >= 0 && !is_mine(session_.moves()[static_cast<std::size_t>(ply)].seat)) --ply;
    if (!session_.go_to(ply)) fmt::print("There is nothing to take back.\n");
  }

  void announce() const {
    const Outcome result = session_.outcome();
    if (result.kind == Outcome::Kind::draw) {
      fmt::print("A draw.\n");
    } else {
      fmt::print("{}\n", is_mine(result.winner) ? "You win!" : fmt::format("Player {} wins.", result.winner + 1));
    }
  }

  Session& session_;
  const PlayOptions& options_;
  bool colour_;
};

// The moves played, without those taken back.
void save(const Session& session, const std::string& path) {
  std::vector<Action> actions;
  for (const SessionMove& move : session.moves() | std::views::take(session.ply())) actions.push_back(move.action);
  std::visit([&](const auto& game) { save_sgf(path, game, actions, session.seat_name(0), session.seat_name(1)); },
             session.game());
}

void run_play(const PlayOptions& options) {
  SearchConfig search = match_search();
  apply_search_settings(search, options.search);
  const auto model = std::make_shared<const Model>(load_model(options.model));
  const std::string name = options.game.empty() ? model->info.game : options.game;
  const AnyGame game = parse_game(name);
  const int players = std::visit([](const auto& known) { return known.players(); }, game);
  if (options.seat > players) {
    throw UserError(fmt::format("--seat {}: {} has the seats 1 to {}", options.seat, name, players));
  }
  if (!options.sgf.empty()) std::visit([](const auto& known) { require_sgf(known); }, game);
  Session session(game, {.thinker = {.model = model,
                                     .name = options.model,
                                     .evaluation = options.evaluation,
                                     .search = search,
                                     .seed = options.seed},
                         .notation = options.notation});
  for (int seat = 0; seat < players; ++seat) {
    session.name_seat(seat, seat == options.seat - 1 ? "human" : std::filesystem::path(options.model).stem().string());
  }
  Terminal(session, options).run();
  if (!options.sgf.empty()) save(session, options.sgf);
}

}  // namespace

void add_play(CLI::App& app) {
  auto options = std::make_shared<PlayOptions>();
  CLI::App* play = app.add_subcommand("play", "Play against a model on a board in the terminal");
  play->add_option("game", options->game, "Game id or variant string (default: the one the model was trained on)");
  play->add_option("--model", options->model, "Model file, e.g. runs/quickstart/models/gen-0010.koridor")->required();
  play->add_option("--visits", options->visits, "Simulations the model spends on a move")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_search_settings(*play, options->search);
  play->add_option("--seat", options->seat, "Your seat; 1 moves first")
      ->check(CLI::Range(1, kMaxPlayers))
      ->capture_default_str();
  play->add_flag("--hints", options->hints, "Show the model's best actions and win probabilities every turn");
  add_notation(*play, options->notation, "How actions are written");
  play->add_option("--colour", options->colour, "Colours on the board")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  play->add_option("--sgf", options->sgf, "Save the game as SGF (games of Go), also one that was broken off")
      ->type_name("FILE");
  play->add_option("--seed", options->seed, "Of the model's random choices")->capture_default_str();
  add_evaluation(*play, options->evaluation, false);
  play->callback([options] { run_play(*options); });
}

}  // namespace koridor::cli
