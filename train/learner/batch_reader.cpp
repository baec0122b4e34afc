#include "train/learner/batch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/error.h"

namespace koridor {
namespace {

// Keeps the trainer's streams apart from those of self-play, which are derived from the same run seed.
constexpr std::uint64_t kTrainerStream = 0x7261696E65722E31u;

}  // namespace

BatchReader::BatchReader(const ReplayWindow& window, const BatchRange& range, int threads)
    : window_(window), range_(range), next_to_make_(range.first), next_to_take_(range.first) {
  threads = std::max(1, threads);
  // The learner holds one batch, each thread makes one, and a few wait.
  slots_.resize(static_cast<std::size_t>(threads) + 3);
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    join();
    throw UserError(fmt::format("cannot start {} threads that read batches: {}", threads, error.what()));
  }
}

BatchReader::~BatchReader() {
  join();
}

void BatchReader::join() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  free_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BatchReader::work() {
  try {
    make_batches();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_.keep();
    }
    ready_.notify_one();
  }
}

void BatchReader::make_batches() {
  for (;;) {
    int number = 0;
    {
      std::unique_lock lock(mutex_);
      // The slot is free once batch k - size + 1 has been asked for, since it held batch k - size.
      free_.wait(lock, [this] {
        return stop_ || next_to_make_ >= range_.last || next_to_make_ < next_to_take_ - 1 + int(slots_.size());
      });
      if (stop_ || next_to_make_ >= range_.last) return;
      number = next_to_make_++;
    }
    Slot& slot = slots_[number % slots_.size()];
    Random random = Random::for_game(range_.seed ^ kTrainerStream, range_.generation, number);
    window_.sample(range_.batch, random, slot.batch, range_.part);
    {
      const std::lock_guard lock(mutex_);
      slot.number = number;
    }
    ready_.notify_one();
  }
}

const TrainingBatch& BatchReader::next() {
  std::unique_lock lock(mutex_);
  const int number = next_to_take_++;
  free_.notify_all();
  Slot& slot = slots_[number % slots_.size()];
  ready_.wait(lock, [&] { return slot.number == number || failure_.failed(); });
  if (slot.number != number) failure_.rethrow();
  return slot.batch;
}

}  // namespace koridor
