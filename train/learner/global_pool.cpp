#include "train/learner/global_pool.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <vector>

namespace koridor {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t kGrain = 16;  // fewest batch entries per task

struct PoolSizes {
  std::int64_t batch;
  std::int64_t squares;
  std::int64_t channels;
};

// Arrays are channels-last: x [batch, squares, channels]; out, gradients [batch, 2 * channels]; where (square of the
// maximum) [batch, channels].
template <class T>
void pool_forward(const T* x, T* out, std::int32_t* where, const PoolSizes& sizes) {
  const std::int64_t squares = sizes.squares;
  const std::int64_t channels = sizes.channels;
  at::parallel_for(0, sizes.batch, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> sum(channels);
    std::vector<float> largest(channels);
    for (std::int64_t n = begin; n < end; ++n) {
      const T* row = x + n * squares * channels;
      std::int32_t* at = where + n * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        sum[c] = largest[c] = static_cast<float>(row[c]);
        at[c] = 0;
      }
      for (std::int64_t s = 1; s < squares; ++s) {
        row += channels;
        for (std::int64_t c = 0; c < channels; ++c) {
          const auto value = static_cast<float>(row[c]);
          sum[c] += value;
          at[c] = value > largest[c] ? static_cast<std::int32_t>(s) : at[c];
          largest[c] = value > largest[c] ? value : largest[c];
        }
      }
      T* result = out + n * 2 * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        result[c] = static_cast<T>(sum[c] / static_cast<float>(squares));
        result[channels + c] = static_cast<T>(largest[c]);
      }
    }
  });
}

template <class T>
void pool_backward(const T* gradient, const std::int32_t* where, T* out, const PoolSizes& sizes) {
  const std::int64_t squares = sizes.squares;
  const std::int64_t channels = sizes.channels;
  at::parallel_for(0, sizes.batch, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const T* mean = gradient + n * 2 * channels;
      const T* largest = mean + channels;
      const std::int32_t* at = where + n * channels;
      T* row = out + n * squares * channels;
      for (std::int64_t s = 0; s < squares; ++s, row += channels) {
        for (std::int64_t c = 0; c < channels; ++c) {
          const float share = static_cast<float>(mean[c]) / static_cast<float>(squares);
          row[c] = static_cast<T>(at[c] == s ? share + static_cast<float>(largest[c]) : share);
        }
      }
    }
  });
}

class GlobalPool : public torch::autograd::Function<GlobalPool> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input) {
    const torch::Tensor x = input.contiguous(at::MemoryFormat::ChannelsLast);
    const std::int64_t batch = x.size(0);
    const std::int64_t channels = x.size(1);
    const std::int64_t squares = x.size(2) * x.size(3);
    torch::Tensor out = torch::empty({batch, 2 * channels}, x.options());
    torch::Tensor where = torch::empty({batch, channels}, torch::kInt);
    AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "global_pool", [&] {
      pool_forward(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), where.data_ptr<std::int32_t>(),
                   {batch, squares, channels});
    });
    context->save_for_backward({where});
    context->saved_data["rows"] = x.size(2);
    context->saved_data["columns"] = x.size(3);
    return out;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const torch::Tensor gradient = gradients[0].contiguous();
    const torch::Tensor where = context->get_saved_variables()[0];
    const std::int64_t batch = where.size(0);
    const std::int64_t channels = where.size(1);
    const std::int64_t rows = context->saved_data["rows"].toInt();
    const std::int64_t columns = context->saved_data["columns"].toInt();
    torch::Tensor out =
        torch::empty({batch, channels, rows, columns}, gradient.options(), at::MemoryFormat::ChannelsLast);
    AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, gradient.scalar_type(), "global_pool", [&] {
      pool_backward(gradient.data_ptr<scalar_t>(), where.data_ptr<std::int32_t>(), out.data_ptr<scalar_t>(),
                    {batch, rows * columns, channels});
    });
    return {out};
  }
};

}  // namespace

torch::Tensor global_pool(const torch::Tensor& x) {
  if (!x.is_cpu()) return at::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
  return GlobalPool::apply(x);
}

}  // namespace koridor
