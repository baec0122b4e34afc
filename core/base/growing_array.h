// An array that grows, and shrinks, without touching what it has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace koridor {

// Memory that grows and shrinks. A large block has pages of its own, where the system has that: they are moved by their
// addresses and given back at once. The C library does so only until large blocks were freed; from then on it has them
// among the small ones, where they are copied and what was freed stays.
class GrowingBlock {
 public:
  GrowingBlock() = default;
  GrowingBlock(GrowingBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  GrowingBlock& operator=(GrowingBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~GrowingBlock() { release(); }

  void* data() { return data_; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  // Keeps what fits; what is new is as the memory is. Throws std::bad_alloc where there is no more memory.
  void resize(std::size_t bytes) {
    if (bytes == 0) {
      release();
      return;
    }
    void* resized = nullptr;
    if (has_pages(bytes_) && has_pages(bytes)) {
      resized = moved_pages(bytes);
    } else if (!has_pages(bytes_) && !has_pages(bytes)) {
      resized = std::realloc(data_, bytes);
    } else {
      resized = has_pages(bytes) ? new_pages(bytes) : std::malloc(bytes);
      if (resized != nullptr && data_ != nullptr) {
        std::memcpy(resized, data_, std::min(bytes, bytes_));
        release();
      }
    }
    if (resized == nullptr) throw std::bad_alloc();
    data_ = resized;
    bytes_ = bytes;
  }

 private:
#ifdef __linux__
  static constexpr std::size_t kPaged = std::size_t{1} << 20;
  static bool has_pages(std::size_t bytes) {
    return bytes >= kPaged;
  }
  static void* new_pages(std::size_t bytes) {
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
  }
  void* moved_pages(std::size_t bytes) {
    void* const pages = mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
    return pages == MAP_FAILED ? nullptr : pages;
  }
  void give_pages_back() {
    munmap(data_, bytes_);
  }
#else
  static bool has_pages(std::size_t) {
    return false;
  }
  static void* new_pages(std::size_t) {
    return nullptr;
  }
  void* moved_pages(std::size_t) {
    return nullptr;
  }
  void give_pages_back() {}
#endif

  void release() {
    if (has_pages(bytes_)) {
      give_pages_back();
    } else {
      std::free(data_);
    }
    data_ = nullptr;
    bytes_ = 0;
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Elements one after another, for large arrays that double: a vector copies every byte then (a tree of 512 MB stood
// still for a third of a second). New elements are as the memory is. Throws std::bad_alloc where there is no more.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // At least so many elements.
  void grow(std::size_t size) {
    if (size > this->size()) block_.resize(size * sizeof(T));
  }
  // At most so many elements: the memory of the others is given back.
  void shrink(std::size_t size) {
    if (size < this->size()) block_.resize(size * sizeof(T));
  }

  std::size_t size() const { return block_.bytes() / sizeof(T); }
  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  GrowingBlock block_;
};

}  // namespace koridor
