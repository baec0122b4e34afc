// Threads that stand for processes which train together: c10d sees no difference.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "tests/train/free_port.h"
#include "train/learner/ranks.h"

namespace koridor {

// Runs work(ranks) on `size` threads, each of which is one of so many processes.
inline void run_ranks(int size, const std::function<void(Ranks&)>& work) {
  const std::atomic<bool> never{false};
  const int port = free_port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto ranks = Ranks::join({.rank = rank, .size = size, .host = "127.0.0.1", .port = port}, never);
      work(*ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace koridor
