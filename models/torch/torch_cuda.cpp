// Batches on a GPU: half precision, channels-last, one CUDA graph per batch size and place. Each place has a stream of
// its own, so that copies and the batches of several places overlap. Only finish() waits, for the event behind the copy
// of the results.
//
//   pinned memory of the place --copy--> device --graph--> device --copy--> pinned memory, event
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "models/torch/torch_device.h"

namespace koridor {
namespace {

constexpr int kMultiple = 8;   // of batch sizes, for the tensor cores
constexpr int kSmallest = 32;  // batch size worth a graph of its own
constexpr int kWarmUps = 3;    // forward passes before a capture, in which libraries set themselves up

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Only one thread captures at a time, and only its own calls belong to the capture.
std::mutex& capture_mutex() {
  static std::mutex mutex;
  return mutex;
}

using MemoryPool = decltype(std::declval<at::cuda::CUDAGraph&>().pool());  // its name differs between versions

class Event {
 public:
  Event() {
    // Waiting threads sleep: there may be more of them than cores.
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync), "cudaEventCreate");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void wait() { check(cudaEventSynchronize(event_), "the GPU"); }

 private:
  cudaEvent_t event_ = nullptr;
};

// A batch size of a place: the network from the place's inputs to these results.
struct SizedNetwork {
  int size = 0;
  std::unique_ptr<at::cuda::CUDAGraph> graph;  // null: LibTorch could not capture it; then every launch computes anew
  TorchOutput output;                          // [size, ...] on the device, in memory of the graph
};

struct Place {
  explicit Place(c10::cuda::CUDAStream on) : stream(on) {}

  c10::cuda::CUDAStream stream;
  Event done;
  at::Tensor pinned_planes, pinned_scalars, pinned_policy, pinned_value, pinned_auxiliary;  // [capacity, ...]
  at::Tensor planes, scalars;                                                               // on the device
  std::vector<SizedNetwork> sizes;                                                          // rising
};

class TorchCudaDevice final : public BatchDevice {
 public:
  explicit TorchCudaDevice(const TorchDeviceRequest& request)
      : shape_(request.shape),
        device_(static_cast<c10::DeviceIndex>(request.device)),
        capacity_((request.capacity + kMultiple - 1) / kMultiple * kMultiple),
        precision_(request.precision == Precision::automatic ? at::kHalf
                   : request.precision == Precision::bf16    ? at::kBFloat16
                                                             : at::kFloat),
        network_(on_device(request.model)) {
    // Sums are made in the same order every time, and f32 is not replaced by TF32.
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);

    const c10::InferenceMode inference;
    const c10::cuda::CUDAGuard guard(device_);
    choose_kernels();
    choose_sizes();
    for (int i = 0; i < request.places; ++i) make_place();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  ~TorchCudaDevice() override {
    const c10::cuda::CUDAGuard guard(device_);
    cudaDeviceSynchronize();
    // LibTorch would keep the memory of dropped graphs, and newer models' graphs do not take it.
    places_.clear();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }

  const EncodingShape& shape() const override { return shape_; }
  int capacity() const override { return capacity_; }
  int places() const override { return static_cast<int>(places_.size()); }

  PlaceMemory memory(int number) override {
    const auto span = [](const at::Tensor& tensor) {
      return std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
    };
    const Place& place = *places_[static_cast<std::size_t>(number)];
    return {span(place.pinned_planes), span(place.pinned_scalars), span(place.pinned_policy), span(place.pinned_value),
            span(place.pinned_auxiliary)};
  }

  void launch(int number, int size) override {
    const c10::InferenceMode inference;
    Place& place = *places_[static_cast<std::size_t>(number)];
    const c10::cuda::CUDAStreamGuard guard(place.stream);
    copy_rows(place.planes, place.pinned_planes, size, cudaMemcpyHostToDevice, place.stream);
    copy_rows(place.scalars, place.pinned_scalars, size, cudaMemcpyHostToDevice, place.stream);
    SizedNetwork& sized =
        *std::ranges::find_if(place.sizes, [&](const SizedNetwork& each) { return each.size >= size; });
    run(place, sized);
    copy_rows(place.pinned_policy, sized.output.policy, size, cudaMemcpyDeviceToHost, place.stream);
    copy_rows(place.pinned_value, sized.output.value, size, cudaMemcpyDeviceToHost, place.stream);
    copy_rows(place.pinned_auxiliary, sized.output.auxiliary, size, cudaMemcpyDeviceToHost, place.stream);
    place.done.record(place.stream);
  }

  void finish(int number) override { places_[static_cast<std::size_t>(number)]->done.wait(); }

  void launch_bare(int number) override {
    const c10::InferenceMode inference;
    Place& place = *places_[static_cast<std::size_t>(number)];
    const c10::cuda::CUDAStreamGuard guard(place.stream);
    run(place, place.sizes.back());
    place.done.record(place.stream);
  }

  std::string describe() const override {
    const char* type = precision_ == at::kHalf ? "f16" : precision_ == at::kBFloat16 ? "bf16" : "f32";
    std::string text = std::string("torch ") + type + " (cuda:" + std::to_string(device_) + " " +
                       at::cuda::getDeviceProperties(device_)->name + ", batches of";
    const char* separator = " ";
    for (const SizedNetwork& sized : places_[0]->sizes) {
      text += separator + std::to_string(sized.size);
      separator = ", ";
    }
    if (fused_) text += ", fused";
    if (places_[0]->sizes.back().graph == nullptr) text += ", without graphs";
    if (!reproducible_) text += ", results vary with the batch";
    return text + ")";
  }

 private:
  TorchNetwork on_device(const Model& model) const {
    return TorchNetwork(model, at::Device(at::kCUDA, device_), precision_);
  }

