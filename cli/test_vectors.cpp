#include "cli/test_vectors.h"

#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "core/random_positions.h"
#include "models/backends.h"
#include "models/network/learned_rules.h"
#include "models/network/tensor_file.h"

namespace koridor::cli {
namespace {

constexpr int kBatch = 64;

struct Results {
  std::vector<float> policy, value, auxiliary;
};

Results evaluate(Evaluator& evaluator, const EncodedPositions& positions) {
  const EncodingShape& shape = positions.shape;
  const auto numbers = [&](int each) {
    return std::vector<float>(static_cast<std::size_t>(positions.size) * static_cast<std::size_t>(each));
  };
  Results results{numbers(shape.policy_size()), numbers(shape.value_size()), numbers(shape.players)};
  for (int done = 0; done < positions.size; done += kBatch) {
    const int size = std::min(kBatch, positions.size - done);
    const auto part = [&](auto& values, int each) {
      return std::span(values).subspan(static_cast<std::size_t>(done) * static_cast<std::size_t>(each),
                                       static_cast<std::size_t>(size) * static_cast<std::size_t>(each));
    };
    evaluator.evaluate({size, part(positions.planes, shape.plane_floats()), part(positions.scalars, shape.scalars)},
                       {part(results.policy, shape.policy_size()), part(results.value, shape.value_size()),
                        part(results.auxiliary, shape.players)});
  }
  return results;
}

}  // namespace

std::string test_vectors(const Model& model, const std::string& where, const AnyGame& game,
                         const TestVectorOptions& options) {
  const int count = options.count;
  EncodedPositions positions = std::visit(
      [&](const auto& known) { return random_positions(known, model.info.features, count, options.seed); }, game);
  const EncodingShape& shape = positions.shape;
  const auto evaluator =
      make_evaluator(model, shape, options.evaluation, kBatch, where);  // refuses a game that does not fit
  // As the evaluator shows them, so that a port that computes the network alone agrees with it.
  show_learned_rules(learned_rules(model), positions.scalars, shape.scalars);
  const Results results = evaluate(*evaluator, positions);

  TensorFileWriter file;
  file.add("planes", positions.planes, {count, shape.planes, shape.rows, shape.columns});
  file.add("scalars", positions.scalars, {count, shape.scalars});
  file.add("policy", results.policy, {count, shape.policy_size()});
  file.add("value", results.value, {count, shape.value_size()});
  file.add("auxiliary", results.auxiliary, {count, shape.players});
  return file.content("koridor-vectors-1", {{"game", name_of(game)},
                                            {"model_checksum", model.info.checksum},
                                            {"evaluator", evaluator->describe()},
                                            {"seed", std::to_string(options.seed)},
                                            {"written_by", build_text(this_build())}});
}

}  // namespace koridor::cli
