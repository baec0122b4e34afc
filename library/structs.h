// What crosses the border by value: texts, and structs, whose sizes say which version of the header a caller was
// compiled with.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "library/failure.h"

namespace koridor::library {

// The size that a struct had in the first version of the header: up to the end of the member named here, which was its
// last. It stays as it is where members are added behind it.
template <class T>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<koridor_game_info> = offsetof(koridor_game_info, packed_size) +
                                                             sizeof(koridor_game_info::packed_size);
template <>
inline constexpr std::size_t kFirstSize<koridor_encoding> = offsetof(koridor_encoding, value_size) +
                                                            sizeof(koridor_encoding::value_size);
template <>
inline constexpr std::size_t kFirstSize<koridor_outcome> = offsetof(koridor_outcome, values) +
                                                           sizeof(koridor_outcome::values);
template <>
inline constexpr std::size_t kFirstSize<koridor_model_info> = offsetof(koridor_model_info, calibrated) +
                                                              sizeof(koridor_model_info::calibrated);
template <>
inline constexpr std::size_t kFirstSize<koridor_evaluation> = offsetof(koridor_evaluation, precision) +
                                                              sizeof(koridor_evaluation::precision);
template <>
inline constexpr std::size_t kFirstSize<koridor_session_options> = offsetof(koridor_session_options, evaluation) +
                                                                   sizeof(koridor_session_options::evaluation);
template <>
inline constexpr std::size_t kFirstSize<koridor_limits> = offsetof(koridor_limits, report_seconds) +
                                                          sizeof(koridor_limits::report_seconds);
template <>
inline constexpr std::size_t kFirstSize<koridor_analysis> = offsetof(koridor_analysis, seconds) +
                                                            sizeof(koridor_analysis::seconds);
template <>
inline constexpr std::size_t kFirstSize<koridor_candidate> = offsetof(koridor_candidate, plies) +
                                                             sizeof(koridor_candidate::plies);

template <class T>
void require_size(std::size_t size, const char* name) {
  static_assert(kFirstSize<T> > 0 && kFirstSize<T> <= sizeof(T));
  if (size >= kFirstSize<T> && size <= sizeof(T)) return;
  throw Failure(
      KORIDOR_ABI_MISMATCH,
      fmt::format("{} has {} bytes, this library knows {} to {}: set struct_size to its sizeof, and compile with "
                  "the header of this library",
                  name, size, kFirstSize<T>, sizeof(T)));
}

// A struct that the caller gives, with 0 for the members that it does not know; all 0 for NULL.
template <class T>
T read_struct(const T* given, const char* name) {
  T all{};
  if (given == nullptr) return all;
  require_size<T>(given->struct_size, name);
  std::memcpy(&all, given, given->struct_size);
  return all;
}

// Throws Failure unless `out` is a struct that write_struct can write.
template <class T>
void require_struct(const T* out, const char* name) {
  require(out, name);
  require_size<T>(out->struct_size, name);
}
template <class T>
void write_struct(T* out, T value) {
  value.struct_size = out->struct_size;
  std::memcpy(out, &value, out->struct_size);
}

// Throws Failure where the text does not fit.
inline void write_text(std::string_view text, char* buffer, std::size_t size, std::size_t* length) {
  if (length != nullptr) *length = text.size();
  if (buffer == nullptr && size == 0) return;
  require(buffer, "buffer");
  if (text.size() >= size) {
    throw Failure(KORIDOR_BUFFER_TOO_SMALL,
                  fmt::format("the text and its NUL have {} bytes, the buffer has {}", text.size() + 1, size));
  }
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
}

// How many elements a list has, and whether they are to be written: false where only the number is asked for. Throws
// Failure where they do not fit.
inline bool writes_list(std::size_t elements, const void* out, std::size_t capacity, std::size_t* count) {
  require(count, "count");
  *count = elements;
  if (out == nullptr && capacity == 0) return false;
  require(out, "the array");
  if (elements > capacity) {
    throw Failure(KORIDOR_BUFFER_TOO_SMALL, fmt::format("there are {} entries, the array has {}", elements, capacity));
  }
  return true;
}

}  // namespace koridor::library