  at::TensorOptions on_gpu() const { return at::TensorOptions(at::kFloat).device(at::kCUDA, device_); }

  // Whether cuDNN's kernels that fuse a convolution with what follows it run here and give about the same.
  void choose_kernels() {
    const int rows = std::min(capacity_, 64);
    const at::Tensor planes = at::rand({rows, shape_.planes, shape_.rows, shape_.columns}, on_gpu());
    const at::Tensor scalars = at::rand({rows, shape_.scalars}, on_gpu());
    const TorchOutput plain = network_.forward(planes, scalars);
    if (precision_ == at::kFloat) return;
    try {
      network_.set_fused(true);
      const TorchOutput fused = network_.forward(planes, scalars);
      fused_ = at::allclose(fused.value, plain.value, 0.0, 0.05) &&
               at::allclose(fused.policy.softmax(1), plain.policy.softmax(1), 0.0, 0.05);
    } catch (const std::exception&) {
      fused_ = false;
    }
    network_.set_fused(fused_);
  }

  // The capacity, and its half, quarter, ... as long as their results are the same.
  void choose_sizes() {
    std::vector<int> sizes;
    for (int size = capacity_; size >= kSmallest && size % kMultiple == 0; size /= 2) sizes.push_back(size);
    const auto forward = [&](const at::Tensor& planes, const at::Tensor& scalars) {
      const TorchOutput output = network_.forward(planes.to(on_gpu()), scalars.to(on_gpu()));
      return TorchOutput{output.policy.cpu(), output.value.cpu(), output.auxiliary.cpu()};
    };
    if (sizes.empty()) sizes.push_back(capacity_);
    sizes_ = agreeing_sizes(sizes, capacity_, shape_, forward);
    reproducible_ = std::ranges::find(sizes_, capacity_) != sizes_.end();
    if (!reproducible_) sizes_ = {capacity_};
    std::ranges::sort(sizes_);
  }

  void make_place() {
    auto place = std::make_unique<Place>(c10::cuda::getStreamFromPool(false, device_));
    const auto pinned = [&](std::int64_t each) {
      return at::zeros({capacity_, each}, at::TensorOptions(at::kFloat).pinned_memory(true));
    };
    place->pinned_planes = pinned(shape_.plane_floats());
    place->pinned_scalars = pinned(shape_.scalars);
    place->pinned_policy = pinned(shape_.policy_size());
    place->pinned_value = pinned(shape_.value_size());
    place->pinned_auxiliary = pinned(shape_.players);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

    const c10::cuda::CUDAStreamGuard guard(place->stream);
    place->planes = at::zeros({capacity_, shape_.planes, shape_.rows, shape_.columns}, on_gpu());
    place->scalars = at::zeros({capacity_, shape_.scalars}, on_gpu());
    place->sizes.resize(sizes_.size());
    // The largest comes first, so that the others fit into its memory.
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      place->sizes[i].size = sizes_[i];
      capture(*place, place->sizes[i]);
    }
    places_.push_back(std::move(place));
  }

  TorchOutput forward(const Place& place, int size) const {
    return network_.forward(place.planes.narrow(0, 0, size), place.scalars.narrow(0, 0, size));
  }

  // Places are never used by two batches at once, so the graphs of one share their memory.
  void capture(Place& place, SizedNetwork& sized) {
    const std::lock_guard lock(capture_mutex());
    for (int i = 0; i < kWarmUps; ++i) forward(place, sized.size);
    check(cudaStreamSynchronize(place.stream), "the first forward pass");
    MemoryPool pool{0, 0};  // a new one
    for (const SizedNetwork& other : place.sizes) {
      if (other.graph != nullptr) pool = other.graph->pool();
    }
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    bool capturing = false;
    try {
      begin(*graph, pool);
      capturing = true;
      sized.output = forward(place, sized.size);
      capturing = false;
      graph->capture_end();
      sized.graph = std::move(graph);
    } catch (const std::exception&) {
      if (capturing) end_quietly(*graph);
      cudaGetLastError();
      sized.output = {};
    }
  }

  static void begin(at::cuda::CUDAGraph& graph, const MemoryPool& pool) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);  // other threads may go on with their own work
#else
    graph.capture_begin(pool);
#endif
  }

  static void end_quietly(at::cuda::CUDAGraph& graph) {
    try {
      graph.capture_end();
    } catch (const std::exception&) {
      // The capture had failed before.
    }
  }

  // On the place's stream, which is the current one.
  void run(Place& place, SizedNetwork& sized) {
    if (sized.graph != nullptr) {
      sized.graph->replay();
    } else {
      sized.output = forward(place, sized.size);
    }
  }

  static void copy_rows(const at::Tensor& to, const at::Tensor& from, int size, cudaMemcpyKind kind,
                        cudaStream_t stream) {
    const std::size_t bytes = static_cast<std::size_t>(from.numel() / from.size(0) * size) * sizeof(float);
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to.data_ptr(), from.data_ptr(), bytes, kind, stream), "cudaMemcpyAsync");
  }

  EncodingShape shape_;
  c10::DeviceIndex device_;
  int capacity_;
  at::ScalarType precision_;
  TorchNetwork network_;
  bool fused_ = false;
  bool reproducible_ = true;
  std::vector<int> sizes_;  // rising
  std::vector<std::unique_ptr<Place>> places_;
};

}  // namespace

int cuda_gpus() {
  return static_cast<int>(c10::cuda::device_count());
}

std::unique_ptr<BatchDevice> make_torch_cuda_device(const TorchDeviceRequest& request) {
  return std::make_unique<TorchCudaDevice>(request);
}

}  // namespace koridor
