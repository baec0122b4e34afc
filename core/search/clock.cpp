#include "core/search/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/words.h"

namespace koridor {
namespace {

// Reads one time control; every function throws what is wrong with a part of it.
class TimeControlReader {
 public:
  explicit TimeControlReader(std::string_view text) : text_(text) {}

  TimeControl read() {
    if (trimmed(text_) == "none") return {};
    std::string_view rest = text_;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      read_part(trimmed(rest.substr(0, comma)));
      if (more) rest.remove_prefix(comma + 1);
    }
    return control_;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw UserError(fmt::format(
        "clock {}: {}; a clock is written 300 or 5m (for a game), 60+0.6 (with an increment), 0.1/move, "
        "10/move,300/game, 5m+5x30s (5 periods of byo-yomi), 5m+25/300s (25 actions a period) or 40/5m (for each 40 "
        "actions)",
        in_quotes(text_), reason));
  }

  void read_part(std::string_view part) {
    if (const auto time = before(part, "/move")) {
      if (control_.move > 0) refuse("there are two times for a move");
      control_.move = read_time(*time);
      return;
    }
    if (game_) refuse("there are two times for a game");
    game_ = true;
    const std::string_view game = before(part, "/game").value_or(part);
    const std::size_t plus = game.find('+');
    read_main(game.substr(0, plus), plus != std::string_view::npos);
    if (plus != std::string_view::npos) read_extra(game.substr(plus + 1));
    if (control_.main <= 0 && control_.period <= 0) refuse("a main time of 0 needs byo-yomi behind it");
  }

  void read_main(std::string_view main, bool zero_allowed) {
    if (const std::size_t slash = main.find('/'); slash != std::string_view::npos) {
      control_.session = read_count(main.substr(0, slash));
      main.remove_prefix(slash + 1);
      zero_allowed = false;
    }
    if (!(zero_allowed && main == "0")) control_.main = read_time(main);
  }

  // What stands behind the plus sign.
  void read_extra(std::string_view extra) {
    const std::size_t times = extra.find('x');
    const std::size_t slash = extra.find('/');
    if (times == std::string_view::npos && slash == std::string_view::npos) {
      if (extra != "0") control_.increment = read_time(extra);
      return;
    }
    if (control_.session > 0) refuse("time for a number of actions goes with an increment, not with byo-yomi");
    const std::size_t split = std::min(times, slash);
    if (split == 0) refuse(fmt::format("{} is no time", in_quotes(extra)));
    (times < slash ? control_.periods : control_.stones) = read_count(extra.substr(0, split));
    control_.period = read_time(extra.substr(split + 1));
  }

  static std::optional<std::string_view> before(std::string_view text, std::string_view ending) {
    if (!text.ends_with(ending)) return std::nullopt;
    return text.substr(0, text.size() - ending.size());
  }

  double read_time(std::string_view text) const {
    text = trimmed(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const double seconds = value * seconds_of(trimmed(unit));
    if (error != std::errc{} || !(seconds > 0)) refuse(fmt::format("{} is no time", in_quotes(text)));
    if (seconds < TimeControl::kShortest || seconds > TimeControl::kLongest) {
      refuse(fmt::format("{} is not between 1 ms and 1,000,000 s", in_quotes(text)));
    }
    return seconds;
  }

  // 0 for a word that is no unit.
  static double seconds_of(std::string_view unit) {
    if (unit.empty() || unit == "s") return 1;
    if (unit == "ms") return 0.001;
    if (unit == "m" || unit == "min") return 60;
    return unit == "h" ? 3600 : 0;
  }

  int read_count(std::string_view text) const {
    if (const auto count = read_number<int>(trimmed(text), 1, TimeControl::kMostActions)) return *count;
    refuse(fmt::format("{} is no number from 1 to 10,000", in_quotes(trimmed(text))));
  }

  std::string_view text_;
  TimeControl control_;
  bool game_ = false;  // the part for the game has been read
};

}  // namespace

TimeControl parse_time_control(std::string_view text) {
  return TimeControlReader(text).read();
}

GameClock::GameClock(const TimeControl& control) : control_(control) {
  if (control.main > 0 || control.period > 0) main_left_ = control.main;
  moves_to_go_ = control.session;
  periods_left_ = control.periods;
  begin_period();
}

GameClock GameClock::remaining(double seconds, double increment, int moves_to_go, double move) {
  const double left = std::max(seconds, 0.0);
  GameClock clock({.main = std::max(left, TimeControl::kShortest),
                   .increment = std::max(increment, 0.0),
                   .session = std::max(moves_to_go, 0),
                   .move = std::max(move, 0.0)});
  clock.main_left_ = left;
  return clock;
}

void GameClock::begin_period() {
  period_left_ = control_.period;
  stones_left_ = control_.stones;
}

bool GameClock::spend(double seconds) {
  if (control_.move > 0 && seconds > control_.move) return false;
  return std::isinf(main_left_) || spend_main(seconds);
}

bool GameClock::spend_main(double seconds) {
  if (in_byo_yomi()) return spend_byo_yomi(seconds);
  if (seconds > main_left_) {
    const double more = seconds - std::exchange(main_left_, 0.0);
    return control_.period > 0 && spend_byo_yomi(more);
  }
  main_left_ += control_.increment - seconds;
  if (moves_to_go_ > 0 && --moves_to_go_ == 0) {
    moves_to_go_ = control_.session;
    main_left_ += control_.main;
  }
  return true;
}

bool GameClock::spend_byo_yomi(double seconds) {
  if (control_.stones > 0) {
    period_left_ -= seconds;
    if (period_left_ < 0) return false;
    if (--stones_left_ == 0) begin_period();
    return true;
  }
  for (; seconds > period_left_; --periods_left_) {
    if (periods_left_ <= 1) return false;
    seconds -= std::exchange(period_left_, control_.period);
  }
  begin_period();
  return true;
}

double GameClock::most() const {
  double most = main_left_;
  if (control_.stones > 0) most += period_left_;
  if (control_.periods > 0) most += period_left_ + (periods_left_ - 1) * control_.period;
  return control_.move > 0 ? std::min(most, control_.move) : most;
}

void GameClock::set_main_left(double seconds) {
  if (control_.main <= 0 && control_.period <= 0) control_.main = std::max(seconds, TimeControl::kShortest);
  main_left_ = std::max(seconds, 0.0);
  periods_left_ = control_.periods;
  begin_period();
}

void GameClock::set_byo_yomi_left(double seconds, int count) {
  count = std::max(count, 1);
  if (control_.period <= 0) {
    control_.period = std::max(seconds, TimeControl::kShortest);
    control_.stones = count;
  }
  main_left_ = 0;
  period_left_ = std::max(seconds, 0.0);
  (control_.periods > 0 ? periods_left_ : stones_left_) = count;
}

}  // namespace koridor
