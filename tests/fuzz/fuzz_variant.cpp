// Variant strings: the first line, and settings, the other lines. Either one line of UserError, or a game with a
// canonical name that can be played.
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/fuzz/fuzz_tools.h"

namespace {

template <koridor::Game G>
void play(const G& game) {
  koridor::Position position(game);
  koridor::Random random(1);
  for (int ply = 0; ply < 20 && !game.outcome(position.state, position.history).over(); ++ply) {
    koridor::ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    koridor::fuzz::require(!legal.empty());
    position.apply(game, legal.nth(random.below(legal.count())));
  }
  const koridor::EncodingShape shape = game.encoding({});
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  game.encode(position.state, {}, game.num_symmetries() - 1, planes.data(), scalars.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::string variant;
  std::getline(lines, variant);
  std::vector<std::string> settings;
  for (std::string line; std::getline(lines, line);) settings.push_back(line);
  try {
    std::visit(
        [](const auto& game) {
          const AnyGame again = parse_game(game.name());
          fuzz::require(std::get<std::decay_t<decltype(game)>>(again).name() == game.name());
          fuzz::require(rule_parameters(again) == rule_parameters(AnyGame(game)));
          play(game);
        },
        parse_game(variant, settings));
  } catch (const UserError& error) {
    fuzz::require(*error.what() != '\0');
  }
  return 0;
}
