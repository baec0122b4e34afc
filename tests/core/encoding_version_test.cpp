// A change of a plane or a scalar must raise its game's encoding version, so that models trained on the old encoding
// are refused.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/checksum.h"
#include "core/registry.h"

namespace koridor {
namespace {

struct Known {
  const char* game;
  int version;
  std::uint64_t checksum;  // of the planes and scalars of the plies of one random game, under every symmetry
  friend std::ostream& operator<<(std::ostream& out, const Known& known) { return out << known.game; }
};

template <Game G>
std::uint64_t checksum_of(const G& game) {
  const EncodingShape shape = game.encoding({});
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  Checksum sum(0);
  const auto add = [&](const std::vector<float>& values) {
    sum.add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  };
  Random random(1);
  Position<G> position(game);
  while (!game.outcome(position.state, position.history).over()) {
    for (int symmetry = 0; symmetry < game.num_symmetries(); ++symmetry) {
      game.encode(position.state, {}, symmetry, planes.data(), scalars.data());
      add(planes);
      add(scalars);
    }
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    position.apply(game, legal.nth(random.below(legal.count())));
  }
  return sum.value();
}

class EncodingVersion : public testing::TestWithParam<Known> {};

TEST_P(EncodingVersion, IsRaisedWhenTheEncodingChanges) {
  const auto [name, version, checksum] = GetParam();
  std::visit(
      [&](const auto& game) {
        EXPECT_EQ(game.encoding({}).version, version);
        EXPECT_EQ(checksum_of(game), checksum)
            << "the encoding has changed: raise kEncodingVersion of the game, and write version and checksum here";
      },
      parse_game(name));
}

INSTANTIATE_TEST_SUITE_P(EveryGame, EncodingVersion,
                         testing::Values(Known{"quoridor", 1, 13167658157817842109u},
                                         Known{"quoridor4:5x5,repetition=3", 1, 14130069078599659245u},
                                         Known{"pinko-pallino:7x7", 1, 5205876446179457077},
                                         Known{"blockade:7x8", 1, 13197323091203299043u},
                                         Known{"go:5x5", 1, 17604141195895167366u}));

}  // namespace
}  // namespace koridor
