#include "core/go/sgf_scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace koridor::go {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

std::string printable(char c) {
  return c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

std::vector<Node> SgfScanner::main_line() {
  variations_ = 0;
  skip_to_tree();
  std::vector<Node> nodes;
  int depth = 1;
  bool following = true;  // else inside or between what is passed over
  while (depth > 0) {
    skip_space();
    if (at_end()) fail(location(), fmt::format("the file ends with {} of its brackets '(' open", depth));
    const Location here = location();
    const char c = take();
    if (c == '(') {
      if (!following) ++variations_;
      ++depth;
    } else if (c == ')') {
      following = false;
      --depth;
    } else if (c == ';') {
      if (following) nodes.emplace_back();
      for (skip_space(); at_name(); skip_space()) {
        Property property = take_property();
        if (following) nodes.back().push_back(std::move(property));
      }
    } else {
      fail(here, fmt::format("'{}' where a node ';' or a bracket should be", printable(c)));
    }
  }
  return nodes;
}

bool SgfScanner::another_game() {
  skip_space();
  if (at_end() || peek() != '(') return false;
  const std::string_view behind = rest().substr(1);
  const auto node = std::ranges::find_if_not(behind, is_space);
  return node != behind.end() && *node == ';';
}

int SgfScanner::skip_games() {
  int games = 0;
  for (; another_game(); ++games) skip_tree();
  return games;
}

bool SgfScanner::at_name() const {
  return !at_end() && (is_upper(peek()) || is_lower(peek()));
}

// Text before the first game is allowed: "(;" starts it.
void SgfScanner::skip_to_tree() {
  while (!at_end()) {
    if (take() != '(') continue;
    skip_space();
    if (!at_end() && peek() == ';') return;
  }
  fail({}, "no game: an SGF file starts with \"(;\"");
}

void SgfScanner::skip_tree() {
  int depth = 0;
  while (!at_end()) {
    const char c = take();
    if (c == '[') take_value();
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return;
  }
  fail(location(), "the file ends within a game");
}

Property SgfScanner::take_property() {
  Property property;
  property.location = location();
  // Older files have lower-case letters in names, which do not count.
  while (at_name()) {
    const char c = take();
    if (is_upper(c)) property.name += c;
  }
  skip_space();
  if (at_end() || peek() != '[') {
    fail(property.location, fmt::format("property {} has no value in '[]'", property.name));
  }
  while (!at_end() && peek() == '[') {
    take();
    property.values.push_back(take_value());
    skip_space();
  }
  return property;
}

// Reads from behind '[' through the closing bracket. Escapes are undone; a line end behind a backslash is dropped, any
// other one becomes a space, and so does every control byte, as where it is written.
std::string SgfScanner::take_value() {
  const Location start = location();
  std::string value;
  while (!at_end()) {
    char c = take();
    if (c == ']') return value;
    if (c == '\\') {
      if (at_end()) break;
      c = take();
      if (c == '\n' || c == '\r') {
        if (!at_end() && (peek() == '\n' || peek() == '\r') && peek() != c) take();
        continue;
      }
    }
    value += is_control(c) ? ' ' : c;
  }
  fail(start, "this value is not closed by ']'");
}

}  // namespace koridor::go
