// The first part of reading SGF: text into nodes of properties. sgf_reader.cpp makes a game of these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/text_cursor.h"

namespace koridor::go {

struct Property {
  std::string name;
  std::vector<std::string> values;  // unescaped
  Location location;
};
using Node = std::vector<Property>;

bool is_lower(char c);

// Splits the text into properties.
class SgfScanner : public TextCursor {
 public:
  using TextCursor::TextCursor;

  // The main line of the next game. Throws UserError for text that is no SGF.
  std::vector<Node> main_line();
  // The variations that the last main_line() passed over.
  int variations() const { return variations_; }

  // Whether another game, which begins with "(;", follows; other text behind a game ends the collection.
  bool another_game();
  // Passes over all games that follow. Returns their number.
  int skip_games();

 private:
  bool at_name() const;
  void skip_to_tree();
  void skip_tree();
  Property take_property();
  std::string take_value();

  int variations_ = 0;
};

}  // namespace koridor::go
