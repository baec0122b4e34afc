#include "cli/engine/analyze_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/engine/gtp_game.h"
#include "core/base/error.h"
#include "core/words.h"
#include "selfplay/matches/interval.h"

namespace koridor::cli {
namespace {

constexpr int kLongestInterval = 360'000;  // centiseconds

bool truth(const std::string& text, std::string_view what) {
  const std::string word = lower_case(text);
  if (word != "true" && word != "false") {
    throw UserError(fmt::format("syntax error: {} is true or false, not {}", what, in_quotes(text)));
  }
  return word == "true";
}

void set_interval(AnalyzeRequest& request, const std::string& text) {
  request.seconds = std::max(number_argument(text, 0, kLongestInterval, "interval"), 1) / 100.0;
}

void set_key(AnalyzeRequest& request, const std::string& key, const std::string& value) {
  constexpr int kMostMoves = 1000;
  constexpr std::array<std::string_view, 4> kWithoutEffect = {"pvVisits", "movesOwnership", "ownershipStdev",
                                                              "noMoveInfo"};
  if (key == "interval")
    set_interval(request, value);
  else if (key == "minmoves")
    request.least_moves = number_argument(value, 0, kMostMoves, key);
  else if (key == "maxmoves")
    request.most_moves = std::max(number_argument(value, 0, kMostMoves, key), 1);
  else if (key == "ownership")
    request.ownership = truth(value, key);
  else if (key == "rootinfo")
    request.root = truth(value, key);
  else if (std::ranges::any_of(kWithoutEffect, [&](std::string_view name) { return key == lower_case(name); }))
    truth(value, key);  // what they ask for is not known here
  else if (key == "avoid" || key == "allow")
    throw UserError(fmt::format("{} is not known here: every legal move is searched", key));
  else
    throw UserError(
        fmt::format("syntax error: unknown key {}; the keys are interval, minmoves, maxmoves, ownership, "
                    "rootInfo, and without effect {}",
                    in_quotes(key), fmt::join(kWithoutEffect, ", ")));
}

}  // namespace

AnalyzeRequest read_analyze_request(TextProtocol::Arguments arguments) {
  AnalyzeRequest request;
  std::size_t at = 0;
  if (at < arguments.size()) {
    if (const auto colour = parse_colour(arguments[at])) {
      request.colour = static_cast<int>(*colour);
      ++at;
    }
  }
  if (at < arguments.size() && arguments[at].find_first_not_of("0123456789") == std::string::npos) {
    set_interval(request, arguments[at++]);
  }
  for (; at < arguments.size(); at += 2) {
    const std::string key = lower_case(arguments[at]);
    if (at + 1 == arguments.size()) throw UserError(fmt::format("syntax error: {} lacks its value", in_quotes(key)));
    set_key(request, key, arguments[at + 1]);
  }
  return request;
}

std::string analyze_line(const Analysis& analysis, const AnalyzeRequest& request, AnalyzeForm form) {
  const double root = analysis.values[static_cast<std::size_t>(analysis.seat)];
  std::string line;
  int order = 0;
  for (const Candidate& candidate : analysis.candidates) {
    if (order >= request.most_moves || (candidate.visits == 0 && order >= std::max(request.least_moves, 1))) continue;
    // A move without visits is worth what the position is worth.
    const double value = candidate.visits == 0 && !candidate.proven ? root : candidate.value;
    const double low = candidate.proven ? value : wilson_interval(value, candidate.visits).low;
    if (form == AnalyzeForm::leela) {
      line += fmt::format("info move {} visits {} winrate {:.0f} prior {:.0f} lcb {:.0f} order {} pv {} ",
                          candidate.text, candidate.visits, 10'000 * value, 10'000 * candidate.prior, 10'000 * low,
                          order, fmt::join(candidate.line, " "));
    } else {
      line += fmt::format(
          "info move {} visits {} utility {:.6g} winrate {:.6g} prior {:.6g} lcb {:.6g} utilityLcb {:.6g} weight {} "
          "order {} pv {} ",
          candidate.text, candidate.visits, 2 * value - 1, value, candidate.prior, low, 2 * low - 1, candidate.visits,
          order, fmt::join(candidate.line, " "));
    }
    ++order;
  }
  if (form == AnalyzeForm::kata && request.root) {
    line += fmt::format("rootInfo visits {} utility {:.6g} winrate {:.6g} rawWinrate {:.6g} ", analysis.nodes,
                        2 * root - 1, root, analysis.raw_values[static_cast<std::size_t>(analysis.seat)]);
  }
  if (form == AnalyzeForm::kata && !analysis.ownership.empty()) {
    line += "ownership ";
    const float sign = analysis.seat == 0 ? 1.0f : -1.0f;
    for (const float owner : analysis.ownership) line += fmt::format("{:.4g} ", sign * owner);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace koridor::cli
