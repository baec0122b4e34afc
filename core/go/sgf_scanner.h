// The first part of reading SGF: text into nodes of properties. sgf_reader.cpp makes a game of these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koridor::go {

// A place in the text, counted from 1.
struct Location {
  int line = 1;
  int column = 1;
};

struct Property {
  std::string name;
  std::vector<std::string> values;  // unescaped
  Location location;
};
using Node = std::vector<Property>;

bool is_space(char c);
bool is_lower(char c);

// Splits the text into properties. `where` names it in errors.
class SgfScanner {
 public:
  SgfScanner(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  // The main line of the next game. Throws UserError for text that is no SGF.
  std::vector<Node> main_line();
  // The variations that the last main_line() passed over.
  int variations() const { return variations_; }

  // Whether another game follows; other text behind a game ends the collection.
  bool another_game();
  // Passes over all games that follow. Returns their number.
  int skip_games();

  // Throws the UserError "where:line:column: what".
  [[noreturn]] void fail(const Location& location, const std::string& what) const;

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  bool at_name() const;
  char take();
  void skip_space();
  void skip_to_tree();
  void skip_tree();
  Property take_property();
  std::string take_value();

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  Location location_;
  int variations_ = 0;
};

}  // namespace koridor::go
