// Reading: nodes of properties (sgf_scanner.h) into a game.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/go/sgf.h"
#include "core/go/sgf_scanner.h"
#include "core/reading.h"

namespace koridor::go {
namespace {

// The colour of the stones that a property sets up: 0 black, 1 white, -1 none (taken off); nothing for others.
std::optional<int> setup_colour(const Property& property) {
  if (property.name == "AB") return 0;
  if (property.name == "AW") return 1;
  if (property.name == "AE") return -1;
  return std::nullopt;
}

// Whether it is empty, as some programs write what they do not know. B[] and W[] are passes all the same.
bool says_nothing(const Property& property) {
  return std::ranges::all_of(property.values, [](std::string_view value) { return trimmed(value).empty(); });
}

// The colour that plays a property's move; nothing for others.
std::optional<int> move_colour(const Property& property) {
  if (property.name == "B") return 0;
  if (property.name == "W") return 1;
  return std::nullopt;
}

// Makes a game of the nodes of the scanner's next game.
class RecordReader {
 public:
  explicit RecordReader(SgfScanner& scanner) : scanner_(scanner), nodes_(scanner.main_line()) {}

  Record read() {
    read_rules();
    const std::size_t first_move = read_setup();
    GoGame game = game_of_rules();
    State start = game.initial_state();
    if (!placed_.empty() || rules_.handicap == 0) start = set_up(game, first_move);
    Record record{std::move(game), start, {}, black_, white_, result_, {}};
    read_moves(record, first_move);
    note_count(scanner_.variations(), "variation skipped", "variations skipped");
    note_count(after_the_end_, "move after the end skipped", "moves after the end skipped");
    record.notes = std::move(notes_);
    record.after_the_end = after_the_end_;
    return record;
  }

 private:
  struct Stone {
    int row, column;
  };
  static std::size_t index(const Stone& stone) { return static_cast<std::size_t>(stone.row * kMaxSide + stone.column); }

  [[noreturn]] void fail(const Property& property, const std::string& what) const {
    scanner_.fail(property.location, what);
  }

  // The only value of a property, without the spaces around it.
  std::string_view only_value(const Property& property) const {
    if (property.values.size() != 1) fail(property, fmt::format("{} has more than one value", property.name));
    return trimmed(property.values.front());
  }

  // A property of the first node; none where it says nothing.
  const Property* root(std::string_view name) const {
    if (nodes_.empty()) return nullptr;
    const auto found = std::ranges::find(nodes_.front(), name, &Property::name);
    if (found == nodes_.front().end()) return nullptr;
    return says_nothing(*found) ? nullptr : &*found;
  }
  std::string text_of(std::string_view name) const {
    const Property* property = root(name);
    return property == nullptr ? "" : std::string(only_value(*property));
  }

  void read_rules() {
    if (const Property* game = root("GM"); game != nullptr && only_value(*game) != "1") {
      fail(*game, fmt::format("GM[{}] is another game; Go is GM[1]", only_value(*game)));
    }
    black_ = text_of("PB");
    white_ = text_of("PW");
    result_ = text_of("RE");
    read_size();
    if (const Property* ruleset = root("RU")) {
      read_ruleset(*ruleset);
    } else {
      notes_.emplace_back("no rules given (RU): read as tromp-taylor");
    }
    if (const Property* handicap = root("HA")) read_handicap(*handicap);
    if (const Property* komi = root("KM")) {
      read_komi(*komi);
    } else if (handicap_ == 0) {
      notes_.push_back(fmt::format("no komi given (KM): read as {}", komi_text(rules_.half_points_of_komi)));
    }
  }

  // The Fox server writes hundredths: of points or, by Chinese rules, of stones, which are two points each. Chinese
  // records write such stones as they are. Our own records write a komi in points as "275.0".
  void read_komi(const Property& property) {
    static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
        {"550", "5.5"}, {"650", "6.5"},  {"750", "7.5"},  {"275", "5.5"},  {"325", "6.5"},
        {"375", "7.5"}, {"2.75", "5.5"}, {"3.25", "6.5"}, {"3.75", "7.5"},
    };
    const std::string_view given = only_value(property);
    for (const auto& [other, points] : kOthers) {
      if (given != other) continue;
      const std::string_view unit = given.find('.') == std::string_view::npos ? "hundredths" : "stones";
      notes_.push_back(fmt::format("KM[{}] is in {}: read as {} points", given, unit, points));
      return set("komi", points, property);
    }
    set("komi", given, property);
  }

  // The rules may contradict each other, though each is allowed.
  GoGame game_of_rules() const {
    try {
      return GoGame(rules_);
    } catch (const UserError& error) {
      scanner_.fail({}, error.what());
    }
  }

  // Sets a rule and names the place of a value that is not allowed.
  void set(std::string_view name, std::string_view value, const Property& property) {
    try {
      set_rule(rules_, name, value);
    } catch (const UserError& error) {
      fail(property, fmt::format("{}[{}]: {}", property.name, value, error.what()));
    }
  }

