// How our own networks in bytes (amx_network.h, int8_network.h) take a batch through their layers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "models/network/batch_check.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// `Network` derives from it, is its friend, and has
//   kAtOnce                          so many positions go through the network together, so that weights are read seldom
//                                    and activations stay cached
//   run_stem(batch, first, size)     x of the positions from `first` on
//   run_block(block, size)           x behind the block
//   run_heads(i, number, out)        the predictions of position `i` of those, which is `number` of the batch
template <class Network>
class Int8Evaluator : public Evaluator {
 public:
  const EncodingShape& shape() const final { return shape_; }
  int max_batch() const final { return max_batch_; }

 protected:
  Int8Evaluator(const Model& model, const EncodingShape& shape, int max_batch)
      : shape_(shape), network_(model.info.network), max_batch_(max_batch) {}

  void run(const Batch& batch, const Predictions& out) {
    assert_batch(shape_, max_batch_, batch, out);
    auto& network = static_cast<Network&>(*this);
    for (int done = 0; done < batch.size; done += Network::kAtOnce) {
      const int size = std::min(Network::kAtOnce, batch.size - done);
      network.run_stem(batch, done, size);
      for (int block = 0; block < network_.blocks; ++block) network.run_block(block, size);
      for (int i = 0; i < size; ++i) network.run_heads(i, done + i, out);
    }
  }

  std::span<const float> planes_of(const Batch& batch, int position) const {
    const auto each = static_cast<std::size_t>(shape_.plane_floats());
    return batch.planes.subspan(static_cast<std::size_t>(position) * each, each);
  }

  EncodingShape shape_;
  NetworkConfig network_;
  int max_batch_;
};

}  // namespace koridor
