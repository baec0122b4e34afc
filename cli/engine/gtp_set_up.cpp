// The commands of GTP that set positions up: handicaps, stones by hand, records.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "cli/engine/gtp_game.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/go/sgf.h"
#include "core/reading.h"

namespace koridor::cli {
namespace {

using Arguments = TextProtocol::Arguments;

void require_empty(const GtpGame& game) {
  if (!game.board().empty() || !game.board().moves().empty()) throw UserError("board not empty");
}

std::string names_of(const GtpGame& game, const GoBoard::Points& points) {
  std::vector<std::string> names;
  for (const auto& [row, column] : points) names.push_back(go::point_name(game.game().geometry(), row, column));
  return fmt::format("{}", fmt::join(names, " "));
}

// The fixed places of this many stones; empty where the board has none.
GoBoard::Points fixed_places(const GtpGame& game, int stones) {
  go::Rules rules = game.game().rules();
  rules.handicap = stones;
  return stones <= 9 ? go::handicap_points(rules) : GoBoard::Points();
}

void set_handicap(GtpGame& game, const GoBoard::Points& points) {
  if (!game.board().set_up(points, {}, 1)) throw UserError("invalid vertices");
  game.engine().forget_turns();
}

// Free places: the fixed ones as far as there are any, and then where the network would play if black moved alone.
GoBoard::Points free_places(GtpGame& game, int stones) {
  const go::Rules& rules = game.game().rules();
  const int fixed = std::min(stones, go::most_handicap(rules.columns, rules.rows));
  GoBoard::Points points = fixed >= 2 ? fixed_places(game, fixed) : GoBoard::Points();
  Engine& engine = game.engine();
  while (std::ssize(points) < stones) {
    if (!game.board().set_up(points, {}, 0)) break;
    game.prepare_search(0);
    std::vector<Action> found;
    engine.search({.visits = 1}, {.done = [&](const Analysis* result, const std::string&) {
                    if (result == nullptr) return;
                    const auto likeliest =
                        std::ranges::max_element(result->candidates, {}, [&](const Candidate& candidate) {
                          return index(candidate.action) + 1 == game.game().num_actions() ? -1.0f : candidate.prior;
                        });
                    found.push_back(likeliest->action);
                  }});
    engine.wait();
    if (found.empty() || index(found[0]) + 1 == game.game().num_actions()) break;
    points.emplace_back(index(found[0]) / rules.columns, index(found[0]) % rules.columns);
  }
  return points;
}

void add_handicaps(TextProtocol& protocol, GtpGame& game) {
  protocol.add_text("fixed_handicap", [&game](Arguments arguments) {
    require_arguments(arguments, 1, 1, "fixed_handicap STONES");
    require_empty(game);
    const int stones = number_argument(arguments[0], 0, kMostCount, "number of stones");
    const GoBoard::Points points = fixed_places(game, stones);
    if (stones < 2 || points.empty()) throw UserError("invalid number of stones");
    set_handicap(game, points);
    return names_of(game, points);
  });
  protocol.add_text("place_free_handicap", [&game](Arguments arguments) {
    require_arguments(arguments, 1, 1, "place_free_handicap STONES");
    require_empty(game);
    const int stones = number_argument(arguments[0], 0, kMostCount, "number of stones");
    const go::Rules& rules = game.game().rules();
    if (stones < 2 || stones >= rules.columns * rules.rows) throw UserError("invalid number of stones");
    const GoBoard::Points points = free_places(game, stones);
    set_handicap(game, points);
    return names_of(game, points);
  });
  protocol.add_text("set_free_handicap", [&game](Arguments arguments) {
    require_empty(game);
    GoBoard::Points points;
    for (const std::string& vertex : arguments) points.push_back(game.point(vertex));
    if (points.size() < 2) throw UserError("bad vertex list: a handicap has at least two stones");
    set_handicap(game, points);
    return std::string();
  });
}

// The board with these stones instead of what is on it.
std::string set_stones(GtpGame& game, Arguments arguments, std::string_view name) {
  if (arguments.size() % 2 != 0) throw UserError(fmt::format("syntax error: {} [COLOUR VERTEX]...", name));
  std::array<GoBoard::Points, 2> stones;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    stones[static_cast<std::size_t>(game.colour(arguments[i]))].push_back(game.point(arguments[i + 1]));
  }
  if (!game.board().set_up(stones[0], stones[1], 0)) {
    throw UserError("illegal position: stones overlap or have no liberty");
  }
  game.engine().forget_turns();
  return {};
}

void add_positions(TextProtocol& protocol, GtpGame& game) {
  for (const char* name : {"gogui-setup", "set_position"}) {
    protocol.add_text(name, [&game, name](Arguments arguments) { return set_stones(game, arguments, name); });
  }
  protocol.add_text("gogui-setup_player", [&game](Arguments arguments) {
    require_arguments(arguments, 1, 1, "gogui-setup_player COLOUR");
    if (!game.board().moves().empty()) throw UserError("a move was played: the player is set up before the first");
    go::State state = game.board().start();
    state.player = static_cast<std::uint8_t>(game.colour(arguments[0]));
    game.board().start_from(state);
    return std::string();
  });
}

GoBoard::Points stones_of(const go::GoGame& game, const go::State& state, int colour) {
  GoBoard::Points points;
  const int columns = game.rules().columns;
  for (int action = 0; action + 1 < game.num_actions(); ++action) {
    if (!state.has_stone(colour, game.geometry().point[static_cast<std::size_t>(action)])) continue;
    points.emplace_back(action / columns, action % columns);
  }
  return points;
}

// A game as a record has it, where both colours move in turn and play ends as the rules say.
class RecordWriter {
 public:
  explicit RecordWriter(const GoBoard& board)
      : record_{board.game(), board.start(), {}, "", "", "", {}}, read_(board.game()), walk_(board.game()) {
    read_.state = board.start();
    walk_.start_from(board.start());
  }

