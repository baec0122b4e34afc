// koridor play: a person against a model, on a board in the terminal.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/records.h"
#include "cli/search_options.h"
#include "core/error.h"
#include "core/registry.h"
#include "models/backends.h"
#include "selfplay/think.h"

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
  std::vector<std::string> search;
};

constexpr const char* kWallHelp =
    "  e8        move the pawn to e8          e3h, e3v  place a horizontal or vertical wall (named by the square\n"
    "                                                   north-west of its middle)\n";
constexpr const char* kGoHelp =
    "  D4        place a stone on D4          pass      pass; two in a row end the game (territory: the phase)\n";
constexpr const char* kHelp =
    "  hint      the model's best actions     undo      take back your last action\n"
    "  actions   every legal action           quit      end\n";

// One game between a person in one seat and the model in all others.
template <Game G>
class Board {
 public:
  Board(const G& game, const PlayOptions& options, const SearchConfig& search, const Model& model)
      : game_(game),
        options_(options),
        features_(model.info.features),
        notation_(options.notation),
        colour_(options.colour == "always" || (options.colour == "auto" && ::isatty(STDOUT_FILENO) == 1)),
        evaluator_(make_evaluator(model, game.encoding(features_), {.max_batch = 1}, options.model)),
        search_(game, search, options.visits),
        random_(options.seed) {
    restart({});
  }

  void run() {
    fmt::print("You are player {}. Type an action, or one of:\n{}{}", options_.seat, action_help(), kHelp);
    while (!outcome().over()) {
      show();
      const bool mine = game_.player_to_move(position().state) == options_.seat - 1;
      if (mine ? !ask() : !reply()) break;
    }
    if (outcome().over()) {
      show();
      announce();
    }
    if (!options_.sgf.empty()) save();
  }

 private:
  const char* action_help() const { return game_.family() == "go" ? kGoHelp : kWallHelp; }
  const Position<G>& position() const { return search_.position(); }
  Outcome outcome() const { return game_.outcome(position().state, position().history); }
  std::string text(Action action) const { return game_.print_action(position().state, action, notation_); }

  void restart(const std::vector<Action>& actions) {
    Position<G> start(game_);
    for (Action action : actions) start.apply(game_, action);
    played_ = actions;
    search_.reset(start);
  }

  void play(Action action) {
    played_.push_back(action);
    search_.play(action);
  }

  void show() const { fmt::print("\n{}\n", game_.print_board(position().state, notation_, colour_)); }

  void consult() { think(game_, search_, *evaluator_, features_, {.visits = options_.visits}, random_); }

  void hint() {
    consult();
    const Values value = search_.root_value();
    fmt::print("{}", search_.proven() ? "Proven. " : "");
    for (int player = 0; player < game_.players(); ++player) {
      fmt::print("player {} {:.1f}%{}", player + 1, 100.0f * value[player],
                 player + 1 < game_.players() ? ", " : " to win\n");
    }
    std::vector<PolicyEntry> policy;
    search_.policy_target(policy);
    std::ranges::sort(policy, std::ranges::greater{}, &PolicyEntry::probability);
    for (std::size_t i = 0; i < std::min<std::size_t>(5, policy.size()); ++i) {
      fmt::print("  {:<6} {:5.1f}%\n", text(policy[i].action), 100.0f * policy[i].probability);
    }
  }

  bool reply() {
    consult();
    const Action action = search_.best_action();
    const Values value = search_.root_value();
    const int player = game_.player_to_move(position().state);
    fmt::print("Player {} plays {}", player + 1, text(action));
    fmt::print("{}\n", options_.hints ? fmt::format("  (sees {:.1f}% for itself)", 100.0f * value[player]) : "");
    play(action);
    return true;
  }

  // False when the person wants to end.
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
        fmt::print("{}{}", action_help(), kHelp);
      } else if (line == "actions") {
        list_actions();
      } else if (line == "undo") {
        undo();
        return true;
      } else if (const auto action = game_.parse_action(position().state, position().history, line, notation_)) {
        play(*action);
        return true;
      } else {
        fmt::print("\"{}\" is not a legal action here; `actions` lists them, `help` says more.\n", line);
      }
    }
  }

  void list_actions() const {
    ActionMask mask;
    game_.legal_actions(position().state, position().history, mask);
    mask.for_each([&](Action action) { fmt::print("{} ", text(action)); });
    fmt::print("\n");
  }

  // Back to the person's last turn.
  void undo() {
    std::vector<Action> actions = played_;
    Position<G> walk(game_);
    std::vector<int> movers;
    for (Action action : actions) {
      movers.push_back(game_.player_to_move(walk.state));
      walk.apply(game_, action);
    }
    const auto last = std::ranges::find(movers.rbegin(), movers.rend(), options_.seat - 1);
    if (last == movers.rend()) {
      fmt::print("There is nothing to take back.\n");
      return;
    }
    actions.resize(static_cast<std::size_t>(movers.rend() - last - 1));
    restart(actions);
  }

  void announce() const {
    const Outcome result = outcome();
    if (result.kind == Outcome::Kind::draw) {
      fmt::print("A draw.\n");
    } else {
      fmt::print("{}\n",
                 result.winner == options_.seat - 1 ? "You win!" : fmt::format("Player {} wins.", result.winner + 1));
    }
  }

  void save() const {
    const std::string model = std::filesystem::path(options_.model).stem();
    save_sgf(options_.sgf, game_, played_, options_.seat == 1 ? "human" : model, options_.seat == 2 ? "human" : model);
  }

  const G& game_;
  const PlayOptions& options_;
  Features features_;
  Notation notation_;
  bool colour_;
  std::unique_ptr<Evaluator> evaluator_;
  Search<G> search_;
  Random random_;
  std::vector<Action> played_;
};

void run_play(const PlayOptions& options) {
  SearchConfig search = match_search();
  apply_search_settings(search, options.search);
  const Model model = load_model(options.model);
  const std::string name = options.game.empty() ? model.info.game : options.game;
  std::visit(
      [&](const auto& game) {
        if (options.seat > game.players()) {
          throw UserError(fmt::format("--seat {}: {} has the seats 1 to {}", options.seat, name, game.players()));
        }
        if (!options.sgf.empty()) require_sgf(game);
        require_fits(model.info, game.family(), game.encoding(model.info.features), options.model);
        Board(game, options, search, model).run();
      },
      parse_game(name));
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
  play->callback([options] { run_play(*options); });
}

}  // namespace koridor::cli
