// A direct-mapped table: each key has one slot, and a new result takes the place of the old one.
#include "models/cached.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/random.h"
#include "models/backends.h"
#include "models/batch_check.h"

namespace koridor {
namespace {

class Cached final : public Evaluator {
 public:
  Cached(std::unique_ptr<Evaluator> inner, std::size_t mebibytes)
      : inner_(std::move(inner)), mebibytes_(mebibytes), shape_(inner_->shape()) {
    const auto floats = static_cast<std::size_t>(shape_.policy_size() + shape_.value_size() + shape_.players);
    slots_ = std::max<std::size_t>(1, (mebibytes << 20) / (floats * sizeof(float) + sizeof(std::uint64_t) + 1));
    keys_.resize(slots_);
    filled_.resize(slots_);
    policy_.resize(slots_ * static_cast<std::size_t>(shape_.policy_size()));
    value_.resize(slots_ * static_cast<std::size_t>(shape_.value_size()));
    auxiliary_.resize(slots_ * static_cast<std::size_t>(shape_.players));

    const auto most = static_cast<std::size_t>(inner_->max_batch());
    missed_.resize(static_cast<std::size_t>(inner_->tickets()));
    for (Missed& missed : missed_) {
      missed.rows.reserve(most);
      missed.planes.resize(most * static_cast<std::size_t>(shape_.plane_floats()));
      missed.scalars.resize(most * static_cast<std::size_t>(shape_.scalars));
      missed.policy.resize(most * static_cast<std::size_t>(shape_.policy_size()));
      missed.value.resize(most * static_cast<std::size_t>(shape_.value_size()));
      missed.auxiliary.resize(most * static_cast<std::size_t>(shape_.players));
    }
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return inner_->max_batch(); }
  std::string describe() const override { return fmt::format("{}, cache of {} MiB", inner_->describe(), mebibytes_); }
  const CacheCounters& counters() const { return counters_; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    submit(0, batch, out);
    wait(0);
  }

  int tickets() const override { return inner_->tickets(); }

  void submit(int ticket, const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch(), batch, out);
    if (batch.keys.empty()) return inner_->submit(ticket, batch, out);
    Missed& missed = missed_[ticket];
    missed.rows.clear();
    for (int i = 0; i < batch.size; ++i) {
      const std::size_t slot = slot_of(batch.keys[i]);
      if (filled_[slot] == 0 || keys_[slot] != batch.keys[i]) {
        const std::size_t row = missed.rows.size();
        copy(batch.planes.data(), i, missed.planes.data(), row, shape_.plane_floats());
        copy(batch.scalars.data(), i, missed.scalars.data(), row, shape_.scalars);
        missed.rows.push_back(i);
      } else {
        copy(policy_.data(), slot, out.policy.data(), i, shape_.policy_size());
        copy(value_.data(), slot, out.value.data(), i, shape_.value_size());
        if (!out.auxiliary.empty()) copy(auxiliary_.data(), slot, out.auxiliary.data(), i, shape_.players);
      }
    }
    counters_.hits += static_cast<std::uint64_t>(batch.size) - missed.rows.size();
    counters_.misses += missed.rows.size();
    if (missed.rows.empty()) return;
    missed.keys = batch.keys;
    missed.out = out;
    inner_->submit(ticket, {static_cast<int>(missed.rows.size()), missed.planes, missed.scalars, {}},
                   {missed.policy, missed.value, missed.auxiliary});
    missed.under_way = true;
  }

  void wait(int ticket) override {
    Missed& missed = missed_[ticket];
    const bool computed = std::exchange(missed.under_way, false);
    inner_->wait(ticket);
    if (!computed) return;
    for (std::size_t row = 0; row < missed.rows.size(); ++row) {
      const int i = missed.rows[row];
      const std::size_t slot = slot_of(missed.keys[i]);
      keys_[slot] = missed.keys[i];
      filled_[slot] = 1;
      const auto keep = [&](const std::vector<float>& from, std::vector<float>& table, std::span<float> to,
                            int length) {
        copy(from.data(), row, table.data(), slot, length);
        if (!to.empty()) copy(from.data(), row, to.data(), i, length);
      };
      keep(missed.policy, policy_, missed.out.policy, shape_.policy_size());
      keep(missed.value, value_, missed.out.value, shape_.value_size());
      keep(missed.auxiliary, auxiliary_, missed.out.auxiliary, shape_.players);
    }
  }

 private:
  // What of a ticket's batch is not in the table: inputs side by side, the inner evaluator's results, and where they
  // go.
  struct Missed {
    std::vector<int> rows;  // places in the batch
    std::vector<float> planes, scalars, policy, value, auxiliary;
    std::span<const std::uint64_t> keys;  // of the whole batch
    Predictions out;
    bool under_way = false;
  };

  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(mix64(key)) * slots_) >> 64);
  }

  // Row `from_row` of one array to row `to_row` of another, both with rows of `length` floats.
  template <class From, class To>
  static void copy(const float* from, From from_row, float* to, To to_row, int length) {
    std::copy_n(from + static_cast<std::size_t>(from_row) * static_cast<std::size_t>(length), length,
                to + static_cast<std::size_t>(to_row) * static_cast<std::size_t>(length));
  }

  std::unique_ptr<Evaluator> inner_;
  std::size_t mebibytes_;
  EncodingShape shape_;
  std::size_t slots_ = 0;
  std::vector<std::uint64_t> keys_;  // [slots]
  std::vector<std::uint8_t> filled_;
  std::vector<float> policy_, value_, auxiliary_;  // [slots, policy_size], [slots, players + 1], [slots, players]
  std::vector<Missed> missed_;                     // one a ticket
  CacheCounters counters_;
};

}  // namespace

std::unique_ptr<Evaluator> make_cached(std::unique_ptr<Evaluator> inner, std::size_t mebibytes) {
  if (mebibytes == 0) return inner;
  return std::make_unique<Cached>(std::move(inner), mebibytes);
}

const CacheCounters* cache_counters(const Evaluator& evaluator) {
  const auto* cached = dynamic_cast<const Cached*>(&evaluator);
  return cached == nullptr ? nullptr : &cached->counters();
}

}  // namespace koridor
