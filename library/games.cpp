// Games: koridor_game_*, and what all functions ask of them.
#include <fmt/format.h>

#include "core/base/compiled_features.h"
#include "core/base/cpu_features.h"
#include "library/objects.h"
#include "library/shown_features.h"
#include "library/structs.h"

namespace koridor::library {
namespace {

const std::vector<GameInfo>& games() {
  static const std::vector<GameInfo> all = registered_games();
  return all;
}

template <class Text>
const char* of_registered(std::size_t index, const Text& text) noexcept {
  const char* found = nullptr;
  guarded([&] {
    if (index < games().size()) found = text(games()[index]).c_str();
  });
  return found;
}

template <class Text>
const char* of_game(const koridor_game* game, const Text& text) noexcept {
  const char* found = nullptr;
  guarded([&] { found = text(*live(game).rules).c_str(); });
  return found;
}

}  // namespace

Rules::Rules(AnyGame game_) : game(std::move(game_)) {
  std::visit(
      [this](const auto& known) {
        name = known.name();
        family = known.family();
        action_order = known.action_order();
        players = known.players();
        num_actions = known.num_actions();
      },
      game);
  for (const auto& [rule, value] : rule_parameters(game)) parameters += fmt::format("{}={}\n", rule, value);
}

AnyPosition start_of(const AnyGame& any) {
  return std::visit([]<Game G>(const G& game) -> AnyPosition { return Position<G>(game); }, any);
}

void require_same_game(const Rules& expected, const Rules& given, const char* what) {
  if (same_game(expected, given)) return;
  throw Failure(KORIDOR_INVALID_ARGUMENT,
                fmt::format("{} is of the game {}, expected {}", what, given.name, expected.name));
}

Action action_of(const Rules& rules, std::int32_t action) {
  if (action < 0 || action >= rules.num_actions) {
    throw Failure(KORIDOR_INVALID_ARGUMENT, fmt::format("{} has no action {}; its actions are 0 to {}", rules.name,
                                                        action, rules.num_actions - 1));
  }
  return static_cast<Action>(action);
}

koridor_outcome outcome_of(const Outcome& outcome) {
  koridor_outcome result{};
  result.over = outcome.over() ? 1 : 0;
  result.winner = outcome.winner;
  for (int player = 0; outcome.over() && player < KORIDOR_MAX_PLAYERS; ++player) {
    result.values[player] = outcome.values[static_cast<std::size_t>(player)];
  }
  return result;
}

void require_cpu() {
  const std::uint64_t missing = kCompiledFeatures & ~machine_features();
  if (missing == 0) return;
  std::string names;
  for (int feature = 0; feature < kCpuFeatures; ++feature) {
    if ((missing >> feature & 1) != 0) names += fmt::format(" {}", cpu_feature_name(static_cast<CpuFeature>(feature)));
  }
  throw Failure(
      KORIDOR_UNSUPPORTED,
      fmt::format("this libkoridor was compiled for a CPU with{}, which this one lacks; one that is built with "
                  "-DKORIDOR_NATIVE=OFF runs on all of this architecture",
                  names));
}

}  // namespace koridor::library

using namespace koridor::library;

size_t koridor_game_count() {
  size_t count = 0;
  guarded([&] { count = games().size(); });
  return count;
}
const char* koridor_game_id(size_t index) {
  return of_registered(index, [](const koridor::GameInfo& game) -> const std::string& { return game.id; });
}
const char* koridor_game_title(size_t index) {
  return of_registered(index, [](const koridor::GameInfo& game) -> const std::string& { return game.title; });
}
const char* koridor_game_variant(size_t index) {
  return of_registered(index, [](const koridor::GameInfo& game) -> const std::string& { return game.variant; });
}

koridor_status koridor_game_new(const char* name, koridor_game** game) {
  return guarded([&] {
    require(name, "name");
    require(game, "game");
    require_cpu();
    *game = make<koridor_game>(std::make_shared<const Rules>(koridor::parse_game(name)));
  });
}
koridor_status koridor_game_free(koridor_game* game) {
  return release(game);
}

koridor_status koridor_game_describe(const koridor_game* game, koridor_game_info* info) {
  return guarded([&] {
    require_struct(info, "koridor_game_info");
    std::visit(
        [&](const auto& known) {
          const koridor::EncodingShape shape = known.encoding({});
          write_struct(info, {.struct_size = 0,
                              .players = known.players(),
                              .rows = shape.rows,
                              .columns = shape.columns,
                              .num_actions = known.num_actions(),
                              .max_plies = known.max_plies(),
                              .num_symmetries = known.num_symmetries(),
                              .packed_size = known.packed_size()});
        },
        live(game).rules->game);
  });
}

const char* koridor_game_name(const koridor_game* game) {
  return of_game(game, [](const Rules& rules) -> const std::string& { return rules.name; });
}
const char* koridor_game_family(const koridor_game* game) {
  return of_game(game, [](const Rules& rules) -> const std::string& { return rules.family; });
}
const char* koridor_game_rules(const koridor_game* game) {
  return of_game(game, [](const Rules& rules) -> const std::string& { return rules.parameters; });
}
const char* koridor_game_action_order(const koridor_game* game) {
  return of_game(game, [](const Rules& rules) -> const std::string& { return rules.action_order; });
}

koridor_status koridor_game_encoding(const koridor_game* game, int32_t features, koridor_encoding* encoding) {
  return guarded([&] {
    require_struct(encoding, "koridor_encoding");
    const koridor::Features shown = features_of(features);
    const koridor::EncodingShape shape =
        std::visit([&](const auto& known) { return known.encoding(shown); }, live(game).rules->game);
    write_struct(encoding, {.struct_size = 0,
                            .version = shape.version,
                            .planes = shape.planes,
                            .rows = shape.rows,
                            .columns = shape.columns,
                            .scalars = shape.scalars,
                            .policy_size = shape.policy_size(),
                            .value_size = shape.value_size()});
  });
}
