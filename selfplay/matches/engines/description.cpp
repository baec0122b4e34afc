#include "selfplay/matches/engines/description.h"

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
  for (const char* name : {"tromp-taylor", "chinese", "japanese"}) {
    go::Rules named;
    go::set_rule(named, "rules", name);
    if (named.ko == rules.ko && named.suicide == rules.suicide && named.scoring == rules.scoring &&
        !rules.must_save_atari && !rules.limited_supply) {
      result.ruleset = name;
      break;
    }
  }
  return result;
}

}  // namespace

EngineGame engine_game(const AnyGame& game) {
  return std::visit([](const auto& known) { return describe(known); }, game);
}

}  // namespace koridor
