// What libc++ 13, the standard library of Debian's Emscripten, lacks of C++20: the algorithms over ranges that the
// library uses, std::bit_cast, std::from_chars for double and float, and std::make_unique_for_overwrite. The build for
// WebAssembly includes it before every source (cmake/emscripten.cmake).
#pragma once

#ifdef __cplusplus

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#if _LIBCPP_VERSION >= 15000
#error "This libc++ has these functions: leave this header out"
#endif

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <class T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t size) {
  return unique_ptr<T>(new remove_extent_t<T>[size]);
}

// Of the forms that strtod takes, those of from_chars: a minus, digits with or without a point, and an exponent only
// where `format` is not fixed.
inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format format = chars_format::general) {
  const auto digit = [&](const char* at) { return at != last && *at >= '0' && *at <= '9'; };
  const char* end = first != last && *first == '-' ? first + 1 : first;
  const char* digits = end;
  while (digit(end)) ++end;
  auto count = end - digits;
  if (end != last && *end == '.') {
    const char* fraction = end + 1;
    const char* rest = fraction;
    while (digit(rest)) ++rest;
    count += rest - fraction;
    if (count > 0) end = rest;
  }
  if (count == 0) return {first, errc::invalid_argument};
  if (format != chars_format::fixed && end != last && (*end == 'e' || *end == 'E')) {
    const char* exponent = end + 1;
    if (exponent != last && (*exponent == '-' || *exponent == '+')) ++exponent;
    if (digit(exponent)) {
      while (digit(exponent)) ++exponent;
      end = exponent;
    }
  }
  value = strtod(string(first, end).c_str(), nullptr);
  return {end, errc()};
}
inline from_chars_result from_chars(const char* first, const char* last, float& value,
                                    chars_format format = chars_format::general) {
  double wide = value;
  const from_chars_result result = from_chars(first, last, wide, format);
  value = static_cast<float>(wide);
  return result;
}

namespace ranges {

struct identity_ {
  template <class T>
  constexpr T&& operator()(T&& value) const {
    return std::forward<T>(value);
  }
};

template <class Range, class Predicate, class Projection = identity_>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  auto at = std::begin(range);
  while (at != std::end(range) && !std::invoke(predicate, std::invoke(projection, *at))) ++at;
  return at;
}
template <class Range, class Predicate, class Projection = identity_>
constexpr auto find_if_not(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::find_if(
      range, [&](const auto& value) { return !std::invoke(predicate, value); }, projection);
}
template <class Range, class Value, class Projection = identity_>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::find_if(
      range, [&](const auto& entry) { return entry == value; }, projection);
}
template <class Range, class Predicate, class Projection = identity_>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::find_if(range, predicate, projection) != std::end(range);
}
template <class Range, class Predicate, class Projection = identity_>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::find_if_not(range, predicate, projection) == std::end(range);
}
template <class Range, class Predicate, class Projection = identity_>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !ranges::any_of(range, predicate, projection);
}
template <class Range, class Predicate, class Projection = identity_>
constexpr ptrdiff_t count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  ptrdiff_t count = 0;
  for (auto&& entry : range) count += std::invoke(predicate, std::invoke(projection, entry)) ? 1 : 0;
  return count;
}
template <class Range, class Value, class Projection = identity_>
constexpr ptrdiff_t count(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::count_if(
      range, [&](const auto& entry) { return entry == value; }, projection);
}

template <class A, class B, class Same = std::equal_to<>, class OfA = identity_, class OfB = identity_>
constexpr bool equal(A&& a, B&& b, Same same = {}, OfA of_a = {}, OfB of_b = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), [&](const auto& one, const auto& other) {
    return std::invoke(same, std::invoke(of_a, one), std::invoke(of_b, other));
  });
}
template <class Out>
struct copied {
  Out out;
};
template <class Range, class Out>
constexpr copied<Out> copy(Range&& range, Out out) {
  return {std::copy(std::begin(range), std::end(range), out)};
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Value>
constexpr void replace(Range&& range, const Value& before, const Value& after) {
  std::replace(std::begin(range), std::end(range), before, after);
}
template <class Range, class Predicate, class Value>
constexpr void replace_if(Range&& range, Predicate predicate, const Value& after) {
  std::replace_if(std::begin(range), std::end(range), predicate, after);
}
template <class Range, class Out, class Function>
constexpr void transform(Range&& range, Out out, Function function) {
  std::transform(std::begin(range), std::end(range), out, function);
}

// An order of values as an order of their projections.
template <class Order, class Projection>
constexpr auto projected(Order order, Projection projection) {
  return [order, projection](const auto& a, const auto& b) {
    return std::invoke(order, std::invoke(projection, a), std::invoke(projection, b));
  };
}
template <class Range, class Order = std::less<>, class Projection = identity_>
constexpr void sort(Range&& range, Order order = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), projected(order, projection));
}
template <class Range, class Order = std::less<>, class Projection = identity_>
constexpr void stable_sort(Range&& range, Order order = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), projected(order, projection));
}
template <class Range, class Order = std::less<>, class Projection = identity_>
constexpr auto max_element(Range&& range, Order order = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), projected(order, projection));
}
template <class Range, class Order = std::less<>, class Projection = identity_>
constexpr auto min_element(Range&& range, Order order = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), projected(order, projection));
}
template <class Range, class Order = std::less<>, class Projection = identity_>
constexpr auto max(Range&& range, Order order = {}, Projection projection = {}) {
  return *ranges::max_element(range, order, projection);
}
template <class Range, class Value, class Order = std::less<>, class Projection = identity_>
constexpr auto lower_bound(Range&& range, const Value& value, Order order = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& entry, const Value& wanted) {
    return std::invoke(order, std::invoke(projection, entry), wanted);
  });
}

}  // namespace ranges
}  // namespace std

#endif
