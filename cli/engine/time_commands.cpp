#include "cli/engine/time_commands.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/words.h"

namespace koridor::cli {
namespace {

double seconds_of(const std::string& text) {
  if (const auto seconds = read_number<double>(text, 0, TimeControl::kLongest)) return *seconds;
  throw UserError(fmt::format("syntax error: {} is no time; it is a number of seconds from 0 to {:.0f}",
                              in_quotes(text), TimeControl::kLongest));
}

int count_of(const std::string& text) {
  return number_argument(text, 0, TimeControl::kMostActions, "count");
}

// Canadian byo-yomi. A period without stones stands for no limit at all, in the words of GTP.
TimeControl canadian(double main, double period, int stones) {
  if (period > 0 && stones == 0) return {};
  if (period <= 0) return {.main = main};
  return {.main = main, .period = period, .stones = stones};
}

TimeControl kgs_control(TextProtocol::Arguments arguments) {
  constexpr std::string_view kUsage =
      "kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES";
  require_arguments(arguments, 1, 4, kUsage);
  const std::string kind = lower_case(arguments[0]);
  const std::size_t more = arguments.size() - 1;
  if (kind == "none" && more == 0) return {};
  if (kind == "absolute" && more == 1) return {.main = seconds_of(arguments[1])};
  if ((kind != "byoyomi" && kind != "canadian") || more != 3) require_arguments(arguments, 5, 5, kUsage);
  const double main = seconds_of(arguments[1]);
  const double period = seconds_of(arguments[2]);
  const int count = count_of(arguments[3]);
  if (kind == "canadian") return canadian(main, period, count);
  if (period <= 0 || count == 0) return {.main = main};
  return {.main = main, .period = period, .periods = count};
}

}  // namespace

void add_time_commands(TextProtocol& protocol, std::function<int(const std::string&)> seat_of) {
  using Arguments = TextProtocol::Arguments;
  Engine& engine = protocol.engine();
  protocol.add_text("time_settings", [&engine](Arguments arguments) {
    require_arguments(arguments, 3, 3, "time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES");
    engine.clocks().set(canadian(seconds_of(arguments[0]), seconds_of(arguments[1]), count_of(arguments[2])));
    return std::string();
  });
  for (const char* name : {"kgs-time_settings", "kgs-time-settings"}) {
    protocol.add_text(name, [&engine](Arguments arguments) {
      engine.clocks().set(kgs_control(arguments));
      return std::string();
    });
  }
  protocol.add_text("time_left", [&engine, seat_of = std::move(seat_of)](Arguments arguments) {
    require_arguments(arguments, 3, 3, "time_left COLOUR TIME STONES");
    const int seat = seat_of(arguments[0]);
    const double seconds = seconds_of(arguments[1]);
    const int stones = count_of(arguments[2]);
    GameClock& clock = engine.clocks().of(seat);
    if (stones == 0)
      clock.set_main_left(seconds);
    else
      clock.set_byo_yomi_left(seconds, stones);
    return std::string();
  });
}

}  // namespace koridor::cli
