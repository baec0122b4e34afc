#include "core/wall/protocol_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/words.h"

namespace koridor {
namespace {

constexpr std::array<std::string_view, 3> kNamings = {"standard", "modern", "qtp"};  // in the order of Naming

// The name of a wall with its row moved by `rows`; nothing where the text is no name of a wall.
std::optional<std::string> moved_wall(std::string_view action, int rows) {
  const auto parts = parts_of(action);
  if (!parts || parts->size() != 3) return std::nullopt;
  const TextPart& column = (*parts)[0];
  const TextPart& row = (*parts)[1];
  const TextPart& kind = (*parts)[2];
  if (column.word.size() != 1 || !row.word.empty() || kind.word.empty()) return std::nullopt;
  return fmt::format("{}{}{}", column.word, std::max(row.number + rows, 0), kind.word);
}

}  // namespace

Naming parse_naming(std::string_view word) {
  const auto found = std::ranges::find(kNamings, word);
  if (found == kNamings.end()) throw UserError(unknown_word("notation", word, {kNamings.begin(), kNamings.end()}));
  return static_cast<Naming>(found - kNamings.begin());
}

std::string_view naming_name(Naming naming) {
  return kNamings[static_cast<std::size_t>(naming)];
}

Notation WallWords::notation() const {
  switch (naming) {
    case Naming::standard:
      return Notation::standard;
    case Naming::modern:
      return Notation::modern;
    case Naming::qtp:
      break;
  }
  return first == Colour::black ? Notation::standard : Notation::modern;
}

std::string WallWords::write(std::string_view action) const {
  if (naming == Naming::qtp) {
    if (const auto wall = moved_wall(action, 1)) return *wall;
  }
  return std::string(action);
}

std::string WallWords::read(std::string_view action) const {
  if (naming == Naming::qtp) {
    if (const auto wall = moved_wall(action, -1)) return *wall;
  }
  return std::string(action);
}

std::string WallWords::write_walls(std::string_view sentence) const {
  const auto is_name = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string text;
  while (!sentence.empty()) {
    const auto begin = static_cast<std::size_t>(std::ranges::find_if(sentence, is_name) - sentence.begin());
    text += sentence.substr(0, begin);
    sentence.remove_prefix(begin);
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(sentence, is_name) - sentence.begin());
    text += write(sentence.substr(0, length));
    sentence.remove_prefix(length);
  }
  return text;
}

std::string WallWords::player(int seat, int players) const {
  if (players > 2) return std::to_string(seat + 1);
  return std::string(colour_name(colour(seat)));
}

int WallWords::seat(std::string_view word, int players) const {
  if (players == 2) {
    if (const auto named = parse_colour(word)) return *named == first ? 0 : 1;
  }
  if (word.size() == 1 && word[0] >= '1' && word[0] < '1' + players) return word[0] - '1';
  throw UserError(fmt::format("syntax error: {} is no player; they are {}", in_quotes(word),
                              players == 2 ? std::string("black and white, or 1 and 2 by their seats")
                                           : fmt::format("1 to {} by their seats", players)));
}

}  // namespace koridor
