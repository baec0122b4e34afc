#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_cursor.h"
#include "core/go/sgf.h"
#include "core/reading.h"
#include "core/saved_game.h"
#include "core/saved_result.h"

namespace koridor {
namespace {

// "*", or what may be points separated by '-': "1-0", "1/2-1/2", "0-0-1-0".
bool is_result(std::string_view word) {
  if (word == "*") return true;
  return word.size() >= 3 && is_digit(word.front()) && word.find('-') != std::string_view::npos &&
         std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '-' || c == '/'; });
}

// Notation text as headers and words.
class Scanner : public TextCursor {
 public:
  using TextCursor::TextCursor;

  // Goes to the next header or word, past spaces and comments; false at the end of the text.
  bool next() {
    for (;;) {
      skip_space();
      if (at_end()) return false;
      here_ = location();
      const char c = peek();
      if (c != '{' && c != ';') return true;
      const char end = c == '{' ? '}' : '\n';
      while (!at_end() && peek() != end) take();
      if (!at_end()) {
        take();
      } else if (c == '{') {
        fail(here_, "this comment is not closed by '}'");
      }
    }
  }
  bool at_header() const { return peek() == '['; }
  const Location& here() const { return here_; }

  // [Name "value"]
  std::pair<std::string, std::string> header() {
    take();
    std::string name;
    while (!at_end() && !is_space(peek()) && peek() != '"' && peek() != ']') name += take();
    skip_space();
    std::string value;
    if (name.empty() || at_end() || take() != '"') fail_header();
    for (;;) {
      if (at_end() || peek() == '\n') fail_header();
      char c = take();
      if (c == '"') break;
      if (c == '\\' && !at_end()) c = take();
      value += c;
    }
    skip_space();
    if (at_end() || take() != ']') fail_header();
    return {std::move(name), std::move(value)};
  }

  std::string_view word() {
    const std::size_t begin = offset();
    while (!at_end() && !is_space(peek()) && peek() != '{' && peek() != ';' && peek() != '[') {
      take();
    }
    return text_from(begin);
  }

 private:
  [[noreturn]] void fail_header() const { fail(here_, "a header is written as [Name \"value\"]"); }

  Location here_;
};

// One game under way: its headers, then its actions.
class GameReader {
 public:
  GameReader(const Scanner& scanner, const SavedGameDefaults& defaults)
      : scanner_(scanner), defaults_(defaults), notation_(defaults.notation) {}

  bool has_words() const { return has_words_; }
  bool empty() const { return headers_.empty() && !has_words_; }

  void add_header(const std::pair<std::string, std::string>& header, const Location& place) {
    if (header.first == "Game") {
      try {
        game_ = parse_game(header.second);
      } catch (const UserError& error) {
        scanner_.fail(place, error.what());
      }
    } else if (header.first == "Notation") {
      if (header.second != "standard" && header.second != "modern") {
        scanner_.fail(place, fmt::format("Notation {} must be standard or modern", in_quotes(header.second)));
      }
      notation_ = header.second == "modern" ? Notation::modern : Notation::standard;
    } else if (header.first == "Result") {
      set_result(header.second, place);
    }
    headers_.push_back(header);
  }

  // Keeps a word with its place, for finish() to play.
  void add_word(std::string_view word, const Location& place) {
    has_words_ = true;
    words_.emplace_back(word, place);
  }
  // The last one counts: that behind the moves, where there is one.
  void set_result(std::string_view word, const Location& place) {
    result_ = word == "*" ? "" : std::string(word);
    result_place_ = place;
  }
  void end_with(std::string_view word, const Location& place) {
    has_words_ = true;
    set_result(word, place);
  }

  SavedGame finish(const Location& end) {
    if (!game_) game_ = defaults_.game;
    if (!game_) {
      scanner_.fail(words_.empty() ? end : words_.front().second,
                    "no game is named: begin with [Game \"quoridor:5x5,walls=3\"]");
    }
    SavedGame saved{.game = *game_, .actions = {}};
    std::visit([&](const auto& game) { read_actions(game, saved); }, saved.game);
    saved.result = checked_result(saved);
    return saved;
  }

 private:
  // What the text says, or nothing; where the moves end the game, that is how they end it.
  std::string checked_result(SavedGame& saved) const {
    const int players = players_of(saved.game);
    if (!result_.empty() && !read_result(saved.game, result_)) {
      scanner_.fail(result_place_,
                    fmt::format("the result {} does not share one point among {} players, as {} does",
                                in_quotes(result_), players, players == 2 ? "1-0 or 1/2-1/2" : "0-0-1-0"));
    }
    const std::string by_rules = result_of(saved.game, saved.actions);
    if (by_rules.empty() || result_ == by_rules) return result_;
    if (!result_.empty()) {
      saved.notes.push_back(fmt::format("the result is {}, but the moves end the game with {}", result_, by_rules));
    }
    return by_rules;
  }

