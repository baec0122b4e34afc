// The objects that callers hold: each begins with a tag of its type and is listed while it lives. Freeing always asks
// the list, so that an object is never freed twice. All other calls look at the tag alone, which costs nothing, or at
// the list where koridor_check_handles(1) asks for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "library/failure.h"

namespace koridor::library {

enum class Kind : std::uint64_t {
  none = 0,
  game = 0x4B6F7269646F7247,
  state = 0x4B6F7269646F7253,
  model = 0x4B6F7269646F724D,
  evaluator = 0x4B6F7269646F7245,
  session = 0x4B6F7269646F7250,
};
const char* name_of(Kind kind);

// The base of every object, which it begins with; `kKind` of the derived type is its kind.
struct Handle {
  explicit Handle(Kind kind_) : kind(kind_) {}
  Kind kind;
};

bool checks_handles();                           // koridor_check_handles
void enlist(const void* object, Kind kind);      // may throw bad_alloc
bool strike_off(const void* object, Kind kind);  // false where it is not listed as one of this kind
bool is_listed(const void* object, Kind kind);
void* get_memory(std::size_t size);
void give_memory(void* memory) noexcept;  // with checks on it is not used again for a while

[[noreturn]] void refuse_handle(Kind expected, const void* object);

// Throws Failure unless it is a live object of the type.
template <class T>
T& live(T* object) {
  using Object = std::remove_const_t<T>;
  const Kind kind = Object::kKind;
  if (object == nullptr || (checks_handles() ? !is_listed(object, kind) : object->kind != kind)) {
    refuse_handle(kind, object);
  }
  return *object;
}

template <class T, class... Arguments>
T* make(Arguments&&... arguments) {
  std::unique_ptr<void, void (*)(void*)> memory(get_memory(sizeof(T)), give_memory);
  T* object = ::new (memory.get()) T(std::forward<Arguments>(arguments)...);
  try {
    enlist(object, T::kKind);
  } catch (...) {
    object->~T();
    throw;
  }
  static_cast<void>(memory.release());
  return object;
}

template <class T>
koridor_status release(T* object) noexcept {
  if (object == nullptr) return KORIDOR_OK;
  return guarded([&] {
    if (!strike_off(object, T::kKind)) refuse_handle(T::kKind, object);
    object->~T();
    // Volatile, since nothing else reads it: only who uses the object after it was freed.
    *reinterpret_cast<volatile std::uint64_t*>(object) = static_cast<std::uint64_t>(Kind::none);
    give_memory(object);
  });
}

// While it lives, the object belongs to one call. Throws Failure (KORIDOR_BUSY) where another call has it.
class Occupation {
 public:
  Occupation(std::atomic<bool>& taken, const char* what) : taken_(taken) {
    if (taken_.exchange(true, std::memory_order_acquire)) {
      throw Failure(KORIDOR_BUSY, std::string("another call is using this ") + what + ": it serves one at a time");
    }
  }
  ~Occupation() { taken_.store(false, std::memory_order_release); }
  Occupation(const Occupation&) = delete;
  Occupation& operator=(const Occupation&) = delete;

 private:
  std::atomic<bool>& taken_;
};

}  // namespace koridor::library
