#include "models/torch/torch_device.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "core/base/error.h"
#include "core/base/one_thread.h"
#include "core/base/random.h"
#include "models/network/module.h"

namespace koridor {
namespace {

constexpr int kCpuBatch = 16;

at::Tensor random_tensor(std::vector<std::int64_t> shape, std::uint64_t seed) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  Random random(seed);
  for (float& value : std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()))) {
    value = static_cast<float>(random.uniform());
  }
  return tensor;
}

// A view of rows that lie in an array.
at::Tensor rows_of(std::span<float> values, int first, std::vector<std::int64_t> shape) {
  std::int64_t row = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) row *= shape[i];
  return at::from_blob(values.data() + first * row, shape, at::kFloat);
}

void write_rows(const at::Tensor& from, std::span<float> to, int first) {
  const at::Tensor rows = from.contiguous();
  std::copy_n(rows.data_ptr<float>(), rows.numel(), to.data() + first * rows.size(1));
}

// Computes in launch(), on the calling thread alone.
class TorchCpuDevice final : public BatchDevice {
 public:
  explicit TorchCpuDevice(const TorchDeviceRequest& request)
      : shape_(request.shape),
        capacity_(request.capacity),
        bf16_(request.precision == Precision::bf16),
        network_(request.model, at::kCPU, bf16_ ? at::kBFloat16 : at::kFloat) {
    const c10::InferenceMode inference;
    const OneThread one_thread;
    const auto forward = [&](const at::Tensor& planes, const at::Tensor& scalars) {
      return network_.forward(planes, scalars);
    };
    if (agreeing_sizes({kCpuBatch}, kCpuBatch, shape_, forward).empty()) batch_ = 1;
    const int rows = (capacity_ + batch_ - 1) / batch_ * batch_;
    const auto sized = [&](int each) { return std::vector<float>(static_cast<std::size_t>(rows * each)); };
    planes_ = sized(shape_.plane_floats());
    scalars_ = sized(shape_.scalars);
    policy_ = sized(shape_.policy_size());
    value_ = sized(shape_.value_size());
    auxiliary_ = sized(shape_.players);
  }

  const EncodingShape& shape() const override { return shape_; }
  int capacity() const override { return capacity_; }
  int places() const override { return 1; }
  PlaceMemory memory(int) override { return {planes_, scalars_, policy_, value_, auxiliary_}; }
  void finish(int) override {}
  void launch_bare(int place) override { launch(place, capacity_); }
  std::string describe() const override {
    return std::string("torch ") + (bf16_ ? "bf16" : "f32") + " (cpu, batches of " + std::to_string(batch_) + ")";
  }

  void launch(int, int size) override {
    const c10::InferenceMode inference;
    const OneThread one_thread;
    for (int done = 0; done < size; done += batch_) {
      const TorchOutput output =
          network_.forward(rows_of(planes_, done, {batch_, shape_.planes, shape_.rows, shape_.columns}),
                           rows_of(scalars_, done, {batch_, shape_.scalars}));
      write_rows(output.policy, policy_, done);
      write_rows(output.value, value_, done);
      write_rows(output.auxiliary, auxiliary_, done);
    }
  }

 private:
  EncodingShape shape_;
  int capacity_;
  bool bf16_;
  TorchNetwork network_;
  int batch_ = kCpuBatch;  // every batch is cut into and padded to this size, so that all rows are treated alike
  std::vector<float> planes_, scalars_, policy_, value_, auxiliary_;
};

}  // namespace

std::vector<int> agreeing_sizes(std::vector<int> sizes, int reference, const EncodingShape& shape,
                                const TorchForward& forward) {
  const int most = std::max(*std::ranges::max_element(sizes), reference);
  const at::Tensor planes = random_tensor({most, shape.planes, shape.rows, shape.columns}, 1);
  const at::Tensor scalars = random_tensor({most, shape.scalars}, 2);
  // The results of all rows in batches of `size`, each row moved on by `shift` places (the last ones come first).
  const auto results = [&](int size, int shift) {
    std::vector<at::Tensor> policy, value, auxiliary;
    for (int first = 0; first + size <= most; first += size) {
      const auto part = [&](const at::Tensor& all) { return all.narrow(0, first, size).roll(shift, 0).contiguous(); };
      const TorchOutput output = forward(part(planes), part(scalars));
      policy.push_back(output.policy.roll(-shift, 0));
      value.push_back(output.value.roll(-shift, 0));
      auxiliary.push_back(output.auxiliary.roll(-shift, 0));
    }
    return TorchOutput{at::cat(policy), at::cat(value), at::cat(auxiliary)};
  };
  const TorchOutput expected = results(reference, 0);
  const auto agrees = [&](int size) {
    for (const int shift : {0, 1, size / 2}) {
      if (shift > 0 && shift >= size) continue;
      const TorchOutput actual = results(size, shift);
      const std::int64_t rows = std::min(actual.policy.size(0), expected.policy.size(0));
      const auto equal = [&](const at::Tensor& a, const at::Tensor& b) {
        return a.narrow(0, 0, rows).equal(b.narrow(0, 0, rows));
      };
      if (!equal(actual.policy, expected.policy) || !equal(actual.value, expected.value) ||
          !equal(actual.auxiliary, expected.auxiliary)) {
        return false;
      }
    }
    return true;
  };
  std::erase_if(sizes, [&](int size) { return !agrees(size); });
  return sizes;
}

std::unique_ptr<BatchDevice> make_torch_cpu_device(const TorchDeviceRequest& request) {
  return std::make_unique<TorchCpuDevice>(request);
}

extern "C" {

[[gnu::visibility("default")]] const char* koridor_torch_build() {
  static const std::string build = module_build();
  return build.c_str();
}

[[gnu::visibility("default")]] int koridor_torch_gpus() {
  return cuda_gpus();
}

[[gnu::visibility("default")]] BatchDevice* koridor_torch_device(const TorchDeviceRequest& request,
                                                                 std::string& error) {
  try {
    const OneThread one_thread;
    // Threads that call LibTorch for the first time take over this number of threads for its operations.
    at::set_num_threads(1);
    auto device = request.device == kCpu ? make_torch_cpu_device(request) : make_torch_cuda_device(request);
    return device.release();
  } catch (const std::exception& exception) {
    error = first_line(exception);
    return nullptr;
  }
}
}

}  // namespace koridor
