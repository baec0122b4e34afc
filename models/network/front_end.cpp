#include "models/network/front_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <variant>

namespace koridor {
namespace {

constexpr const char* kPolicy =
    "Logits in the order of actions as the player to move sees the board: place = plane * rows * columns + row * "
    "columns + column, then the pass in the last place. There is a place for every action, legal or not, and the "
    "logits "
    "of illegal actions are arbitrary: take the softmax over the legal actions alone. In Go, and for the first player "
    "of "
    "a wall game, a place is the action's index (see \"action_order\"). The other players of a wall game see the board "
    "turned, and with it the places: by half for the second of two players, and by a quarter turn counter-clockwise "
    "for "
    "each seat from the first among three or four. docs/formats.md, Order of the policy, has the formulas.";

std::string value_text(int players) {
  std::string text;
  for (int i = 0; i < players; ++i) {
    text += fmt::format("{} that {} wins; ", i,
                        i == 0 ? std::string("the player to move") : fmt::format("the player {} after it", i));
  }
  return fmt::format("Probabilities with sum 1: {}{} a draw.", text, players);
}

std::string rules_text(const AnyGame& game) {
  nlohmann::ordered_json rules = nlohmann::ordered_json::object();
  for (const auto& [name, value] : rule_parameters(game)) rules[name] = value;
  return rules.dump();
}

}  // namespace

NamedTexts front_end_texts(const Model& model, const AnyGame& game) {
  const ModelInfo& info = model.info;
  const EncodingNames names = encoding_names(game, info.features);
  const auto ask = [&](const auto& what) { return std::visit(what, game); };
  return {{"game", ask([](const auto& known) { return known.name(); })},
          {"rules", rules_text(game)},
          {"family", info.family},
          {"encoding_version", std::to_string(info.encoding_version)},
          {"players", std::to_string(info.signature.players)},
          {"planes", nlohmann::json(names.planes).dump()},
          {"scalars", nlohmann::json(names.scalars).dump()},
          {"policy", kPolicy},
          {"policy_planes", std::to_string(info.signature.policy_planes)},
          {"action_order", ask([](const auto& known) { return known.action_order(); })},
          {"value", value_text(info.signature.players)},
          {"auxiliary",
           "A number in [0, 1] for each player, from the one to move: in the wall games the way left to the goal over "
           "rows + columns, in Go the share of the area."},
          {"heads", heads_text(info.signature.heads)},
          {"features", features_text(info.features)},
          {"generation", std::to_string(info.generation)},
          {"config_hash", info.config_hash},
          {"learned_games", fmt::format("{}", fmt::join(learned_games(info), " "))},
          {"model_checksum", info.checksum},
          {"written_by", build_text(this_build())}};
}

}  // namespace koridor
