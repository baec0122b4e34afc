// Where the threads that play get the numbers of their games from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace koridor {

// All functions may be called from several threads at once.
class GameSource {
 public:
  virtual ~GameSource() = default;

  // The number of the next game to start; nothing where none is ready now.
  std::optional<std::uint32_t> next() {
    if (ready_.load(std::memory_order_relaxed) == 0) return std::nullopt;
    return take();
  }
  // Whether no number is ready, and none will ever be again.
  virtual bool over() const = 0;
  // Waits a short time, or less where a number is ready or the source is over.
  virtual void wait() = 0;
  // How many games it is about in all.
  virtual std::uint64_t games() const = 0;

 protected:
  virtual std::optional<std::uint32_t> take() = 0;

  std::atomic<std::size_t> ready_{0};  // numbers that are ready: asked first, since empty slots ask in every turn
};

// A list of numbers, which must outlive it.
class ListedGames : public GameSource {
 public:
  explicit ListedGames(std::span<const std::uint32_t> numbers) : numbers_(numbers) { ready_ = numbers.size(); }

  bool over() const override { return ready_.load(std::memory_order_relaxed) == 0; }
  void wait() override {}
  std::uint64_t games() const override { return numbers_.size(); }

 protected:
  std::optional<std::uint32_t> take() override {
    const std::size_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place + 1 >= numbers_.size()) ready_.store(0, std::memory_order_relaxed);
    return place < numbers_.size() ? std::optional(numbers_[place]) : std::nullopt;
  }

 private:
  std::span<const std::uint32_t> numbers_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace koridor
