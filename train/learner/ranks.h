// The processes that train one network together, and what they do at the same time. LibTorch's c10d does it: Gloo
// between hosts, and NCCL between GPUs where LibTorch has it. Only ranks.cpp and nccl_sum.cpp see c10d.
//
// Every call waits for the same call of all processes, which therefore make the same calls in the same order. Where one
// of them has ended or does not answer, a call throws RankLost: at once where the connection breaks, as it does when a
// process ends however that was, and after kSilence where a machine vanishes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "train/learner/rank_place.h"

namespace at {
class Tensor;
}

namespace koridor {

// Another process has ended or does not answer.
class RankLost : public UserError {
 public:
  using UserError::UserError;
};

class Ranks {
 public:
  // How long a process waits for all others at the start, and later for an answer.
  static constexpr std::chrono::seconds kPatience{300};
  static constexpr std::chrono::seconds kSilence{60};

  // Joins the other processes; null where `stop` of any of them was set first. Alone there is nothing to join. Throws
  // UserError where the others do not come within kPatience.
  static std::unique_ptr<Ranks> join(const RankPlace& place, const std::atomic<bool>& stop);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  const RankPlace& place() const { return place_; }
  int size() const { return place_.size; }
  bool alone() const { return place_.size == 1; }
  bool is_first() const { return place_.rank == 0; }  // which alone writes files

  // Each number becomes the sum over the processes: the same to the last bit for all of them.
  void add_up(std::span<float> numbers);
  void add_up(at::Tensor& numbers);  // flat, contiguous, float32, on any device
  // `bytes` become those of the first.
  void broadcast(std::string& bytes);
  // Whether it is true for any of them.
  bool any(bool mine);
  // Throws UserError for all of them unless all have the same number; its line begins with `what`, some things of which
  // the number is the checksum.
  void require_equal(std::uint64_t number, const std::string& what);
  // Each names the GPU that it trains on, by its number on its machine, or -1. Where each has one of its own and the
  // build has NCCL, the GPUs add up what is on them from now on. Returns whether some processes share a GPU.
  bool use_gpu(int gpu);
  // Each does its own work, however long that takes: the waiting ones see that the others live.
  void side_by_side(const std::function<void()>& work);

 private:
  struct Impl;
  explicit Ranks(const RankPlace& place);
  // The numbers of all, by rank.
  std::vector<std::uint64_t> gather(std::uint64_t number);

  RankPlace place_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koridor
