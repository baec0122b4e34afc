#include "selfplay/matches/engines/gtp_dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "core/base/text.h"
#include "core/search/pace.h"

namespace koridor {
namespace {

bool knows(const EngineFeatures& features, std::string_view command) {
  return features.commands.find(command) != features.commands.end();
}

}  // namespace

std::string gtp_seconds(double seconds) {
  constexpr double kEnough = 10;  // from here on a second more or less decides nothing
  // A time of 0 means that there is none.
  const double hundredths = seconds > 0 ? std::max(std::floor(seconds * 100) / 100, 0.01) : 0;
  if (seconds >= kEnough || hundredths == std::floor(hundredths)) return fmt::format("{:.0f}", std::floor(seconds));
  return fmt::format("{:.2f}", hundredths);
}

Exchange CommandDialect::wish(std::string line) {
  Exchange exchange = command(std::move(line));
  exchange.needed = false;
  return exchange;
}

std::vector<Exchange> CommandDialect::introduce() const {
  return {wish("list_commands")};
}

void CommandDialect::learn(const Exchange& asked, std::string_view reply, EngineFeatures& features) const {
  if (asked.line != "list_commands") return;
  std::istringstream words{std::string(reply)};
  for (std::string word; words >> word;) features.commands.insert(word);
}

std::vector<Exchange> CommandDialect::start(const EngineFeatures&) const {
  std::vector<Exchange> result;
  for (const std::string& line : description_->commands) result.push_back(command(line));
  return result;
}

std::string CommandDialect::choice(std::string_view reply) const {
  return std::string(trimmed(reply));
}

void CommandDialect::add_time_settings(const TimeControl& time, const EngineFeatures& features,
                                       std::vector<Exchange>& out) const {
  const double margin = description_->margin;
  if (time.none()) {
    if (description_->seconds > 0 && knows(features, "time_settings")) {
      out.push_back(wish("time_settings 0 " + gtp_seconds(description_->seconds) + " 1"));
    }
    return;
  }
  if (time.periods > 0 && time.move <= 0 && knows(features, "kgs-time_settings")) {
    out.push_back(wish(fmt::format("kgs-time_settings byoyomi {} {} {}", gtp_seconds(time.main),
                                   gtp_seconds(without_margin(time.period, margin)), time.periods)));
    return;
  }
  if (!knows(features, "time_settings")) return;
  // What the protocol cannot say, time_left says before each action: increments, and two limits at once.
  double main = time.main;
  double period = time.period;
  int stones = time.stones;
  if (time.periods > 0) stones = 1;
  if (time.session > 0) {
    main = 0;
    period = time.main;
    stones = time.session;
  }
  if (time.move > 0) {
    main = 0;
    period = time.move;
    stones = 1;
  }
  out.push_back(wish(fmt::format("time_settings {} {} {}", gtp_seconds(main),
                                 gtp_seconds(period > 0 ? without_margin(period, margin) : 0), stones)));
}

void CommandDialect::add_time_left(const EngineTurn& turn, const EngineFeatures& features,
                                   std::vector<Exchange>& out) const {
  if (turn.clocks.empty() || !knows(features, "time_left")) return;
  const double margin = turn.margin;
  for (int seat = 0; seat < static_cast<int>(turn.clocks.size()); ++seat) {
    const GameClock& clock = turn.clocks[static_cast<std::size_t>(seat)];
    double seconds = clock.main_left();
    int stones = clock.moves_to_go();
    if (clock.in_byo_yomi()) {
      seconds = clock.period_left();
      stones = clock.periods_left() > 0 ? clock.periods_left() : clock.stones_left();
      // An engine that was told of Canadian byo-yomi of one stone knows nothing of further periods.
      if (clock.periods_left() > 0 && !knows(features, "kgs-time_settings")) stones = 1;
    }
    if (clock.control().move > 0 && clock.control().move < seconds / std::max(1, stones)) {
      seconds = clock.control().move;
      stones = 1;
    }
    if (!std::isfinite(seconds)) continue;
    out.push_back(
        wish(fmt::format("time_left {} {} {}", colour(seat), gtp_seconds(without_margin(seconds, margin)), stones)));
  }
}

std::vector<Exchange> GtpDialect::new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                           const EngineFeatures& features) {
  std::vector<Exchange> result;
  result.push_back(command(game().columns == game().rows
                               ? fmt::format("boardsize {}", game().columns)
                               : fmt::format("rectangular_boardsize {} {}", game().columns, game().rows)));
  result.push_back(command("clear_board"));
  if (knows(features, "kata-set-rules")) result.push_back(wish("kata-set-rules " + game().ruleset));
  result.push_back(command("komi " + game().komi));
  add_time_settings(time, features, result);
  if (game().handicap.size() > 1 && knows(features, "set_free_handicap")) {
    result.push_back(command(fmt::format("set_free_handicap {}", fmt::join(game().handicap, " "))));
  } else {
    for (const std::string& point : game().handicap) result.push_back(command("play B " + point));
  }
  for (const EngineMove& move : moves) {
    for (Exchange& exchange : play(move, false, features)) result.push_back(std::move(exchange));
  }
  return result;
}

std::vector<Exchange> GtpDialect::play(const EngineMove& move, bool its_own, const EngineFeatures&) {
  if (its_own) return {};  // genmove has played it
  return {command(fmt::format("play {} {}", colour(move.seat), move.text))};
}

std::vector<Exchange> GtpDialect::choose(const EngineTurn& turn, const EngineFeatures& features) const {
  std::vector<Exchange> result;
  add_time_left(turn, features, result);
  // An engine that can be told the rules knows by them that dead stones count.
  const bool cleanup = turn.to_the_end && knows(features, "kgs-genmove_cleanup") && !knows(features, "kata-set-rules");
  Exchange genmove = command((cleanup ? "kgs-genmove_cleanup " : "genmove ") + colour(turn.seat));
  genmove.chooses = true;
  result.push_back(std::move(genmove));
  return result;
}

}  // namespace koridor
