#include "train/learner/worker_group.h"

#include <utility>

namespace koridor {

WorkerGroup::WorkerGroup(int size) {
  for (int worker = 1; worker < size; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

WorkerGroup::~WorkerGroup() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerGroup::run(const std::function<void(int)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    running_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  do_work(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return running_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerGroup::do_work(int worker) {
  try {
    (*work_)(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

void WorkerGroup::serve(int worker) {
  for (std::uint64_t served = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != served; });
      if (stop_) return;
      served = round_;
    }
    do_work(worker);
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      last = --running_ == 0;
    }
    if (last) end_.notify_one();
  }
}

}  // namespace koridor
