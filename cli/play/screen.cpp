#include "cli/play/screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/colour.h"
#include "core/base/number_text.h"

namespace koridor::cli {
namespace {

// "4:59", "7.3 s".
std::string time_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", std::max(std::floor(seconds * 10) / 10, 0.0));
  const auto whole = static_cast<long>(seconds);
  const std::string hours = whole >= 3600 ? fmt::format("{}:", whole / 3600) : "";
  return fmt::format("{}{:0{}}:{:02}", hours, whole / 60 % 60, hours.empty() ? 1 : 2, whole % 60);
}

// "4:59", "10.0 s a move", "30.0 s a move (5 periods)", "2:00 for 25 moves".
std::string clock_text(const GameClock& clock) {
  if (clock.in_byo_yomi() && clock.periods_left() > 0) {
    return fmt::format("{} a move ({})", time_text(clock.period_left()), counted(clock.periods_left(), "period"));
  }
  const bool period = clock.in_byo_yomi();
  const int moves = period ? clock.stones_left() : clock.moves_to_go();
  const double left = period ? clock.period_left() : clock.main_left();
  std::string text;
  if (std::isfinite(left)) text = time_text(left) + (moves > 0 ? " for " + counted(moves, "move") : "");
  if (clock.control().move > 0) {
    text += fmt::format("{}{} a move", text.empty() ? "" : ", ", time_text(clock.control().move));
  }
  return text;
}

constexpr std::ptrdiff_t kLinesAround = 4;  // of a board: what was played before it, the empty lines, the prompt

// Unlimited where standard output is no terminal, since nothing leaves that.
std::ptrdiff_t terminal_rows() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row
                                                                           : std::numeric_limits<std::ptrdiff_t>::max();
}

}  // namespace

std::string seat_name_at_line_start(const Session& session, int seat) {
  return capitalised(session.seat_title(seat));
}

Screen::Screen(const Session& session, const PlayOptions& options)
    : session_(session),
      colour_(options.colour == "always" || (options.colour == "auto" && use_colour())),
      view_(options.view - 1) {}

void Screen::show(int since) const {
  const std::vector<Action> played = session_.played_actions();
  const auto first = static_cast<std::size_t>(std::clamp(since, 0, session_.ply()));
  const auto lines = show(BoardView{.marked = std::span(played).subspan(first)});
  if (first == played.size() || lines + kLinesAround <= terminal_rows()) return;
  // What was said above the board has left the screen.
  const std::vector<std::string> texts = session_.move_texts();
  fmt::print("Played: {}\n", fmt::join(std::span(texts).first(played.size()).subspan(first), " "));
}

std::ptrdiff_t Screen::show(BoardView view) const {
  view.colour = colour_;
  view.turns = session_.turns_to_bottom(view_);
  const std::string board = session_.board(view);
  fmt::print("\n{}\n", board);
  return std::ranges::count(board, '\n');
}

void Screen::turn() {
  view_ = (view_ + 1) % session_.players();
}

void Screen::times(GameClocks clocks) const {
  std::string line;
  for (std::size_t seat = 0; seat < clocks.size(); ++seat) {
    line += fmt::format("{}{}: {}", line.empty() ? "" : "; ", session_.seat_title(static_cast<int>(seat)),
                        clock_text(clocks[seat]));
  }
  if (!line.empty()) fmt::print("Time left: {}\n", line);
}

void Screen::hint(const Analysis& analysis) const {
  fmt::print("{}", analysis.proven ? "Proven. " : "");
  for (int seat = 0; seat < session_.players(); ++seat) {
    fmt::print("{} {:.1f}%{}", session_.seat_title(seat), 100.0f * analysis.values[static_cast<std::size_t>(seat)],
               seat + 1 < session_.players() ? ", " : " to win\n");
  }
  const std::span candidates(analysis.candidates);
  fmt::print("The search's choice of an action:\n");
  for (const Candidate& candidate : candidates.first(std::min<std::size_t>(candidates.size(), 5))) {
    if (candidate.policy > 0) fmt::print("  {:<6} {:5.1f}%\n", candidate.text, 100.0f * candidate.policy);
  }
}

ThinkingSign::ThinkingSign(std::string who) : who_(std::move(who)), terminal_(::isatty(STDOUT_FILENO) == 1) {}

ThinkingSign::~ThinkingSign() {
  if (!shown_) return;
  fmt::print("\r\033[K");
  std::fflush(stdout);
}

void ThinkingSign::update(double seconds) {
  if (!terminal_ || seconds < next_) return;
  next_ = seconds + 0.2;
  shown_ = true;
  fmt::print("\r\033[K{} thinks ... {:.0f} s", who_, seconds);
  std::fflush(stdout);
}

}  // namespace koridor::cli
