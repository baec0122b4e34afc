#include "cli/engine/qtp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/engine/text_commands.h"
#include "cli/engine/time_commands.h"
#include "core/base/error.h"
#include "core/wall/protocol_words.h"
#include "core/words.h"

namespace koridor::cli {
namespace {

class Qtp final : public TextProtocol {
 public:
  explicit Qtp(Engine& engine) : TextProtocol(engine) {
    const EngineSettings& settings = engine.settings();
    words_.naming = settings.naming.value_or(Naming::qtp);
    words_.first = settings.first.value_or(Colour::black);
    use_words();
    add_game_commands();
    add_play_commands();
    add_time_commands(*this, [this](const std::string& word) { return words_.seat(word, session().players()); });
  }
  ~Qtp() override { engine().stop(); }
  Qtp(const Qtp&) = delete;
  Qtp& operator=(const Qtp&) = delete;

 private:
  // Lets the session read and write by the words, in further games as well.
  void use_words() {
    engine().settings().notation = words_.notation();
    session().set_notation(words_.notation());
  }

  void add_game_commands() {
    add_text("boardsize", [this](Arguments arguments) { return set_board_size(arguments); });
    add_text("walls", [this](Arguments arguments) {
      require_arguments(arguments, 1, 1, "walls NUMBER");
      number_argument(arguments[0], 0, kMostCount, "number of walls");
      return set_rules({"walls=" + arguments[0]}, "unacceptable number of walls");
    });
    add_text("variant", [this](Arguments arguments) { return set_variant(arguments); });
    add_text("clear_board", [this](Arguments) {
      restart();
      return std::string();
    });
    add_text("notation", [this](Arguments arguments) {
      require_arguments(arguments, 1, 1, "notation standard, modern or qtp");
      words_.naming = parse_naming(arguments[0]);
      use_words();
      return std::string();
    });
    add_text("showboard", [this](Arguments) { return "\n" + session().board(false); });
    add_text("all_legal", [this](Arguments) {
      std::vector<std::string> actions;  // with a space in them, so that each has a line
      for (const std::string& action : session().legal_texts()) actions.push_back(written(action));
      return fmt::format("{}", fmt::join(actions, "\n"));
    });
    add_text("mover", [this](Arguments) {
      const bool over = session().outcome().over();
      return over ? std::string("none") : words_.player(session().seat_to_move(), session().players());
    });
    add_text("winner", [this](Arguments) { return winner(); });
  }

  void add_play_commands() {
    add_text("playmove", [this](Arguments arguments) {
      require_arguments(arguments, 2, 2, "playmove COLOUR SQUARE");
      return play(arguments[0], arguments[1]);
    });
    add_text("playwall", [this](Arguments arguments) {
      require_arguments(arguments, 2, 3, "playwall COLOUR SQUARE ORIENTATION");
      return play_wall(arguments);
    });
    add_text("play", [this](Arguments arguments) {
      require_arguments(arguments, 2, 3, "play COLOUR ACTION");
      return play(arguments[0], fmt::format("{}", fmt::join(arguments.subspan(1), " ")));
    });
    add("genmove", [this](Arguments arguments, const Reply& reply) {
      require_arguments(arguments, 1, 1, "genmove COLOUR");
      generate(arguments[0], reply);
    });
    add_text("undo", [this](Arguments arguments) {
      require_arguments(arguments, 0, 1, "undo [NUMBER]");
      const int plies = arguments.empty() ? 1 : number_argument(arguments[0], 1, kMostCount, "number of actions");
      if (!session().undo(plies)) throw UserError("cannot undo");
      return std::string();
    });
  }

  // Begins a game of the present rules with these changed.
  std::string set_rules(const std::vector<std::string>& changes, std::string_view complaint) {
    const std::string before = session().variant();
    try {
      const AnyGame game = parse_game(before, changes);
      begin(game);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: {}", complaint, error.what()));
    }
    return {};
  }
  std::string set_board_size(Arguments arguments) {
    require_arguments(arguments, 1, 2, "boardsize COLUMNS [ROWS]");
    const int columns = number_argument(arguments[0], 0, kMostCount, "number of columns");
    const int rows = arguments.size() == 1 ? columns : number_argument(arguments[1], 0, kMostCount, "number of rows");
    return set_rules({fmt::format("columns={}", columns), fmt::format("rows={}", rows)}, "unacceptable size");
  }
  std::string set_variant(Arguments arguments) {
    require_arguments(arguments, 0, 1, "variant [GAME]");
    if (arguments.empty()) return session().variant();
    const AnyGame game = parse_game(arguments[0]);
    if (!std::holds_alternative<wall::WallGame>(game)) {
      throw UserError(fmt::format("{} is no wall game", in_quotes(arguments[0])));
    }
    begin(game);
    return {};
  }
  // A game that is the present one only starts again, which keeps what the model has prepared for it.
  void begin(const AnyGame& game) {
    if (name_of(game) == session().variant()) {
      restart();
    } else {
      engine().set_game(game);
    }
  }

