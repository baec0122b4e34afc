#include "cli/engine/gtp.h"

#include <fmt/format.h>

#include <utility>

#include "cli/engine/gtp_game.h"
#include "cli/engine/text_commands.h"
#include "cli/engine/time_commands.h"
#include "core/base/error.h"
#include "core/go/named_rules.h"

namespace koridor::cli {
namespace {

// A side of the board; 0 for a number that no board has.
int side_of(const std::string& text) {
  const int side = number_argument(text, 0, kMostCount, "side of a board");
  return side <= go::kMaxSide ? side : 0;
}

class Gtp final : public TextProtocol {
 public:
  explicit Gtp(Engine& engine) : TextProtocol(engine), game_(engine) {
    add_board();
    add_rules();
    add_moves(*this, game_);
    add_set_up(*this, game_);
    add_judgement(*this, game_);
    add_time_commands(*this, [this](const std::string& text) { return game_.colour(text); });
  }

 private:
  void add_board() {
    add_text("boardsize", [this](Arguments arguments) {
      require_arguments(arguments, 1, 2, "boardsize SIZE");
      return resize(side_of(arguments.front()), side_of(arguments.back()));
    });
    add_text("rectangular_boardsize", [this](Arguments arguments) {
      require_arguments(arguments, 2, 2, "rectangular_boardsize COLUMNS ROWS");
      return resize(side_of(arguments[0]), side_of(arguments[1]));
    });
    add_text("query_boardsize", [this](Arguments) { return std::to_string(rules().rows); });
    add_text("clear_board", [this](Arguments) {
      go::Rules plain = rules();
      plain.handicap = 0;
      game_.begin(plain);
      return std::string();
    });
    add_text("play", [this](Arguments arguments) {
      require_arguments(arguments, 2, 2, "play COLOUR VERTEX");
      play(game_.board(), game_.colour(arguments[0]), game_.vertex(arguments[1]));
      return std::string();
    });
    add_text("undo", [this](Arguments) { return undo(1); });
    add_text("gg-undo", [this](Arguments arguments) {
      require_arguments(arguments, 0, 1, "gg-undo [MOVES]");
      return undo(arguments.empty() ? 1 : number_argument(arguments[0], 1, kMostCount, "number of moves"));
    });
    add_text("gogui-play_sequence", [this](Arguments arguments) {
      if (arguments.size() % 2 != 0) throw UserError("syntax error: gogui-play_sequence [COLOUR VERTEX]...");
      GoBoard board = game_.board();
      for (std::size_t i = 0; i < arguments.size(); i += 2) {
        play(board, game_.colour(arguments[i]), game_.vertex(arguments[i + 1]));
      }
      game_.board() = std::move(board);
      return std::string();
    });
    add_text("is_legal", [this](Arguments arguments) {
      require_arguments(arguments, 2, 2, "is_legal COLOUR VERTEX");
      GoBoard board = game_.board();
      return std::string(board.play(game_.colour(arguments[0]), game_.vertex(arguments[1])) ? "0" : "1");
    });
    add_text("showboard", [this](Arguments) {
      const go::State& state = game_.board().position().state;
      return "\n" + game_.game().print_board(state, Notation::standard, false) +
             fmt::format("{}, komi {}, {} moves, {} to move", game_.game().name(),
                         go::komi_text(rules().half_points_of_komi), game_.board().moves().size(),
                         game_.game().seat_title(state.player));
    });
  }

  void add_rules() {
    add_text("komi", [this](Arguments arguments) {
      require_arguments(arguments, 1, 1, "komi NUMBER");
      go::Rules changed = rules();
      go::set_rule(changed, "komi", arguments[0]);
      return go_on_by(changed);
    });
    add_text("get_komi", [this](Arguments) { return go::komi_text(rules().half_points_of_komi); });
    const auto set_rules = [this](Arguments arguments) {
      require_arguments(arguments, 1, 1000, "kata-set-rules RULES");
      std::string text;
      for (const std::string& word : arguments) text += word + " ";
      return go_on_by(go::with_named_rules(rules(), text));
    };
    add_text("kata-set-rules", set_rules);
    add_text("kgs-rules", [this, set_rules](Arguments arguments) {
      if (arguments.size() == 1 && lower_case(arguments[0]) == "chinese") {
        return go_on_by(go::with_named_rules(rules(), "chinese-kgs"));
      }
      return set_rules(arguments);
    });
    add_text("kata-set-rule", [this](Arguments arguments) {
      require_arguments(arguments, 2, 2, "kata-set-rule RULE VALUE");
      return go_on_by(go::with_rule(rules(), arguments[0], arguments[1]));
    });
    add_text("kata-get-rules", [this](Arguments) { return go::rules_text(rules()); });
  }

  const go::Rules& rules() const { return game_.game().rules(); }

  std::string go_on_by(const go::Rules& changed) {
    if (!(changed == rules())) game_.go_on_by(changed);
    return {};
  }

  std::string resize(int columns, int rows) {
    if (columns < 1 || rows < 1) throw UserError("unacceptable size");
    go::Rules sized = rules();
    sized.columns = columns;
    sized.rows = rows;
    sized.handicap = 0;
    sized.max_plies = 0;
    game_.begin(sized);
    return {};
  }

  static void play(GoBoard& board, int colour, Action action) {
    if (const auto refusal = board.play(colour, action)) throw UserError(fmt::format("illegal move: {}", *refusal));
  }

  std::string undo(int moves) {
    if (moves < 1 || !game_.board().undo(moves)) throw UserError("cannot undo");
    return {};
  }

  GtpGame game_;
};

}  // namespace

std::unique_ptr<Protocol> make_gtp(Engine& engine) {
  return std::make_unique<Gtp>(engine);
}

}  // namespace koridor::cli
