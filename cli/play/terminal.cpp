#include "cli/play/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/play/counting.h"
#include "cli/play/game_files.h"
#include "cli/play/words.h"
#include "core/base/error.h"
#include "core/base/shell.h"
#include "core/saved_game.h"

namespace koridor::cli {
namespace {

constexpr int kHopelessTurns = 3;     // after so many in a row a model gives the game up
constexpr double kResignInGo = 0.03;  // expected points below which a turn is hopeless, where nothing else is said

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

Terminal::Terminal(Session& session, Seats& seats, const MatchPlayer* adviser, const PlayOptions& options,
                   LineReader& lines, const std::atomic<bool>& stop)
    : session_(session),
      seats_(seats),
      adviser_(adviser),
      options_(options),
      stop_(stop),
      screen_(session, options),
      lines_(lines) {}

Terminal::Again Terminal::play() {
  result_.clear();
  hopeless_.fill(0);
  changed_ = false;
  introduce();
  Turn turn = Turn::played;
  while (!over() && turn == Turn::played) {
    turn = seats_.is_person(session_.seat_to_move()) ? ask() : reply();
    if (turn == Turn::played && !options_.save.empty()) save_game(session_, result_, options_.save);
  }
  if (over()) {
    finish();
  } else if (!options_.save.empty()) {
    save(options_.save);
  } else if (turn == Turn::broken && changed_) {
    save("");
  }
  return over() && seats_.persons() > 0 ? ask_for_another() : Again::no;
}

void Terminal::introduce() const {
  for (int seat = 0; seat < session_.players(); ++seat) {
    fmt::print("{}: {}\n", seat_name_at_line_start(session_, seat), session_.seat_name(seat));
  }
  if (seats_.persons() == 0) return;
  if (const auto person = seats_.only_person()) fmt::print("You are {}. ", session_.seat_title(*person));
  fmt::print("Type an action, or one of:\n{}", help_of(session_));
}

// Marks what has been played since the last action of the player to move.
void Terminal::show() const {
  const auto moves = session_.moves().first(static_cast<std::size_t>(session_.ply()));
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
  show();
  if (options_.hints) hint();
  const int persons = seats_.persons();
  const std::string prompt = persons > 1 ? session_.seat_title(session_.seat_to_move()) + "> " : "> ";
  for (;;) {
    const auto line = lines_.read(prompt);
    if (!line) return Turn::broken;
    try {
      if (const auto turn = obey(trimmed(*line))) return *turn;
    } catch (const UserError& error) {
      fmt::print("{}\n", error.what());
    }
  }
}

std::optional<Terminal::Turn> Terminal::obey(const std::string& line) {
  const std::size_t space = line.find(' ');
  const std::string word = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : trimmed(line.substr(space));
  if (word.empty()) return std::nullopt;
  if (word == "save") {
    save(rest.empty() ? options_.save : rest);
  } else if (const auto refusal = session_.play(line); !refusal) {
    changed_ = true;
    played(session_.moves()[static_cast<std::size_t>(session_.ply() - 1)].action);
    return Turn::played;
  } else if (line == "quit" || line == "q" || line == "exit") {
    return Turn::finished;
  } else if (line == "undo") {
    undo();
    return Turn::played;
  } else if (line == "resign") {
    if (resign()) return Turn::played;
  } else if (line == "hint") {
    hint();
  } else if (line == "help" || line == "?") {
    fmt::print("{}", help_of(session_));
  } else if (line == "actions") {
    fmt::print("{}\n", fmt::join(session_.legal_texts(), " "));
  } else if (line == "moves") {
    fmt::print("{}", write_saved_game(saved_game(session_, result_), session_.notation()));
  } else if (line == "board" || line == "turn") {
    if (line == "turn") screen_.turn();
    show();
  } else if (is_counted(session_) && line == "owners") {
    print_owners(session_, screen_, owners_of(session_, adviser_));
  } else if (is_counted(session_) && line == "score") {
    print_score(session_, screen_, owners_of(session_, adviser_));
  } else {
    fmt::print("{}\n", refusal->text());
  }
  return std::nullopt;
}

void Terminal::played(Action action) {
  seats_.play(action);
}

Terminal::Turn Terminal::reply() {
  const int seat = session_.seat_to_move();
  std::optional<SeatChoice> choice;
  {
    ThinkingSign sign(seat_name_at_line_start(session_, seat));
    choice = seats_.think(stop_, [&](double seconds) { sign.update(seconds); });
  }
  if (!choice) return Turn::broken;
  if (gives_up(*choice, seat)) {
    fmt::print("{} resigns.\n", seat_name_at_line_start(session_, seat));
    result_ = resignation_result(session_.game(), seat);
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
  if (session_.players() != 2 || !choice.value) return false;
  const double limit = options_.resign >= 0 ? options_.resign : is_counted(session_) ? kResignInGo : 0.0;
  int& turns = hopeless_[static_cast<std::size_t>(seat)];
  turns = *choice.value < limit ? turns + 1 : 0;
  return turns >= kHopelessTurns;
}

void Terminal::hint() {
  if (!session_.can_search()) {
    fmt::print("Nobody here can give hints: they need a model (--model FILE).\n");
    return;
  }
  screen_.hint(session_.search({.visits = options_.visits, .stop = &stop_}));
}

// Back to the last turn of a person.
void Terminal::undo() {
  int ply = session_.ply() - 1;
  while (ply >= 0 && !seats_.is_person(session_.moves()[static_cast<std::size_t>(ply)].seat)) --ply;
  if (ply < 0 || !session_.go_to(ply)) {
    fmt::print("There is nothing to take back.\n");
    return;
  }
  changed_ = true;
  seats_.follow_session();
}

bool Terminal::resign() {
  if (session_.players() != 2) {
    fmt::print("Only a game of two players can be given up; `quit` ends this one.\n");
    return false;
  }
  result_ = resignation_result(session_.game(), session_.seat_to_move());
  return true;
}

void Terminal::save(const std::string& path) {
  const std::string file = save_game(session_, result_, path);
  changed_ = false;
  fmt::print("The game is saved in {}\n", file);
  if (!over()) fmt::print("Go on with:\n  koridor play --load {} {}\n", shell_word(file), seats_.options());
}

void Terminal::finish() {
  show();
  announce();
  const bool by_rules = result_.empty();
  if (by_rules && is_counted(session_) && seats_.persons() > 0 && !stop_) {
    if (const auto agreed = agree_on_count(session_, screen_, lines_, owners_of(session_, adviser_))) {
      result_ = *agreed;
      fmt::print("Agreed: {}.\n", result_words(result_));
    }
  }
  if (!options_.save.empty()) save(options_.save);
}

void Terminal::announce() const {
  const std::optional<int> person = seats_.only_person();
  if (result_.empty() && session_.outcome().kind == Outcome::Kind::draw) {
    fmt::print("A draw.\n");
    return;
  }
  int winner = session_.outcome().winner;
  if (!result_.empty()) winner = result_ == resignation_result(session_.game(), 0) ? 1 : 0;
  std::string line = person == winner ? "You win" : fmt::format("{} wins", seat_name_at_line_start(session_, winner));
  if (!result_.empty()) line += " by resignation";
  fmt::print("{}{}\n", line, person == winner ? "!" : ".");
}

Terminal::Again Terminal::ask_for_another() {
  for (;;) {
    const auto line = lines_.read("Another game? yes, swap (everybody moves on by one seat) or no> ");
    const std::string word = line ? trimmed(*line) : "no";
    if (word == "yes" || word == "y") return Again::yes;
    if (word == "swap" || word == "s") return Again::swapped;
    if (word == "no" || word == "n" || word == "quit" || word == "q" || word.empty()) return Again::no;
    if (word == "save" || word.starts_with("save ")) {
      const std::string path = trimmed(word.substr(4));
      save(path.empty() ? options_.save : path);
    }
  }
}

}  // namespace koridor::cli
