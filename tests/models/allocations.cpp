#include "tests/models/allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local koridor::test::Allocations counts;

}  // namespace

koridor::test::Allocations koridor::test::allocations() {
  return counts;
}

void* operator new(std::size_t size) {
  ++counts.made;
  ++counts.live;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) --counts.live;
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
// Of what is aligned to cache lines or more, as the networks' maps are.
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++counts.made;
  ++counts.live;
  const auto unit = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
