// Where the threads that play get the numbers of their games from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace koridor {

struct NextGame {
  std::uint32_t number = 0;
  std::uint32_t generation = 0;
};

// All functions may be called from several threads at once.
class GameSource {
 public:
  virtual ~GameSource() = default;

  // The next game to start; nothing where none is ready now.
  std::optional<NextGame> next() {
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
  virtual std::optional<NextGame> take() = 0;

  std::atomic<std::size_t> ready_{0};  // numbers that are ready: asked first, since empty slots ask in every turn
};

// A list of numbers of one generation, which must outlive it.
class ListedGames : public GameSource {
 public:
  ListedGames(std::span<const std::uint32_t> numbers, std::uint32_t generation)
      : numbers_(numbers), generation_(generation) {
    ready_ = numbers.size();
  }

  bool over() const override { return ready_.load(std::memory_order_relaxed) == 0; }
  void wait() override {}
  std::uint64_t games() const override { return numbers_.size(); }

 protected:
  std::optional<NextGame> take() override {
    const std::size_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place + 1 >= numbers_.size()) ready_.store(0, std::memory_order_relaxed);
    return place < numbers_.size() ? std::optional(NextGame{numbers_[place], generation_}) : std::nullopt;
  }

 private:
  std::span<const std::uint32_t> numbers_;
  std::uint32_t generation_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace koridor
