// koridor evaluate: what the network says of a position, without a search.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/version.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/learned_rules.h"
#include "models/network/model_file.h"

namespace koridor::cli {
namespace {

using nlohmann::ordered_json;

struct EvaluateOptions {
  std::string model;
  std::string game;
  std::string moves;
  Notation notation = Notation::standard;
  std::vector<std::string> settings;
  Evaluation evaluation{};
  int top = 10;
  bool json = false;
  bool planes = false;
};

struct LegalAction {
  std::string name;
  int action;  // its index in the game
  int place;   // in the policy
  float logit;
  double probability;  // softmax over the legal actions alone
};

// A position as the network sees it, and what the network says of it.
struct Evaluated {
  EncodingShape shape;
  std::vector<float> planes, scalars;
  std::vector<float> logits, value, auxiliary;
  std::vector<LegalAction> actions;  // the likeliest first
  std::string evaluator;
};

// Sets the probabilities: the softmax of the logits of these actions.
void mask(std::vector<LegalAction>& actions) {
  const float most = std::ranges::max_element(actions, {}, &LegalAction::logit)->logit;
  double total = 0.0;
  for (LegalAction& action : actions) total += action.probability = std::exp(static_cast<double>(action.logit - most));
  for (LegalAction& action : actions) action.probability /= total;
  std::ranges::stable_sort(actions, std::ranges::greater{}, &LegalAction::probability);
}

template <Game G>
Evaluated evaluate(const G& game, const Position<G>& position, const Model& model, const EvaluateOptions& options) {
  Evaluated result;
  result.shape = game.encoding(model.info.features);
  require_fits(model.info, game.family(), result.shape, options.model);
  const EncodingShape& shape = result.shape;
  result.planes.resize(static_cast<std::size_t>(shape.plane_floats()));
  result.scalars.resize(static_cast<std::size_t>(shape.scalars));
  result.logits.resize(static_cast<std::size_t>(shape.policy_size()));
  result.value.resize(static_cast<std::size_t>(shape.value_size()));
  result.auxiliary.resize(static_cast<std::size_t>(shape.players));
  game.encode(position.state, model.info.features, 0, result.planes.data(), result.scalars.data());
  show_learned_rules(learned_rules(model), result.scalars, shape.scalars);  // what the network sees is printed

  const auto evaluator = make_evaluator(model, shape, options.evaluation, 1, options.model);
  evaluator->evaluate({1, result.planes, result.scalars}, {result.logits, result.value, result.auxiliary});
  result.evaluator = evaluator->describe();

  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  legal.for_each([&](Action action) {
    const int place = game.policy_index(position.state, 0, action);
    result.actions.push_back({game.print_action(position.state, action, options.notation), index(action), place,
                              result.logits[static_cast<std::size_t>(place)], 0.0});
  });
  mask(result.actions);
  return result;
}

// The planes as lists of rows.
ordered_json nested(const EncodingShape& shape, const std::vector<float>& planes) {
  ordered_json all = ordered_json::array();
  const float* next = planes.data();
  for (int plane = 0; plane < shape.planes; ++plane) {
    ordered_json rows = ordered_json::array();
    for (int row = 0; row < shape.rows; ++row, next += shape.columns) {
      rows.push_back(std::vector<float>(next, next + shape.columns));
    }
    all.push_back(std::move(rows));
  }
  return all;
}

template <Game G>
void print_json(const G& game, const Position<G>& position, const Evaluated& result, const EvaluateOptions& options) {
  const EncodingShape& shape = result.shape;
  ordered_json actions = ordered_json::array();
  for (const LegalAction& action : result.actions) {
    actions.push_back({{"name", action.name},
                       {"action", action.action},
                       {"policy_index", action.place},
                       {"logit", action.logit},
                       {"probability", action.probability}});
  }
  ordered_json out = {{"written_by", build_text(this_build())},
                      {"model", options.model},
                      {"evaluator", result.evaluator},
                      {"game", game.name()},
                      {"moves", options.moves},
                      {"ply", game.ply(position.state)},
                      {"player", game.player_to_move(position.state)},
                      {"encoding",
                       {{"version", shape.version},
                        {"planes", shape.planes},
                        {"rows", shape.rows},
                        {"columns", shape.columns},
                        {"scalars", shape.scalars},
                        {"policy_planes", shape.policy_planes},
                        {"players", shape.players}}},
                      {"value", result.value},
                      {"auxiliary", result.auxiliary},
                      {"actions", std::move(actions)},
                      {"logits", result.logits}};
  if (options.planes) {
    out["planes"] = nested(shape, result.planes);
    out["scalars"] = result.scalars;
  }
  fmt::print("{}\n", json_text(out));
}

void print_planes(const Evaluated& result) {
  const EncodingShape& shape = result.shape;
  const float* next = result.planes.data();
  for (int plane = 0; plane < shape.planes; ++plane) {
    fmt::print("plane {}\n", plane);
    for (int row = 0; row < shape.rows; ++row, next += shape.columns) {
      fmt::print("  {:.3g}\n", fmt::join(next, next + shape.columns, " "));
    }
  }
  fmt::print("scalars\n  {:.6g}\n", fmt::join(result.scalars, " "));
}

template <Game G>
void print_text(const G& game, const Position<G>& position, const Evaluated& result, const EvaluateOptions& options) {
  const int players = game.players();
  const int player = game.player_to_move(position.state);
  fmt::print("{}, after {}, player {} to move; {}\n", game.name(), counted(game.ply(position.state), "ply", "plies"),
             player + 1, result.evaluator);
  fmt::print("value    ");
  for (int seat = 0; seat < players; ++seat) {
    const auto place = static_cast<std::size_t>((seat - player + players) % players);
    fmt::print("player {} {:.6f}  ", seat + 1, result.value[place]);
  }
  fmt::print("draw {:.6f}\n", result.value.back());
  const auto shown = std::min(result.actions.size(), static_cast<std::size_t>(options.top));
  fmt::print("policy   the first {} of {} legal actions\n", shown, result.actions.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LegalAction& action = result.actions[i];
    fmt::print("  {:<6} {:.6f}  logit {:+.6f} at {}\n", action.name, action.probability, action.logit, action.place);
  }
  if (options.planes) print_planes(result);
}

template <Game G>
void run(const G& game, const Model& model, const EvaluateOptions& options) {
  Position<G> position(game);
  play_moves(game, position, options.moves, options.notation);
  if (game.outcome(position.state, position.history).over()) {
    throw UserError("--moves: the game is over then, and a network judges positions of games that go on");
  }
  const Evaluated result = evaluate(game, position, model, options);
  if (options.json) {
    print_json(game, position, result, options);
  } else {
    print_text(game, position, result, options);
  }
}

}  // namespace

void add_evaluate(CommandLine& line) {
  auto options = std::make_shared<EvaluateOptions>();
  options->evaluation.precision = "f32";
  const Command command = line.add_command("evaluate", "Print a network's raw policy and value of a position");
  command.footer(
      "No search: for programs that read models themselves, and want to compare (docs/front_ends.md).\n"
      "The value is that of each player to win, and of a draw; in JSON it starts with the player to move.");
  command.add_option("model", options->model, "Model file, or the name of a trained model")
      .type_name("FILE")
      .required();
  command.add_option("--game", options->game, "Game id or variant string (default: the model's)").type_name("GAME");
  command.add_option("--moves", options->moves, "Actions to play first, e.g. \"c4 c2 b3h\"");
  add_notation(command, options->notation, "Of --moves and of the output");
  add_rule_settings(command, options->settings);
  add_evaluation(command, options->evaluation, false);
  command.add_option("--top", options->top, "Actions to print; JSON has all").range(0, 100000).show_default();
  command.add_flag("--planes", options->planes, "What the network sees, too");
  command.add_flag("--json", options->json, "One line of JSON");
  command.runs([options] {
    const Model model = load_model(find_model(options->model));
    std::visit([&](const auto& game) { run(game, model, *options); },
               parse_game(options->game.empty() ? model.info.game : options->game, options->settings));
  });
}

}  // namespace koridor::cli
