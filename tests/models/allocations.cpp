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
