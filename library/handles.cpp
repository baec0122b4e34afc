#include "library/handles.h"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>

namespace koridor::library {
namespace {

constexpr std::align_val_t kAlignment{64};  // enough for every object

// All objects that live, and the memory of those freed last where handles are checked.
class List {
 public:
  void add(const void* object, Kind kind) {
    const std::lock_guard lock(mutex_);
    live_.emplace(object, kind);
  }
  bool remove(const void* object, Kind kind) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(object);
    if (found == live_.end() || found->second != kind) return false;
    live_.erase(found);
    return true;
  }
  Kind kind_of(const void* object) const {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(object);
    return found == live_.end() ? Kind::none : found->second;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return live_.size();
  }
  // Keeps the memory, and returns what is kept longest where that is too much, else null.
  void* keep(void* memory) {
    constexpr std::size_t kKept = 1024;
    const std::lock_guard lock(mutex_);
    kept_.push_back(memory);
    if (kept_.size() <= kKept) return nullptr;
    void* oldest = kept_.front();
    kept_.pop_front();
    return oldest;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Kind> live_;
  std::deque<void*> kept_;
};

// Never destroyed: other threads may still free objects while the program ends.
List& list() {
  static List* const all = new List;
  return *all;
}

bool checks_at_first() {
#ifndef NDEBUG
  return true;
#else
  const char* word = std::getenv("KORIDOR_CHECK_HANDLES");
  return word != nullptr && std::string_view(word) == "1";
#endif
}

std::atomic<bool>& checks() {
  static std::atomic<bool> on{checks_at_first()};
  return on;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::none:
      break;
    case Kind::game:
      return "koridor_game";
    case Kind::state:
      return "koridor_state";
    case Kind::model:
      return "koridor_model";
    case Kind::evaluator:
      return "koridor_evaluator";
    case Kind::session:
      return "koridor_session";
  }
  return "no object";
}

bool checks_handles() {
  return checks().load(std::memory_order_relaxed);
}
void enlist(const void* object, Kind kind) {
  list().add(object, kind);
}
bool strike_off(const void* object, Kind kind) {
  return list().remove(object, kind);
}
bool is_listed(const void* object, Kind kind) {
  return list().kind_of(object) == kind;
}
void* get_memory(std::size_t size) {
  return ::operator new(size, kAlignment);
}
void give_memory(void* memory) noexcept {
  if (checks_handles()) {
    try {
      memory = list().keep(memory);
    } catch (const std::bad_alloc&) {
      // Then it is not kept.
    }
  }
  ::operator delete(memory, kAlignment);
}

void refuse_handle(Kind expected, const void* object) {
  if (object == nullptr) throw Failure(KORIDOR_BAD_HANDLE, fmt::format("the {} is NULL", name_of(expected)));
  const Kind known = list().kind_of(object);
  throw Failure(KORIDOR_BAD_HANDLE,
                known == Kind::none
                    ? fmt::format("{} is no {}, or one that was freed", object, name_of(expected))
                    : fmt::format("{} is a {}, expected a {}", object, name_of(known), name_of(expected)));
}

}  // namespace koridor::library

int32_t koridor_check_handles(int32_t on) {
  return koridor::library::checks().exchange(on != 0) ? 1 : 0;
}

size_t koridor_live_objects() {
  try {
    return koridor::library::list().size();
  } catch (const std::bad_alloc&) {  // there is no list yet, so that there are no objects
    return 0;
  }
}
