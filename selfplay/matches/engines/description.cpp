#include "selfplay/matches/engines/description.h"

#include "core/go/named_rules.h"

namespace koridor {
namespace {

// A game that no protocol of ours knows.
template <Game G>
EngineGame describe(const G& game) {
  return {.variant = game.name(), .family = std::string(game.family()), .players = game.players()};
}

EngineGame describe(const wall::WallGame& game) {
  const wall::Rules& rules = game.rules();
  return {.variant = game.name(),
          .family = std::string(game.family()),
          .players = game.players(),
          .columns = rules.columns,
          .rows = rules.rows,
          .walls = rules.walls};
}

constexpr const char* kStrict = "leaflet-strict";

// The rules for kata-set-rules, in its JSON form: by its names "chinese" has simple ko, and most rules have none. A
// name of ours, which our engine knows, where rules hold that the form has no place for.
std::string told_rules(const go::Rules& rules) {
  const bool own = rules.must_save_atari || rules.limited_supply;
  return own && go::with_named_rules(rules, kStrict) == rules ? kStrict : go::rules_text(rules);
}

// The rules that the JSON form has no place for, as in a variant string.
std::string untold_rules(const go::Rules& rules) {
  std::string untold = rules.must_save_atari ? "must_save_atari=true" : "";
  if (rules.limited_supply) untold += untold.empty() ? "stone_supply=half" : " and stone_supply=half";
  return untold;
}

EngineGame describe(const go::GoGame& game) {
  const go::Rules& rules = game.rules();
  EngineGame result{.variant = game.name(),
                    .family = std::string(game.family()),
                    .players = 2,
                    .columns = rules.columns,
                    .rows = rules.rows,
                    .komi = go::komi_text(rules.half_points_of_komi)};
  for (const auto& [row, column] : go::handicap_points(rules)) {
    result.handicap.push_back(go::point_name(game.geometry(), row, column));
  }
  result.ruleset = told_rules(rules);
  if (result.ruleset != kStrict) result.untold = untold_rules(rules);
  return result;
}

}  // namespace

EngineGame engine_game(const AnyGame& game) {
  return std::visit([](const auto& known) { return describe(known); }, game);
}

}  // namespace koridor