  template <Game G>
  void read_actions(const G& game, SavedGame& saved) const {
    Position<G> position(game);
    for (const auto& [word, place] : words_) {
      if (game.outcome(position.state, position.history).over()) {
        scanner_.fail(place, fmt::format("{} after the end of the game", in_quotes(word)));
      }
      const Reading reading = read_action(game, position.state, position.history, word, notation_);
      if (!reading.action) {
        scanner_.fail(place, fmt::format("{} as ply {}: {}", in_quotes(word), saved.actions.size() + 1,
                                         refusal_text(game, position.state, reading, notation_)));
      }
      saved.actions.push_back(*reading.action);
      position.apply(game, *reading.action);
    }
    saved.names.resize(static_cast<std::size_t>(game.players()));
    for (const auto& [name, value] : headers_) keep(name, value, saved);
  }

  static void keep(const std::string& name, const std::string& value, SavedGame& saved) {
    for (std::size_t seat = 0; seat < saved.names.size(); ++seat) {
      if (name != fmt::format("Player{}", seat + 1)) continue;
      saved.names[seat] = value;
      return;
    }
    if (name != "Game" && name != "Notation" && name != "Result") saved.headers.emplace_back(name, value);
  }

  const Scanner& scanner_;
  const SavedGameDefaults& defaults_;
  std::optional<AnyGame> game_;
  Notation notation_;
  std::string result_;
  Location result_place_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::vector<std::pair<std::string_view, Location>> words_;
  bool has_words_ = false;
};

// A word without the number before it: "1." and "1..." are nothing, "1.e8" is "e8".
std::string_view without_number(std::string_view word) {
  std::size_t digits = 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  if (digits == 0 || digits == word.size() || word[digits] != '.') return word;
  word.remove_prefix(digits);
  word.remove_prefix(std::min(word.find_first_not_of('.'), word.size()));
  return word;
}

std::vector<SavedGame> read_notation(std::string_view text, std::string_view where, const SavedGameDefaults& defaults) {
  std::vector<SavedGame> games;
  Scanner scanner(text, where);
  std::optional<GameReader> reader;
  const auto finish = [&] {
    if (reader && !reader->empty()) {
      if (games.size() == defaults.most)
        throw UserError(fmt::format("{} has more than {} games", where, defaults.most));
      games.push_back(reader->finish(scanner.here()));
    }
    reader.reset();
  };
  while (scanner.next()) {
    const Location place = scanner.here();
    if (scanner.at_header()) {
      if (reader && reader->has_words()) finish();
      if (!reader) reader.emplace(scanner, defaults);
      reader->add_header(scanner.header(), place);
      continue;
    }
    if (!reader) reader.emplace(scanner, defaults);
    const std::string_view word = without_number(scanner.word());
    if (word.empty()) continue;
    if (is_result(word)) {
      reader->end_with(word, place);
      finish();
    } else {
      reader->add_word(word, place);
    }
  }
  finish();
  if (games.empty()) throw UserError(fmt::format("{}: there is no game in it", where));
  return games;
}

std::vector<SavedGame> read_collection(std::string_view text, std::string_view where,
                                       const SavedGameDefaults& defaults) {
  std::vector<SavedGame> games;
  for (go::Record& record : go::read_sgf_games(text, where, defaults.most)) {
    const bool by_hand = record.start != record.game.initial_state();
    if (by_hand && !defaults.set_up) {
      throw UserError(
          fmt::format("{}: game {} begins with stones set up by hand; only a game from an empty board or "
                      "from its handicap can be read here",
                      where, games.size() + 1));
    }
    SavedGame& saved = games.emplace_back(SavedGame{.game = std::move(record.game),
                                                    .actions = std::move(record.actions),
                                                    .names = {record.black, record.white},
                                                    .result = record.result,
                                                    .headers = {},
                                                    .notes = std::move(record.notes),
                                                    .start = by_hand ? std::optional(record.start) : std::nullopt});
    if (!saved.result.empty() && !read_result(saved.game, saved.result)) {
      saved.notes.push_back(
          fmt::format("the result {} is none that SGF has, and is passed over", in_quotes(saved.result)));
      saved.result.clear();
    }
  }
  return games;
}

}  // namespace

std::vector<SavedGame> read_saved_games(std::string_view text, std::string_view where,
                                        const SavedGameDefaults& defaults) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  if (first != std::string_view::npos && text[first] == '(') return read_collection(text, where, defaults);
  return read_notation(text, where, defaults);
}

}  // namespace koridor
