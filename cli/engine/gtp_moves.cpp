// The commands of GTP that search: genmove and its kin, and analysis.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cli/engine/analyze_text.h"
#include "cli/engine/gtp_game.h"
#include "core/base/error.h"

namespace koridor::cli {
namespace {

using Arguments = TextProtocol::Arguments;

constexpr int kShownLines = 64;  // candidates with their line of play

struct MoveRequest {
  int colour = 0;
  bool play = true;                   // else the move is only named
  bool clean_up = false;              // no pass while dead stones of the opponent are on the board
  std::optional<AnalyzeForm> form{};  // of the lines on the way; nothing: none
  AnalyzeRequest lines{};
};

// Whether a game that the rules know for won stays so by this move; true where it is not known for won.
bool keeps_won_game(const go::GoGame& game, const Position<go::GoGame>& position, Action action) {
  NoKnowledge nothing{game};
  const auto before = game.known_value(position.state, position.history, nothing);
  if (!before) return true;
  Position<go::GoGame> after = position;
  after.apply(game, action);
  const auto then = game.known_value(after.state, after.history, nothing);
  return then && then->values == before->values;
}

// The move after a search: what the engine chooses. In a clean-up under territory scoring it does not pass as long as
// dead stones of the opponent are there, but takes one of their liberties: the likeliest one that gives away no game
// that is won for sure. Area scoring counts what stands on the board, so that the search itself takes dead stones off
// where that matters.
Action move_of(GtpGame& game, const MoveRequest& request, const Analysis& analysis) {
  const Action chosen = game.engine().choose(analysis);
  const go::Geometry& geometry = game.game().geometry();
  if (!request.clean_up || chosen != geometry.pass() || game.game().rules().scoring == go::Scoring::area) return chosen;
  const Position<go::GoGame>& position = game.board().position();
  std::vector<int> dead;
  for (const Action stone : game.dead()) {
    const int point = geometry.point[static_cast<std::size_t>(index(stone))];
    if (position.state.has_stone(request.colour ^ 1, point)) dead.push_back(point);
  }
  const auto takes_liberty = [&](const Candidate& candidate) {
    if (candidate.action == geometry.pass()) return false;
    const int point = geometry.point[static_cast<std::size_t>(index(candidate.action))];
    const auto is_beside = [&](int stone) {
      return std::abs(stone - point) == 1 || std::abs(stone - point) == geometry.stride;
    };
    return std::ranges::any_of(dead, is_beside) && keeps_won_game(game.game(), position, candidate.action);
  };
  const auto found = std::ranges::find_if(analysis.candidates, takes_liberty);
  return found == analysis.candidates.end() ? chosen : found->action;
}

// The search for a move has ended.
void answer_move(GtpGame& game, const MoveRequest& request, const Reply& reply, const Analysis* result,
                 const std::string& error) {
  if (result == nullptr) {
    if (!request.form) return reply.failure(error);
    reply.line(error);
    return reply.finish();
  }
  std::string text = "resign";
  const bool resigned =
      request.play &&
      game.engine().resigns(request.colour, static_cast<int>(std::ssize(game.board().moves())), *result);
  if (!resigned) {
    const Action action = move_of(game, request, *result);
    text = game.name(action);
    if (request.play) {
      game.engine().clocks().of(request.colour).spend(result->seconds);
      game.play_found(request.colour, action);
    }
  }
  if (request.form) {
    reply.line("play " + text);
    reply.finish();
  } else {
    reply.success(text);
  }
  if (request.play && !resigned && !game.engine().session().outcome().over()) game.engine().ponder();
}

void start_move(TextProtocol& protocol, GtpGame& game, const MoveRequest& request, const Reply& reply) {
  game.prepare_search(request.colour);
  SessionLimits limits = game.engine().move_limits(request.colour);
  SearchListener listener;
  if (request.form) {
    limits.lines = kShownLines;
    limits.ownership = request.lines.ownership;
    limits.report_seconds = request.lines.seconds;
    listener.progress = [reply, request](const Analysis& analysis) {
      reply.line(analyze_line(analysis, request.lines, *request.form));
    };
    reply.begin();
  }
  listener.done = [&game, request, reply, progress = listener.progress](const Analysis* result,
                                                                        const std::string& error) {
    if (result != nullptr && progress) progress(*result);
    answer_move(game, request, reply, result, error);
  };
  protocol.search(limits, std::move(listener), false);
}

int colour_to_move(const GtpGame& game) {
  return game.board().position().state.player;
}

void add_genmove(TextProtocol& protocol, GtpGame& game, const std::string& name, bool play, bool clean_up) {
  protocol.add(name, [&, name, play, clean_up](Arguments arguments, const Reply& reply) {
    require_arguments(arguments, 1, 1, name + " COLOUR");
    if (!play) game.forget_search();  // the same move whatever was searched before
    start_move(protocol, game, {.colour = game.colour(arguments[0]), .play = play, .clean_up = clean_up}, reply);
  });
}

void add_genmove_analyze(TextProtocol& protocol, GtpGame& game, const std::string& name, AnalyzeForm form) {
  protocol.add(name, [&, form](Arguments arguments, const Reply& reply) {
    const AnalyzeRequest lines = read_analyze_request(arguments);
    start_move(protocol, game, {.colour = lines.colour.value_or(colour_to_move(game)), .form = form, .lines = lines},
               reply);
  });
}

void add_analyze(TextProtocol& protocol, GtpGame& game, const std::string& name, AnalyzeForm form) {
  protocol.add(name, [&, form](Arguments arguments, const Reply& reply) {
    const AnalyzeRequest request = read_analyze_request(arguments);
    game.prepare_search(request.colour.value_or(colour_to_move(game)));
    reply.begin();
    const SessionLimits limits{.visits = 0,
                               .infinite = true,
                               .lines = kShownLines,
                               .ownership = request.ownership,
                               .report_seconds = request.seconds};
    protocol.search(limits,
                    {.progress = [reply, request, form](
                                     const Analysis& analysis) { reply.line(analyze_line(analysis, request, form)); },
                     .done =
                         [reply](const Analysis* result, const std::string& error) {
                           if (result == nullptr) reply.line(error);
                           reply.finish();
                         }},
                    true);
  });
}

}  // namespace

void add_moves(TextProtocol& protocol, GtpGame& game) {
  add_genmove(protocol, game, "genmove", true, false);
  add_genmove(protocol, game, "reg_genmove", false, false);
  add_genmove(protocol, game, "kgs-genmove_cleanup", true, true);
  add_genmove_analyze(protocol, game, "lz-genmove_analyze", AnalyzeForm::leela);
  add_genmove_analyze(protocol, game, "kata-genmove_analyze", AnalyzeForm::kata);
  add_analyze(protocol, game, "lz-analyze", AnalyzeForm::leela);
  add_analyze(protocol, game, "kata-analyze", AnalyzeForm::kata);
  // Any command ends a search, and these do nothing else.
  protocol.add_text("stop", [](Arguments) { return std::string(); });
  protocol.add_text("gogui-interrupt", [](Arguments) { return std::string(); });
  protocol.add_text("clear_cache", [&game](Arguments) {
    game.forget_search();
    return std::string();
  });
}

}  // namespace koridor::cli
