#include "models/network/guard.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/network/tensor_file.h"

namespace koridor {
namespace {

constexpr float kLargestProbability = 1.0001f;  // rounding may add a little to 1

class Guard final : public Evaluator {
 public:
  Guard(std::unique_ptr<Evaluator> evaluator, std::string where)
      : evaluator_(std::move(evaluator)),
        where_(std::move(where)),
        under_way_(static_cast<std::size_t>(evaluator_->tickets())) {}

  const EncodingShape& shape() const override { return evaluator_->shape(); }
  int max_batch() const override { return evaluator_->max_batch(); }
  int tickets() const override { return evaluator_->tickets(); }
  std::string describe() const override { return evaluator_->describe(); }

  void evaluate(const Batch& batch, const Predictions& out) override {
    evaluator_->evaluate(batch, out);
    check({batch.size, out});
  }
  void submit(int ticket, const Batch& batch, const Predictions& out) override {
    evaluator_->submit(ticket, batch, out);
    under_way_[static_cast<std::size_t>(ticket)] = {batch.size, out};
  }
  bool try_submit(int ticket, const Batch& batch, const Predictions& out) override {
    if (!evaluator_->try_submit(ticket, batch, out)) return false;
    under_way_[static_cast<std::size_t>(ticket)] = {batch.size, out};
    return true;
  }
  void wait(int ticket) override {
    evaluator_->wait(ticket);
    check(std::exchange(under_way_[static_cast<std::size_t>(ticket)], {}));
  }

 private:
  struct Results {
    int size = 0;  // 0: nothing was submitted
    Predictions out{};
  };

  void check(const Results& results) const {
    if (are_predictions(shape(), results.size, results.out)) return;
    const UserError error = model_error(
        where_, fmt::format("its network overflows: what it says of a position is no probability ({}); its weights are "
                            "too large or damaged, use another model",
                            evaluator_->describe()));
    throw OverflowError(error.what());
  }

  std::unique_ptr<Evaluator> evaluator_;
  std::string where_;
  std::vector<Results> under_way_;  // one per ticket
};

}  // namespace

bool all_within(std::span<const float> values, float largest) {
  // As integers, magnitudes are in the order of the numbers, infinity and NaN above them all. So the difference is
  // negative exactly for what is too large, and its sign can be gathered without a branch.
  const auto most = std::bit_cast<std::int32_t>(largest);
  std::int32_t signs = 0;
  for (const float value : values) signs |= most - (std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF);
  return signs >= 0;
}

bool are_predictions(const EncodingShape& shape, int size, const Predictions& results) {
  const auto rows = [&](std::span<const float> all, int each) {
    return all.first(static_cast<std::size_t>(size) * static_cast<std::size_t>(each));
  };
  return all_within(rows(results.policy, shape.policy_size()), kLargestLogit) &&
         all_within(rows(results.value, shape.value_size()), kLargestProbability) &&
         (results.auxiliary.empty() || all_within(rows(results.auxiliary, shape.players), kLargestProbability));
}

std::unique_ptr<Evaluator> make_guard(std::unique_ptr<Evaluator> evaluator, std::string where) {
  return std::make_unique<Guard>(std::move(evaluator), std::move(where));
}

}  // namespace koridor
