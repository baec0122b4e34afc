#include "cli/play/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "cli/play/counting.h"
#include "cli/play/game_files.h"
#include "cli/play/words.h"
#include "cli/programs.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/shell.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/saved_result.h"
#include "core/words.h"

namespace koridor::cli {
namespace {

// Whether the turn is half done: the pawn has moved, and a wall is owed.
bool owes_wall(const Session& session) {
  const AnyPosition position = session.position();
  const auto* const known = std::get_if<Position<wall::WallGame>>(&position);
  return known != nullptr && known->state.phase != 0;
}

constexpr ResignRule kResignInGo{.value = 0.03, .play_on = 0};  // where nothing else is said

// The file of "save FILE", empty for "save"; nothing for other lines.
std::optional<std::string> path_to_save(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  if (lower_case(line.substr(0, end)) != "save") return std::nullopt;
  std::string path(trimmed(std::string_view(line).substr(end)));
  const char* const home = std::getenv("HOME");
  if (path.starts_with("~/") && home != nullptr) path.replace(0, 1, home);  // no shell does it here
  return path;
}

}  // namespace

Terminal::Terminal(Session& session, Seats& seats, const TerminalParts& parts)
    : session_(session),
      seats_(seats),
      adviser_(parts.adviser),
      options_(parts.options),
      stop_(parts.stop),
      screen_(session, parts.options),
      files_(parts.files),
      lines_(parts.lines) {
  if (!options_.resign.empty()) {
    rules_.resign = resign_rule(options_);
  } else if (is_counted(session)) {
    rules_.resign = kResignInGo;
  }
  if (rules_.resign && session.players() == 2) {
    std::visit([&](const auto& game) { adjudicator_.emplace(rules_, game); }, session.game());
  }
}

Terminal::Again Terminal::play(GivenEnd end) {
  end_ = std::move(end);
  plays_on_ = adjudicator_ && random_.chance(rules_.resign->play_on);
  forget_turns();
  late_ = false;
  thinks_on_ = false;
  changed_ = false;
  clocks_.new_game(parse_time_control(options_.clock), session_.players());
  seats_.follow_session(clocks_.clocks());
  introduce();
  try {
    if (!end_.result.empty()) {
      fmt::print("The game is over, as the file says.\n");
      show();
      announce(false);
      if (!options_.save.empty() && !kept()) save(options_.save);
    } else if (!play_on()) {
      return Again::no;
    }
    while (seats_.persons() > 0) {
      if (const auto again = ask_for_another()) return *again;
      if (!play_on()) return Again::no;
    }
    return Again::no;
  } catch (const UserError&) {
    if (changed_) rescue();
    throw;
  }
}

bool Terminal::play_on() {
  Turn turn = Turn::played;
  while (!over() && turn == Turn::played) {
    turn = seats_.is_person(session_.seat_to_move()) ? ask() : reply();
    if (turn == Turn::played && !options_.save.empty()) files_.save(session_, end_, options_.save);
  }
  if (over()) {
    finish();
    return true;
  }
  if (!options_.save.empty()) {
    if (!kept()) save(options_.save);
  } else if (turn == Turn::broken && changed_) {
    save("");
  }
  return false;
}

void Terminal::introduce() {
  for (int seat = 0; seat < session_.players(); ++seat) {
    fmt::print("{}: {}\n", seat_name_at_line_start(session_, seat), session_.seat_name(seat));
  }
  if (seats_.persons() == 0 || over()) return;
  const bool now = seats_.is_person(session_.seat_to_move());
  if (const auto person = seats_.only_person()) {
    fmt::print("You are {}.{}", session_.seat_title(*person), now ? " " : "\n");
  }
  help_due_ = true;
  if (now) show_help();
}

// Before the first turn of a person: examples of actions are those of whoever is to move.
void Terminal::show_help() {
  if (std::exchange(help_due_, false)) fmt::print("Type an action, or one of:\n{}", help_of(session_));
}

// Marks what has been played since the last action of the player to move.
void Terminal::show() const {
  const auto moves = session_.played();
  int since = session_.ply();
  const int last = moves.empty() ? -1 : moves.back().seat;
  const int mover = over() || seats_.persons() == 0 ? -1 : session_.seat_to_move();
  while (since > 0) {
    const int seat = moves[static_cast<std::size_t>(since - 1)].seat;
    if (mover < 0 || mover == last ? seat != last : seat == mover) break;
    --since;
  }
  screen_.show(since);
}

Terminal::Turn Terminal::ask() {
  show_help();
  show();
  if (options_.hints) hint();
  screen_.times(clocks_.clocks());
  const int seat = session_.seat_to_move();
  const int persons = seats_.persons();
  std::string prompt = persons > 1 ? session_.seat_title(seat) : "";
  if (owes_wall(session_)) prompt += prompt.empty() ? "wall" : ", wall";
  prompt += "> ";
  if (!start_clock()) return Turn::broken;
  for (;;) {
    const auto line = lines_.read(prompt, [&] { return clocks_.late(seat); });
    const bool late = clocks_.late(seat);
    if (!line && (stop_ || !late)) return Turn::broken;
    if (late) {
      lose_on_time(seat);
      return Turn::played;
    }
    try {
      if (const auto turn = obey(std::string(trimmed(*line)))) return *turn;
    } catch (const UserError& error) {
      fmt::print("{}\n", message_line(error.what()));
    }
  }
}

std::optional<Terminal::Turn> Terminal::obey(const std::string& line) {
  const std::string word = lower_case(line);
  const int seat = session_.seat_to_move();
  if (word.empty()) return std::nullopt;
  if (const auto path = path_to_save(line)) {
    save(path->empty() ? options_.save : *path);
  } else if (const auto refusal = session_.play(line); !refusal) {
    clocks_.stop(seat);  // in time, as was seen before
    played(session_.played().back().action);
    return Turn::played;
  } else if (says_quit(word)) {
    return Turn::finished;
  } else if (word == "undo") {
    if (undo()) {
      thinks_on_ = session_.seat_to_move() == seat;
      if (!thinks_on_) clocks_.stop(seat);  // somebody else at the board is to move
      return Turn::played;
    }
  } else if (word == "resign") {
    if (resign()) return Turn::played;
  } else if (word == "hint") {
    hint();
  } else if (word == "help" || word == "?") {
    fmt::print("{}", help_of(session_));
  } else if (word == "actions") {
    fmt::print("{}\n", fmt::join(session_.legal_texts(), " "));
  } else if (!show_as_asked(word)) {
    fmt::print("{}\n", refusal->text());
  }
  return std::nullopt;
}

bool Terminal::show_as_asked(const std::string& line) {
  if (line == "moves") {
    fmt::print("{}", write_saved_game(saved_game(session_, end_), session_.notation()));
  } else if (line == "board" || line == "turn") {
    if (line == "turn") screen_.turn();
    show();
  } else if (is_counted(session_) && line == "owners") {
    print_owners(session_, screen_, owners_of(session_, adviser_));
  } else if (is_counted(session_) && line == "score") {
    print_score(session_, screen_);
  } else {
    return false;
  }
  return true;
}

void Terminal::played(Action action) {
  changed_ = true;
  seats_.play(action);
}

// Where clocks run, the player to move has its own running when this returns; false where the program is to stop.
bool Terminal::start_clock() {
  if (!clocks_.clocks().empty() && !seats_.get_ready(stop_)) return false;
  if (!thinks_on_) clocks_.start();
  thinks_on_ = false;
  return true;
}

void Terminal::lose_on_time(int seat) {
  fmt::print("{} loses on time.\n", seat_name_at_line_start(session_, seat));
  end_ = {decided_result(session_.game(), forfeited_by(seat, session_.players()), "T"), "time"};
  late_ = true;
  changed_ = true;
}

Terminal::Turn Terminal::reply() {
  const int seat = session_.seat_to_move();
  std::optional<SeatChoice> choice;
  if (!start_clock()) return Turn::broken;
  {
    ThinkingSign sign(seat_name_at_line_start(session_, seat));
    choice = seats_.think(stop_, [&](double seconds) { sign.update(seconds); });
  }
  if (!choice) return Turn::broken;
  if (clocks_.stop(seat) || choice->late) {
    lose_on_time(seat);
    return Turn::played;
  }
  if (choice->resigns || gives_up(*choice, seat)) {
    fmt::print("{} resigns.\n", seat_name_at_line_start(session_, seat));
    end_ = {resignation_result(session_.game(), seat), "resign"};
    return Turn::played;
  }
  fmt::print("{} plays {}", seat_name_at_line_start(session_, seat), session_.text(choice->action));
  if (options_.hints && choice->value) fmt::print("  (sees {:.1f}% for itself)", 100.0f * *choice->value);
  fmt::print("\n");
  session_.play(choice->action);
  played(choice->action);
  if (seats_.persons() == 0 && !over()) show();
  std::fflush(stdout);
  return Turn::played;
}

bool Terminal::gives_up(const SeatChoice& choice, int seat) {
  return adjudicator_ && adjudicator_->judge(seat, session_.ply(), choice.value, std::nullopt);
}

void Terminal::forget_turns() {
  if (adjudicator_) adjudicator_->new_game(plays_on_);
}

void Terminal::hint() {
  if (!session_.can_search()) {
    fmt::print("Nobody here can give hints: they need a model (--model FILE).\n");
    return;
  }
  const int visits = options_.visits > 0 ? options_.visits : kUsualVisits;
  screen_.hint(session_.search({.visits = visits, .stop = &stop_}));
}

// Back to the last turn of a person; one who has given up only takes that back. False where there is no such turn.
bool Terminal::undo() {
  if (late_) {
    fmt::print("A game that was lost on time is over: nothing is taken back.\n");
    return false;
  }
  const bool given_up = !end_.result.empty() && !session_.outcome().over();
  int ply = session_.ply() - 1;
  if (given_up && seats_.is_person(session_.seat_to_move())) {
    end_ = {};
    changed_ = true;
    return true;
  }
  while (ply >= 0 && !seats_.is_person(session_.moves()[static_cast<std::size_t>(ply)].seat)) --ply;
  if (ply < 0 || !session_.go_to(ply)) {
    fmt::print("There is nothing to take back.\n");
    return false;
  }
  end_ = {};
  forget_turns();
  changed_ = true;
  seats_.follow_session(clocks_.clocks());
  return true;
}

bool Terminal::resign() {
  if (session_.players() != 2) {
    fmt::print("Only a game of two players can be given up; `quit` ends this one.\n");
    return false;
  }
  end_ = {resignation_result(session_.game(), session_.seat_to_move()), "resign"};
  return true;
}

void Terminal::save(const std::string& path) {
  const GameFiles::Place place = files_.save(session_, end_, path);
  changed_ = false;
  fmt::print("The game is saved in {}\n", printable(place.file));
  if (over()) return;
  const std::string which = place.number == 1 ? "" : fmt::format(" --load-game {}", place.number);
  fmt::print("Go on with:\n  {} play --load {}{}{} {}\n", shell_program(), printable(shell_word(place.file)), which,
             further_options(options_), seats_.options());
}

// Whether the file of --save need not be written: nobody has played, and the game is empty or was loaded from there.
bool Terminal::kept() const {
  std::error_code ignored;
  const bool empty = session_.ply() == 0 && end_.result.empty();
  return !changed_ && (empty || std::filesystem::equivalent(options_.load, options_.save, ignored));
}

// Saves a game that an error ends: as the options say, or in a new file where that does not work.
void Terminal::rescue() {
  try {
    save(options_.save);
  } catch (const UserError&) {
    if (!options_.save.empty()) save("");
  }
}

void Terminal::finish() {
  show();
  bool agreed = false;
  if (end_.result.empty() && ends_by_count(session_) && seats_.persons() > 0 && !stop_) {
    if (const auto count = agree_on_count(session_, screen_, lines_)) {
      end_.result = *count;
      agreed = true;
    }
  }
  announce(agreed);
  if (!options_.save.empty()) save(options_.save);
}

void Terminal::announce(bool agreed) const {
  const Outcome outcome = read_result(session_.game(), end_.result).value_or(session_.outcome());
  const auto points = std::span(outcome.values).first(static_cast<std::size_t>(session_.players()));
  const std::optional<int> person = seats_.only_person();
  std::string line = "a draw";
  if (outcome.kind == Outcome::Kind::draw && std::ranges::count(points, 0) > 0) {
    line = late_ ? "the others share the points." : "some players share the points: " + end_.result + ".";
  } else if (outcome.kind != Outcome::Kind::draw) {
    line = person == outcome.winner ? "you win" : fmt::format("{} wins", session_.seat_title(outcome.winner));
    line += manner();
    line += person == outcome.winner ? '!' : '.';
  } else {
    line += '.';
  }
  fmt::print("{}\n", agreed ? "Agreed: " + line : capitalised(line));
}

// " by resignation", " on time", " by 3.5"; empty where the game has no more to say.
std::string Terminal::manner() const {
  if (late_) return " on time";
  if (!is_counted(session_)) {
    if (end_.result.empty() || session_.outcome().over()) return "";
    const std::string& how = end_.termination;
    if (how.empty() || how.find("resign") != std::string::npos) return " by resignation";
    return how.find("time") != std::string::npos ? " on time" : "";
  }
  const std::string result = end_.result.empty() ? saved_game(session_, {}).result : end_.result;
  const std::string_view behind = std::string_view(result).substr(std::min(result.find('+') + 1, result.size()));
  if (behind.starts_with('R')) return " by resignation";
  if (behind.starts_with('T')) return " on time";
  return behind.find_first_not_of("0123456789.") == std::string_view::npos && !behind.empty()
             ? fmt::format(" by {}", behind)
             : "";
}

std::optional<Terminal::Again> Terminal::ask_for_another() {
  for (;;) {
    const auto line = lines_.read("Another game? yes, swap (everybody moves on by one seat) or no> ");
    const std::string word = line ? lower_case(trimmed(*line)) : "no";
    if (word == "yes" || word == "y") return Again::yes;
    if (word == "swap" || word == "s") return Again::swapped;
    if (word == "no" || word == "n" || says_quit(word) || word.empty()) return Again::no;
    try {
      if (const auto path = path_to_save(std::string(trimmed(*line)))) {
        save(path->empty() ? options_.save : *path);
      } else if (word == "undo") {
        if (undo()) return std::nullopt;
      } else if (!show_as_asked(word)) {
        fmt::print("Answer yes, swap or no; undo, board, turn, moves and save [F] do as before.\n");
      }
    } catch (const UserError& error) {
      fmt::print("{}\n", message_line(error.what()));
    }
  }
}

}  // namespace koridor::cli