  // A move out of turn gets a pass before it. A pass more beside another one would end the game, and behind its end a
  // reader looks at nothing: there the record begins anew, with the stones set up.
  void add(const GoMove& move) {
    const Action pass{static_cast<std::uint16_t>(record_.game.num_actions() - 1)};
    const bool out_of_turn = move.colour != read_.state.player;
    const bool beside_a_pass = move.action == pass || (!record_.actions.empty() && record_.actions.back() == pass);
    const bool fits = !out_of_turn || (!beside_a_pass && play(pass));
    if (!fits || !play(move.action)) {
      begin_here(move.colour);
      play(move.action);
    }
    walk_.play(move.colour, move.action);
  }

  go::Record take() { return std::move(record_); }

 private:
  // As a reader plays it: false where it is not legal.
  bool play(Action action) {
    if (objection_to(record_.game, read_.state, read_.history, action)) return false;
    read_.apply(record_.game, action);
    record_.actions.push_back(action);
    return true;
  }

  void begin_here(int colour) {
    const go::GoGame& game = record_.game;
    const go::State& now = walk_.position().state;
    record_.start = *game.setup_state(stones_of(game, now, 0), stones_of(game, now, 1), colour);
    record_.actions.clear();
    record_.comment =
        fmt::format("From move {} on: what came before cannot be told in turns.", walk_.moves().size() + 1);
    read_ = GoBoard::Position(game);
    read_.state = record_.start;
  }

  go::Record record_;
  GoBoard::Position read_;
  GoBoard walk_;  // as it was played
};

go::Record record_of(const GtpGame& game) {
  const GoBoard& board = game.board();
  RecordWriter writer(board);
  for (const GoMove& move : board.moves()) writer.add(move);
  go::Record record = writer.take();
  record.result = go::sgf_result(game.game(), board.position());
  return record;
}

// The name of a file, in which there may be spaces.
std::string file_argument(Arguments words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string load(GtpGame& game, Arguments arguments) {
  constexpr std::size_t kMostWords = 1000;
  require_arguments(arguments, 1, kMostWords, "loadsgf FILE [MOVE_NUMBER]");
  const bool numbered = arguments.size() > 1 && is_number(arguments.back());
  const std::string file = file_argument(numbered ? arguments.first(arguments.size() - 1) : arguments);
  go::Record record = go::read_sgf(read_file(file, go::kLargestRecord), file);
  std::size_t most = record.actions.size() + static_cast<std::size_t>(record.after_the_end);
  if (numbered) {
    const int number = number_argument(arguments.back(), 0, kMostCount, "number of a move");
    most = std::min(most, static_cast<std::size_t>(std::max(number, 1) - 1));
  }
  if (most > record.actions.size()) {
    throw UserError(fmt::format("{}: the game is over after {} and the record goes on; loadsgf FILE {} ends there",
                                file, counted(std::ssize(record.actions), "move"), record.actions.size() + 1));
  }
  record.actions.resize(most);
  GoBoard board(record.game);
  board.start_from(record.start);
  int colour = record.start.player;
  for (const Action action : record.actions) {
    board.play(colour, action);
    colour ^= 1;
  }
  game.replace(std::move(board));
  return {};
}

void add_records(TextProtocol& protocol, GtpGame& game) {
  protocol.add_text("loadsgf", [&game](Arguments arguments) {
    try {
      return load(game, arguments);
    } catch (const UserError& error) {
      throw UserError(fmt::format("cannot load file: {}", error.what()));
    }
  });
  protocol.add_text("printsgf", [&game](Arguments arguments) {
    const std::string text = go::write_sgf(record_of(game));
    if (arguments.empty()) return text;
    const std::string file = file_argument(arguments);
    // A folder that is not there may be a slip of the hand.
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (std::error_code error; !folder.empty() && !std::filesystem::is_directory(folder, error)) {
      throw UserError(
          fmt::format("cannot write {}: there is no folder {}", in_quotes(file), in_quotes(folder.string())));
    }
    write_file_atomically(file, text);
    return std::string();
  });
}

}  // namespace

void add_set_up(TextProtocol& protocol, GtpGame& game) {
  add_handicaps(protocol, game);
  add_positions(protocol, game);
  add_records(protocol, game);
}

}  // namespace koridor::cli
