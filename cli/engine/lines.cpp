#include "cli/engine/lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace koridor::cli {

bool LineInput::fill() {
  if (ended_) return false;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t ahead = buffer_.size();
  buffer_.resize(ahead + kChunk);
  ssize_t count = -1;
  do {
    if (!wait_for_input()) break;
    count = ::read(file_, buffer_.data() + ahead, kChunk);
  } while (count < 0 && (errno == EINTR || errno == EAGAIN));
  buffer_.resize(ahead + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  ended_ = count <= 0;
  if (count < 0 && !unread_) error_ = errno;
  return !ended_;
}

// Also of a descriptor that another program has made one that does not wait. False where nobody reads the answers.
bool LineInput::wait_for_input() {
  std::array<pollfd, 2> ends{
      {{.fd = file_, .events = POLLIN, .revents = 0}, {.fd = answers_, .events = 0, .revents = 0}}};
  while (::poll(ends.data(), ends.size(), -1) < 0 && errno == EINTR) {
  }
  unread_ = answers_ >= 0 && (ends[1].revents & (POLLERR | POLLHUP)) != 0;
  return !unread_;
}

void LineInput::require_read() const {
  if (error_ != 0) throw UserError(fmt::format("standard input could not be read: {}", std::strerror(error_)));
}

bool LineInput::ended() {
  const auto readable = [this] {
    pollfd file{.fd = file_, .events = POLLIN, .revents = 0};
    return ::poll(&file, 1, 0) > 0;
  };
  while (!ended_ && buffer_.size() - at_ < kAhead && readable()) fill();
  return ended_;
}

std::optional<InputLine> LineInput::next() {
  InputLine line;
  for (bool any = false;; any = true) {
    if (at_ == buffer_.size() && !fill()) {
      if (!any) return std::nullopt;
      break;
    }
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    const std::size_t room = kLongest - line.text.size();
    line.text.append(buffer_, at_, std::min(end - at_, room));
    line.cut = line.cut || end - at_ > room;
    at_ = end;
    if (at_ == buffer_.size()) continue;
    ++at_;
    break;
  }
  if (!line.cut && line.text.ends_with('\r')) line.text.pop_back();
  if (std::exchange(first_, false) && line.text.starts_with(kByteOrderMark)) line.text.erase(0, kByteOrderMark.size());
  return line;
}

}  // namespace koridor::cli
