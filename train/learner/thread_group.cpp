#include "train/learner/thread_group.h"

#include <fmt/format.h>

#include <system_error>

#include "core/base/error.h"

namespace koridor {

ThreadGroup::ThreadGroup(int size) {
  try {
    for (int thread = 1; thread < size; ++thread) threads_.emplace_back([this, thread] { serve(thread); });
  } catch (const std::system_error& error) {
    join();
    throw UserError(fmt::format("cannot start {} threads: {}", size, error.what()));
  }
}

ThreadGroup::~ThreadGroup() {
  join();
}

void ThreadGroup::join() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadGroup::run(const std::function<void(int)>& work) {
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
  failure_.rethrow_and_forget();
}

void ThreadGroup::do_work(int thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    failure_.keep();
  }
}

void ThreadGroup::serve(int thread) {
  for (std::uint64_t served = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != served; });
      if (stop_) return;
      served = round_;
    }
    do_work(thread);
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      last = --running_ == 0;
    }
    if (last) end_.notify_one();
  }
}

}  // namespace koridor
