#include "cli/play/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <utility>

#include "core/base/colour.h"

namespace koridor::cli {

std::string seat_name_at_line_start(const Session& session, int seat) {
  std::string title = session.seat_title(seat);
  if (!title.empty() && title.front() >= 'a' && title.front() <= 'z') {
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
  }
  return title;
}

Screen::Screen(const Session& session, const PlayOptions& options)
    : session_(session),
      colour_(options.colour == "always" || (options.colour == "auto" && use_colour())),
      view_(options.view - 1) {}

void Screen::show(int since) const {
  std::vector<Action> marked;
  const auto moves = session_.moves().first(static_cast<std::size_t>(session_.ply()));
  for (const SessionMove& move : moves | std::views::drop(std::max(since, 0))) marked.push_back(move.action);
  show(BoardView{.marked = marked});
}

void Screen::show(BoardView view) const {
  view.colour = colour_;
  view.turns = session_.turns_to_bottom(view_);
  fmt::print("\n{}\n", session_.board(view));
}

void Screen::turn() {
  view_ = (view_ + 1) % session_.players();
}

void Screen::hint(const Analysis& analysis) const {
  fmt::print("{}", analysis.proven ? "Proven. " : "");
  for (int seat = 0; seat < session_.players(); ++seat) {
    fmt::print("{} {:.1f}%{}", session_.seat_title(seat), 100.0f * analysis.values[static_cast<std::size_t>(seat)],
               seat + 1 < session_.players() ? ", " : " to win\n");
  }
  for (const Candidate& candidate : analysis.candidates | std::views::take(5)) {
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
