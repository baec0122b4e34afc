// The commands of GTP that judge the position: score, status of stones, and figures that GoGui draws on its board.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/engine/gtp_game.h"
#include "core/base/error.h"
#include "core/go/count.h"

namespace koridor::cli {
namespace {

using Arguments = TextProtocol::Arguments;

// Names on one line.
std::string names_of(const GtpGame& game, const std::vector<Action>& points) {
  std::vector<std::string> names;
  for (const Action point : points) names.push_back(game.name(point));
  return fmt::format("{}", fmt::join(names, " "));
}

// The chains that are dead, or the others, one on each line.
std::string chains(const GtpGame& game, bool dead_ones) {
  const std::vector<Action>& dead = game.dead();
  std::vector<std::string> lines;
  for (int i = 0; i + 1 < game.game().num_actions(); ++i) {
    const Action point{static_cast<std::uint16_t>(i)};
    const std::vector<Action> chain = go::chain_at(game.game(), game.board().position().state, point);
    if (chain.empty() || chain.front() != point) continue;
    if (std::ranges::binary_search(dead, point) == dead_ones) lines.push_back(names_of(game, chain));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// The points without a living stone that black (1), white (0) or nobody (0.5) owns.
std::string territory(const GtpGame& game, float owner) {
  const go::State state = go::without_stones(game.game(), game.board().position().state, game.dead());
  std::vector<float> owners(static_cast<std::size_t>(game.game().geometry().area()));
  game.game().ownership(state, 0, owners);
  std::vector<Action> points;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const int point = game.game().geometry().point[i];
    const bool empty = !state.has_stone(0, point) && !state.has_stone(1, point);
    if (empty && owners[i] == owner) points.push_back(Action{static_cast<std::uint16_t>(i)});
  }
  return names_of(game, points);
}

std::string status_list(const GtpGame& game, Arguments arguments) {
  constexpr std::string_view kUsage =
      "final_status_list alive | dead | seki | black_territory | white_territory | dame";
  require_arguments(arguments, 1, 1, kUsage);
  const std::string& status = arguments[0];
  if (status == "alive") return chains(game, false);
  if (status == "dead") return chains(game, true);
  if (status == "seki") return {};  // stones in seki count as alive
  if (status == "black_territory") return territory(game, 1.0f);
  if (status == "white_territory") return territory(game, 0.0f);
  if (status == "dame") return territory(game, 0.5f);
  throw UserError(fmt::format("syntax error: {} is no status: {}", in_quotes(status), kUsage));
}

// Rows from the top, as GoGui's "dboard" reads them: 1 black's, -1 white's.
std::string owners_board(const GtpGame& game) {
  const std::vector<float> owners = game.owners();
  const auto columns = static_cast<std::size_t>(game.game().rules().columns);
  std::string text;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    text += fmt::format("{:.3f}{}", 2 * owners[i] - 1, (i + 1) % columns == 0 ? "\n" : " ");
  }
  return text;
}

// What one evaluation of the position says, as text made by `show`.
template <class Show>
std::string evaluated(GtpGame& game, const Show& show) {
  std::string text;
  std::string why_not;
  game.prepare_search(game.board().position().state.player);
  game.engine().search({.visits = 1}, {.done = [&](const Analysis* result, const std::string& error) {
                         (result == nullptr ? why_not : text) = result == nullptr ? error : show(*result);
                       }});
  game.engine().wait();
  if (!why_not.empty()) throw UserError(why_not);
  return text;
}

void add_figures(TextProtocol& protocol, GtpGame& game) {
  protocol.add_text("gogui-analyze_commands", [](Arguments) {
    return std::string(
        "dboard/Ownership/koridor-ownership\n"
        "pspairs/Policy/koridor-policy\n"
        "string/Value of the network/koridor-value\n"
        "string/Final score/final_score\n"
        "plist/Dead stones/final_status_list dead\n"
        "plist/Black territory/final_status_list black_territory\n"
        "plist/White territory/final_status_list white_territory\n"
        "plist/Legal points/all_legal %c\n"
        "string/Rules/kata-get-rules\n"
        "string/Board/showboard");
  });
  protocol.add_text("koridor-ownership", [&game](Arguments) { return owners_board(game); });
  protocol.add_text("koridor-policy", [&game](Arguments) {
    return evaluated(game, [](const Analysis& analysis) {
      std::string pairs;
      for (const Candidate& candidate : analysis.candidates) {
        if (candidate.prior >= 0.005f) pairs += fmt::format("{} {:.0f} ", candidate.text, 100 * candidate.prior);
      }
      return pairs;
    });
  });
  protocol.add_text("koridor-value", [&game](Arguments) {
    return evaluated(game, [](const Analysis& analysis) {
      return fmt::format("black {:.3f} white {:.3f}", analysis.raw_values[0], analysis.raw_values[1]);
    });
  });
  protocol.add_text("all_legal", [&game](Arguments arguments) {
    require_arguments(arguments, 1, 1, "all_legal COLOUR");
    GoBoard board = game.board();
    board.hand_to(game.colour(arguments[0]));
    ActionMask legal;
    game.game().legal_actions(board.position().state, board.position().history, legal);
    std::vector<Action> points;
    legal.for_each([&](Action action) {
      if (index(action) + 1 != game.game().num_actions()) points.push_back(action);
    });
    return names_of(game, points);
  });
}

}  // namespace

void add_judgement(TextProtocol& protocol, GtpGame& game) {
  protocol.add_text("final_score", [&game](Arguments) {
    return go::count_result(game.game(), go::without_stones(game.game(), game.board().position().state, game.dead()));
  });
  protocol.add_text("final_status_list", [&game](Arguments arguments) { return status_list(game, arguments); });
  protocol.add_text("final_status", [&game](Arguments arguments) {
    require_arguments(arguments, 1, 1, "final_status VERTEX");
    const Action point = game.vertex(arguments[0]);
    if (index(point) == game.game().num_actions() - 1) throw UserError("syntax error: a pass is no point");
    const std::vector<Action>& dead = game.dead();
    if (!go::chain_at(game.game(), game.board().position().state, point).empty()) {
      return std::string(std::ranges::binary_search(dead, point) ? "dead" : "alive");
    }
    for (const auto& [owner, name] : {std::pair(1.0f, "black_territory"), std::pair(0.0f, "white_territory")}) {
      const std::string points = " " + territory(game, owner) + " ";
      if (points.find(" " + game.name(point) + " ") != std::string::npos) return std::string(name);
    }
    return std::string("dame");
  });
  add_figures(protocol, game);
}

}  // namespace koridor::cli
