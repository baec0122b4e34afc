// What the parts of libkoridor have to say beside their results, such as that int8 is not used. They never print: a
// program that wants to know asks for it, and in all others it is dropped.
#pragma once

#include <atomic>
#include <string_view>

namespace koridor {

// Takes a line; several threads may call it at once.
using NoticeReader = void (*)(std::string_view line);

namespace detail {
inline std::atomic<NoticeReader> notice_reader{nullptr};
}

// All notices from now on go to the reader; nullptr drops them. Returns the reader before.
inline NoticeReader read_notices(NoticeReader reader) {
  return detail::notice_reader.exchange(reader);
}

inline void notice(std::string_view line) {
  if (const NoticeReader reader = detail::notice_reader) reader(line);
}

}  // namespace koridor
