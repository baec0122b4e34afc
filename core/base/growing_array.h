// An array that grows, and shrinks, without touching what it has.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace koridor {

// Elements one after another, for large arrays that double: the C library moves a large block by its pages' addresses,
// where a vector copies every byte (a tree of 512 MB then stood still for a third of a second). New elements are as the
// memory is. Throws std::bad_alloc where there is no more memory.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~GrowingArray() { std::free(data_); }

  // At least so many elements.
  void grow(std::size_t size) {
    if (size <= size_) return;
    void* const grown = std::realloc(static_cast<void*>(data_), size * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    size_ = size;
  }

  // At most so many elements: the pages of the others are given back.
  void shrink(std::size_t size) {
    if (size >= size_) return;
    if (size == 0) {
      std::free(std::exchange(data_, nullptr));
    } else if (void* const shrunk = std::realloc(static_cast<void*>(data_), size * sizeof(T)); shrunk != nullptr) {
      data_ = static_cast<T*>(shrunk);
    }
    size_ = size;
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace koridor
