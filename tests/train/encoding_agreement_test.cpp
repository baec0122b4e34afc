// Self-play and trainer show the network the same position in the same bytes. An evaluator records what self-play gives
// it; the replay window, fed with the same games, must give the trainer nothing else (up to a symmetry).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/game.h"
#include "models/network/uniform.h"
#include "tests/selfplay/selfplay_tools.h"
#include "train/learner/replay_window.h"

namespace koridor {
namespace {

using Inputs = std::set<std::string>;

std::string bytes_of(std::span<const float> planes, std::span<const float> scalars) {
  std::string bytes(reinterpret_cast<const char*>(planes.data()), planes.size_bytes());
  return bytes.append(reinterpret_cast<const char*>(scalars.data()), scalars.size_bytes());
}

// Writes down the inputs of every position it is asked about. For one thread.
class Recording final : public Evaluator {
 public:
  Recording(std::unique_ptr<Evaluator> inner, Inputs& inputs) : inner_(std::move(inner)), inputs_(inputs) {}
  const EncodingShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  std::string describe() const override { return "recording"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    const auto planes = static_cast<std::size_t>(shape().plane_floats());
    const auto scalars = static_cast<std::size_t>(shape().scalars);
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size); ++row) {
      inputs_.insert(
          bytes_of(batch.planes.subspan(row * planes, planes), batch.scalars.subspan(row * scalars, scalars)));
    }
    inner_->evaluate(batch, out);
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  Inputs& inputs_;
};

// Every way the positions of full searches can be shown to the network: as they are, and under each symmetry.
struct Shown {
  Inputs as_they_are;
  Inputs symmetric;
};

template <Game G>
void add_shown(const G& game, const GameRecord& record, Shown& shown) {
  const EncodingShape shape = game.encoding({});
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  for (std::size_t ply = 0; ply < record.plies(); ++ply) {
    if (record.kinds[ply] != PlyKind::full) continue;
    const auto state = game.unpack(std::span(record.states).subspan(ply * bytes, bytes));
    ASSERT_TRUE(state.has_value());
    for (int symmetry = 0; symmetry < game.num_symmetries(); ++symmetry) {
      game.encode(*state, {}, symmetry, planes.data(), scalars.data());
      shown.symmetric.insert(bytes_of(planes, scalars));
      if (symmetry == 0) shown.as_they_are.insert(bytes_of(planes, scalars));
    }
  }
}

class EncodingAgreement : public testing::TestWithParam<const char*> {};

TEST_P(EncodingAgreement, SelfplayAndTrainerSeeTheSameBytes) {
  const AnyGame game = parse_game(GetParam());
  for (const int cache : {0, 4}) {
    GeneratorOptions options = small_options();
    const bool wall = std::holds_alternative<wall::WallGame>(game);  // the games with a rule that is mixed
    options.selfplay.repetition_share = wall ? 0.5 : 0.0;
    options.selfplay.evaluation.cache_mebibytes = cache;
    Inputs evaluated;
    const EvaluatorFactory factory = [&](const EncodingShape& shape, int max_batch) {
      return std::make_unique<Recording>(make_uniform(shape, max_batch), evaluated);
    };
    const Generated games = generate(GetParam(), options, factory, 8);

    const std::vector<AnyGame> variants = game_variants(game, options.selfplay.repetition_share);
    Shown shown;
    std::set<int> variants_played;
    for (const auto& [number, record] : games.sink.games) {
      variants_played.insert(record.variant);
      std::visit([&](const auto& rules) { add_shown(rules, record, shown); },
                 variants[static_cast<std::size_t>(record.variant)]);
    }
    ASSERT_EQ(variants_played.size(), wall ? 2u : 1u) << "the seed plays only one of the variants";
    for (const std::string& bytes : shown.as_they_are) {
      ASSERT_TRUE(evaluated.contains(bytes)) << "self-play encoded a position by another game than its own";
    }

    ReplayWindow window({game}, {}, {}, "");
    for (const ShardData& shard : games.sink.shards) window.add(shard.info.game, shard);
    TrainingBatch batch;
    Random random(1);
    Inputs sampled;
    for (int i = 0; i < 40; ++i) {
      window.sample(64, random, batch);
      const std::size_t planes = batch.planes.size() / 64;
      const std::size_t scalars = batch.scalars.size() / 64;
      for (std::size_t row = 0; row < 64; ++row) {
        sampled.insert(bytes_of(std::span(batch.planes).subspan(row * planes, planes),
                                std::span(batch.scalars).subspan(row * scalars, scalars)));
      }
    }
    for (const std::string& bytes : sampled) ASSERT_TRUE(shown.symmetric.contains(bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryGame, EncodingAgreement,
                         testing::Values("quoridor:5x5,walls=3", "quoridor:5x5,walls=2,players=3",
                                         "quoridor4:5x5,walls=2", "quoridor-kid:5x5,walls=3",
                                         "quoridor-kid4:5x5,walls=2", "pinko-pallino:5x5,walls=2",
                                         "blockade:7x8,walls=2", "go:4x4", "go:3x3,japanese"));

}  // namespace
}  // namespace koridor
