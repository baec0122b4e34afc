// The one exception a user's mistake raises: bad configuration, file, argument or protocol line.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

// what() is one line that says what was wrong, where, and what would be right. The command line prints it behind
// "koridor: " and exits with 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file that could not be read: nobody knows whether what it holds is sound.
class ReadError : public UserError {
 public:
  using UserError::UserError;
};

// What an error says to a person: what(), but for std::bad_alloc, whose what() says nothing.
const char* error_text(const std::exception& error) noexcept;

// The first line of what(): LibTorch's messages end in advice and a stack trace.
inline std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// The entry of `choices` with the smallest edit distance to `word`, small and capital letters being the same; empty
// where nothing is near: where that is above 3 and above half of the word, or above half of the longer of the two. For
// "did you mean" in error lines.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);
// The same, where only a distance of at most `most` is near.
std::string nearest(std::string_view word, const std::vector<std::string>& choices, std::size_t most);

// "unknown rule 'wals'; did you mean 'walls'? the rules are columns, rows, walls": the line for a word that is none of
// the choices, without the question where nothing is near.
std::string unknown_word(std::string_view kind, std::string_view word, const std::vector<std::string>& choices);

}  // namespace koridor
