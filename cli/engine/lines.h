// The lines that another program sends: of bounded length, whatever bytes they hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace koridor::cli {

// One line without its end ("\n" or "\r\n"). Any byte may be in it.
struct InputLine {
  std::string text;
  bool cut = false;  // it was longer than the bound: `text` is its beginning, and the rest is gone
};

class LineInput {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;  // bytes of a line

  // Reads from a file descriptor, which stays its owner's. Where nobody reads any more from the pipe `answers`, the
  // input ends at once; -1: it does not matter.
  explicit LineInput(int file, int answers = -1) : file_(file), answers_(answers) {}

  // The next line, waited for; nothing at the end of input. A last line may lack its end. The mark with which some
  // programs begin UTF-8 is no part of the first.
  std::optional<InputLine> next();
  // Whether the input has ended behind the lines that next() still has. It reads ahead what is there, and never waits;
  // of an input that is further ahead than kAhead the end is not seen yet.
  bool ended();
  // Throws UserError where the input has ended since it could not be read, as a folder cannot.
  void require_read() const;

 private:
  static constexpr std::size_t kAhead = 4 * kLongest;

  bool fill();
  bool wait_for_input();

  int file_;
  int answers_;
  std::string buffer_;   // what was read
  std::size_t at_ = 0;   // and how much of it is handed out
  bool ended_ = false;   // nothing more can be read
  bool first_ = true;    // no line has been handed out
  bool unread_ = false;  // nobody reads the answers
  int error_ = 0;        // errno of why nothing more can be read; 0: it is the end
};

}  // namespace koridor::cli