  // The same game again.
  void restart() {
    session().restart();
    engine().clocks().restart(session().players());
    engine().forget_turns();
  }

  // The seat of a player who is to move. Whoever is named first of all moves first, unless the settings say who does.
  int mover(const std::string& word) {
    const int players = session().players();
    int seat = words_.seat(word, players);
    if (session().outcome().over()) throw UserError("illegal move: the game is over");
    if (session().ply() == 0 && seat != 0 && !engine().settings().first && parse_colour(word)) {
      words_.first = *parse_colour(word);
      use_words();
      swap_clocks();
      seat = 0;
    }
    if (const int due = session().seat_to_move(); seat != due) {
      throw UserError(fmt::format("illegal move: {} is to move", words_.player(due, players)));
    }
    return seat;
  }

  // Their times were told by colour, and the colours have changed seats. Two players.
  void swap_clocks() { std::swap(engine().clocks().of(0), engine().clocks().of(1)); }

  // Calls it. Where it throws, who is who stays as it was: a line that is refused changes nothing.
  template <class Call>
  void or_keep_words(const Call& call) {
    const WallWords before = words_;
    try {
      call();
    } catch (...) {
      if (words_.first != before.first) swap_clocks();
      words_ = before;
      use_words();
      throw;
    }
  }

  std::string play(const std::string& player, const std::string& action) {
    or_keep_words([&] {
      mover(player);
      if (const auto refusal = session().play(words_.read(action))) {
        throw UserError("illegal move: " + words_.write_walls(refusal->text()));
      }
    });
    return {};
  }
  std::string play_wall(Arguments arguments) {
    const std::string wall = fmt::format("{}", fmt::join(arguments.subspan(1), " "));
    const auto parts = parts_of(wall);
    if (!parts || parts->size() != 3) throw UserError("syntax error: playwall COLOUR SQUARE ORIENTATION");
    return play(arguments[0], wall);
  }

  void generate(const std::string& player, const Reply& reply) {
    or_keep_words([&] { search_for(mover(player), reply); });
  }
  void search_for(int seat, const Reply& reply) {
    const Stopwatch watch;
    const auto done = [this, reply, seat, watch](const Analysis* result, const std::string& error) {
      if (result == nullptr) {
        reply.failure(error);
        return;
      }
      if (engine().resigns(seat, session().ply(), *result)) {
        reply.success("resign");
        return;
      }
      const Action action = engine().choose(*result);
      const std::string answer = written(session().text(action));
      session().play(action);
      engine().clocks().of(seat).spend(watch.seconds());
      reply.success(answer);
      if (!session().outcome().over() && session().seat_to_move() != seat) engine().ponder();
    };
    search(engine().move_limits(seat), {.done = done}, false);
  }
  // As QTP writes it: "E8", "E4 horizontal"; in the other notations "e8", "e3 horizontal".
  std::string written(const std::string& action) const {
    std::string text = words_.write(action);
    std::string orientation;
    if (const auto parts = parts_of(text); parts && parts->size() == 3) {
      orientation = text.back() == 'h' ? " horizontal" : " vertical";
      text.pop_back();
    }
    return (words_.naming == Naming::qtp ? upper_case(text) : text) + orientation;
  }

  std::string winner() {
    const Outcome outcome = session().outcome();
    if (!outcome.over()) return "false";
    if (outcome.kind == Outcome::Kind::draw) return "true draw";
    return "true " + words_.player(outcome.winner, session().players());
  }

  WallWords words_;
};

}  // namespace

std::unique_ptr<Protocol> make_qtp(Engine& engine) {
  return std::make_unique<Qtp>(engine);
}

}  // namespace koridor::cli
