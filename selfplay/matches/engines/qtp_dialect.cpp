#include "selfplay/matches/engines/qtp_dialect.h"

#include <fmt/format.h>

#include <utility>

namespace koridor {

std::string QtpDialect::colour(int seat) const {
  return description().words.player(seat, game().players);
}

std::vector<Exchange> QtpDialect::new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                           const EngineFeatures& features) {
  std::vector<Exchange> result;
  if (features.commands.contains("variant")) {
    result.push_back(command("variant " + game().variant));
  } else {
    result.push_back(command(game().columns == game().rows
                                 ? fmt::format("boardsize {}", game().columns)
                                 : fmt::format("boardsize {} {}", game().columns, game().rows)));
    result.push_back(command(fmt::format("walls {}", game().walls)));
  }
  result.push_back(command("clear_board"));
  add_time_settings(time, features, result);
  for (const EngineMove& move : moves) {
    for (Exchange& exchange : play(move, false, features)) result.push_back(std::move(exchange));
  }
  return result;
}

std::vector<Exchange> QtpDialect::play(const EngineMove& move, bool its_own, const EngineFeatures& features) {
  if (its_own) return {};  // genmove has played it
  const std::string who = colour(move.seat);
  if (features.commands.contains("play")) return {command(fmt::format("play {} {}", who, move.text))};
  const char last = move.text.empty() ? ' ' : move.text.back();
  if (last != 'h' && last != 'v') return {command(fmt::format("playmove {} {}", who, move.text))};
  return {command(fmt::format("playwall {} {} {}", who, move.text.substr(0, move.text.size() - 1),
                              last == 'h' ? "horizontal" : "vertical"))};
}

std::vector<Exchange> QtpDialect::choose(const EngineTurn& turn, const EngineFeatures& features) const {
  std::vector<Exchange> result;
  add_time_left(turn, features, result);
  Exchange genmove = command("genmove " + colour(turn.seat));
  genmove.chooses = true;
  result.push_back(std::move(genmove));
  return result;
}

}  // namespace koridor