  void read_size() {
    const Property* size = root("SZ");
    if (size == nullptr) return;
    const std::string_view text = only_value(*size);
    const std::size_t colon = text.find(':');
    set("columns", text.substr(0, colon), *size);
    set("rows", colon == std::string_view::npos ? text : text.substr(colon + 1), *size);
  }

  void read_ruleset(const Property& property) {
    const std::string given(only_value(property));
    const std::string name = lower_case(given);
    if (set_word(rules_, name)) return;
    static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
        {"tromp taylor", "tromp-taylor"},
        {"korean", "japanese"},
        {"aga", "chinese,ko=situational"},
        {"nz", "tromp-taylor,ko=situational"},
        {"new zealand", "tromp-taylor,ko=situational"},
    };
    const auto* const known =
        std::ranges::find(kOthers, std::string_view(name), &std::pair<std::string_view, std::string_view>::first);
    const std::string_view words = known == std::end(kOthers) ? std::string_view(name) : known->second;
    Rules rules = rules_;
    for (std::size_t begin = 0; begin <= words.size();) {
      const std::size_t end = std::min(words.find(',', begin), words.size());
      const std::string_view word = words.substr(begin, end - begin);
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos && !set_word(rules, word)) {
        notes_.push_back(fmt::format("unknown rules \"{}\": read as tromp-taylor", given));
        return;
      }
      if (equals != std::string_view::npos) {
        const std::string_view rule = word.substr(0, equals);
        if (rule == "columns" || rule == "rows" || rule == "handicap" || rule == "komi") {
          fail(property, fmt::format("RU[{}]: {} is not said here but by {}", given, rule,
                                     rule == "komi"       ? "KM"
                                     : rule == "handicap" ? "HA"
                                                          : "SZ"));
        }
        try {
          set_rule(rules, word.substr(0, equals), word.substr(equals + 1));
        } catch (const UserError& error) {
          fail(property, fmt::format("RU[{}]: {}", given, error.what()));
        }
      }
      begin = end + 1;
    }
    rules_ = rules;
  }

  void read_handicap(const Property& property) {
    const auto stones = read_number<int>(only_value(property), 0, kMaxSide * kMaxSide);
    if (!stones) {
      fail(property, fmt::format("HA[{}]: the handicap must be a number of stones", only_value(property)));
    }
    handicap_ = *stones;
    if (handicap_ > 0) rules_.half_points_of_komi = 1;  // unless KM says another
  }

  // Reads stones set up before the first move. Returns the first node with a move.
  std::size_t read_setup() {
    std::size_t node = 0;
    for (; node < nodes_.size(); ++node) {
      if (std::ranges::any_of(nodes_[node],
                              [](const Property& property) { return move_colour(property).has_value(); })) {
        break;
      }
      for (const Property& property : nodes_[node]) {
        if (says_nothing(property)) continue;
        if (const auto colour = setup_colour(property)) place(property, *colour);
        if (property.name == "PL") read_player(property);
      }
    }
    // Some programs write the handicap stones and the first move into one node.
    if (node < nodes_.size()) {
      for (const Property& property : nodes_[node]) {
        const auto colour = setup_colour(property);
        if (!colour || says_nothing(property)) continue;
        if (node > 0) {
          fail(property, fmt::format("{} beside a move: stones can be set up before the first only", property.name));
        }
        place(property, *colour);
      }
    }
    for (int row = 0; row < rules_.rows; ++row) {
      for (int column = 0; column < rules_.columns; ++column) {
        if (const int colour = set_up_[index({row, column})]; colour >= 0)
          placed_.emplace_back(Stone{row, column}, colour);
      }
    }
    use_handicap(node);
    return node;
  }

  // Who moves first: as PL says, or the first move, or the handicap.
  int first_player(std::size_t first_move) const {
    if (first_player_ >= 0) return first_player_;
    int player = handicap_ > 0 ? 1 : 0;
    if (first_move < nodes_.size()) {
      for (const Property& property : nodes_[first_move]) player = move_colour(property).value_or(player);
    }
    return player;
  }

  // Stones on the fixed places are the rule `handicap`, by which white moves first; others, and black to move, are a
  // position set up by hand. Without stones a handicap of one is only that white has no komi.
  void use_handicap(std::size_t first_move) {
    if (handicap_ < 2 && placed_.empty()) handicap_ = 0;
    if (handicap_ == 0) return;
    Rules fixed = rules_;
    fixed.handicap = handicap_;
    const bool by_rule = handicap_ <= 9 && first_player(first_move) == 1;
    const auto points = by_rule ? handicap_points(fixed) : std::vector<std::pair<int, int>>();
    if (points.empty()) {
      if (placed_.empty()) notes_.push_back(fmt::format("handicap {} without its stones (AB): none placed", handicap_));
      return;
    }
    const bool same =
        placed_.size() == points.size() && std::ranges::all_of(placed_, [&](const auto& stone) {
          return stone.second == 0 && std::ranges::count(points, std::pair(stone.first.row, stone.first.column)) == 1;
        });
    if (placed_.empty())
      notes_.push_back(fmt::format("handicap {} without its stones (AB): the fixed places are taken", handicap_));
    if (!placed_.empty() && !same) return;
    placed_.clear();
    rules_.handicap = handicap_;
  }

  void read_player(const Property& property) {
    const std::string player = lower_case(only_value(property));
    if (player == "b" || player == "black" || player == "1")
      first_player_ = 0;
    else if (player == "w" || player == "white" || player == "2")
      first_player_ = 1;
    else
      fail(property, fmt::format("PL[{}]: the player to move must be B or W", only_value(property)));
  }

  void place(const Property& property, int colour) {
    for (const std::string& value : property.values) {
      const std::string_view text = trimmed(value);
      const std::size_t colon = text.find(':');
      const Stone from = point(property, text.substr(0, colon));
      const Stone to = colon == std::string_view::npos ? from : point(property, text.substr(colon + 1));
      for (int row = std::min(from.row, to.row); row <= std::max(from.row, to.row); ++row) {
        for (int column = std::min(from.column, to.column); column <= std::max(from.column, to.column); ++column) {
          set_up_[index({row, column})] = static_cast<std::int8_t>(colour);
        }
      }
    }
  }

  Stone point(const Property& property, std::string_view text) const {
    const bool letters = text.size() == 2 && is_lower(text[0]) && is_lower(text[1]);
    const Stone stone = letters ? Stone{text[1] - 'a', text[0] - 'a'} : Stone{-1, -1};
    if (!letters || stone.row >= rules_.rows || stone.column >= rules_.columns) {
      fail(property,
           fmt::format("{}[{}] is no point of a board of {}x{}", property.name, text, rules_.columns, rules_.rows));
    }
    return stone;
  }

  State set_up(const GoGame& game, std::size_t first_move) const {
    std::vector<std::pair<int, int>> black, white;
    for (const auto& [stone, colour] : placed_) (colour == 0 ? black : white).emplace_back(stone.row, stone.column);
    const auto state = game.setup_state(black, white, first_player(first_move));
    if (!state) scanner_.fail({}, "the stones set up leave a chain without a liberty");
    return *state;
  }

  void read_moves(Record& record, std::size_t first_move) {
    Position<GoGame> position(record.game);
    position.state = record.start;
    for (std::size_t node = first_move; node < nodes_.size(); ++node) {
      for (const Property& property : nodes_[node]) {
        if (setup_colour(property) && !says_nothing(property) && node > first_move) {
          fail(property, fmt::format("{} after a move: stones can be set up before the first only", property.name));
        }
        const auto colour = move_colour(property);
        if (!colour) continue;
        if (record.game.outcome(position.state, position.history).over()) {
          ++after_the_end_;
          continue;
        }
        record.actions.push_back(move(record.game, position, property, *colour));
        position.apply(record.game, record.actions.back());
      }
    }
  }

  Action move(const GoGame& game, const Position<GoGame>& position, const Property& property, int player) const {
    const std::string_view text = only_value(property);
    const std::string_view colour = player == 0 ? "black" : "white";
    if (player != position.state.player) {
      fail(property, fmt::format("{}[{}]: {} moves twice in a row; a pass is {}[]", property.name, text, colour,
                                 player == 0 ? "W" : "B"));
    }
    Action action{static_cast<std::uint16_t>(game.num_actions() - 1)};
    if (!text.empty() && text != "tt") {
      const Stone stone = point(property, text);
      action = Action{static_cast<std::uint16_t>(stone.row * rules_.columns + stone.column)};
    }
    if (const auto objection = objection_to(game, position.state, position.history, action)) {
      fail(property,
           fmt::format("{}[{}]: {} {} is not legal after {} moves under {}: {}", property.name, text, colour,
                       game.print_action(position.state, action), position.state.ply, game.name(), objection->message));
    }
    return action;
  }

  void note_count(int count, std::string_view one, std::string_view many) {
    if (count > 0) notes_.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  }

  SgfScanner& scanner_;
  std::vector<Node> nodes_;
  Rules rules_;
  int handicap_ = 0;
  int first_player_ = -1;
  int after_the_end_ = 0;
  std::vector<std::int8_t> set_up_ = std::vector<std::int8_t>(kMaxSide * kMaxSide, -1);  // colours by index()
  std::vector<std::pair<Stone, int>> placed_;  // of these the stones, with the colour
  std::string black_, white_, result_;
  std::vector<std::string> notes_;
};

}  // namespace

Record read_sgf(std::string_view text, std::string_view where) {
  SgfScanner scanner(text, where);
  Record record = RecordReader(scanner).read();
  if (const int more = scanner.skip_games(); more > 0) {
    record.notes.push_back(fmt::format("{} more {} skipped", more, more == 1 ? "game" : "games"));
  }
  return record;
}

std::vector<Record> read_sgf_games(std::string_view text, std::string_view where, std::size_t most) {
  std::vector<Record> records;
  SgfScanner scanner(text, where);
  do {
    if (records.size() == most) throw UserError(fmt::format("{} has more than {} games", where, most));
    records.push_back(RecordReader(scanner).read());
  } while (scanner.another_game());
  return records;
}

}  // namespace koridor::go
