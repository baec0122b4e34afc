// A text that is read character by character, with the line and column for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace koridor {

// A place in a text, counted from 1.
struct Location {
  int line = 1;
  int column = 1;
};

inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f';
}

// What scanners derive from. `where` names the text in errors; both must outlive the cursor.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  // Throws the UserError "where:line:column: what".
  [[noreturn]] void fail(const Location& location, const std::string& what) const {
    throw UserError(std::string(where_) + ":" + std::to_string(location.line) + ":" + std::to_string(location.column) +
                    ": " + what);
  }

 protected:
  bool at_end() const { return at_ == text_.size(); }
  // The next character; not to be called at the end.
  char peek() const { return text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++location_.line;
      location_.column = 1;
    } else {
      ++location_.column;
    }
    return c;
  }
  void skip_space() {
    while (!at_end() && is_space(peek())) take();
  }
  const Location& location() const { return location_; }
  // The offset of the next character, and the text between such offsets.
  std::size_t offset() const { return at_; }
  std::string_view text_from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  // What has not been taken yet.
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  Location location_;
};

}  // namespace koridor
