// Whole random games against GNU Go over its text protocol: legal points, stones and prisoners after every move, and
// the area score at the end. A program of its own, run by scripts/check_gnugo: check_gnugo GAMES [PATH OF GNU GO]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/go/game.h"
#include "core/registry.h"

namespace koridor::go {
namespace {

// A child process that answers one command at a time.
class GnuGo {
 public:
  explicit GnuGo(const std::vector<std::string>& arguments) {
    int to_child[2];
    int from_child[2];
    if (pipe(to_child) != 0 || pipe(from_child) != 0) throw std::runtime_error("no pipes");
    child_ = fork();
    if (child_ == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) close(end);
      std::vector<char*> raw;
      for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
      raw.push_back(nullptr);
      execvp(raw[0], raw.data());
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    in_ = fdopen(to_child[1], "w");
    out_ = fdopen(from_child[0], "r");
  }
  ~GnuGo() {
    std::fclose(in_);
    std::fclose(out_);
    waitpid(child_, nullptr, 0);
  }
  GnuGo(const GnuGo&) = delete;
  GnuGo& operator=(const GnuGo&) = delete;

  // The answer without its "= ", lines joined. Throws where it is an error.
  std::string ask(const std::string& command) {
    fmt::print(in_, "{}\n", command);
    std::fflush(in_);
    std::string answer;
    char line[4096];
    while (std::fgets(line, sizeof line, out_) != nullptr) {
      const std::string text(line);
      if (text == "\n" && !answer.empty()) {
        if (answer[0] != '=') throw std::runtime_error(fmt::format("{}: {}", command, answer));
        return answer.substr(std::min<std::size_t>(answer.size(), 2));
      }
      answer += text.substr(0, text.find('\n')) + " ";
    }
    throw std::runtime_error(command + ": GNU Go is gone");
  }

  std::set<std::string> words(const std::string& command) {
    std::istringstream text(ask(command));
    std::set<std::string> found;
    for (std::string word; text >> word;) found.insert(word);
    return found;
  }

 private:
  pid_t child_ = 0;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
};

struct Totals {
  int games = 0;
  int moves = 0;
  int prisoners = 0;
  int kos = 0;
  int repeating_suicides = 0;
};

void same(const std::set<std::string>& ours, const std::set<std::string>& theirs, const std::string& what) {
  if (ours == theirs) return;
  std::string difference;
  for (const std::string& name : ours) difference += theirs.contains(name) ? "" : " +" + name;
  for (const std::string& name : theirs) difference += ours.contains(name) ? "" : " -" + name;
  throw std::runtime_error(fmt::format("{} differ (+ ours, - theirs):{}", what, difference));
}

std::set<std::string> stones(const GoGame& game, const State& state, std::size_t colour) {
  std::set<std::string> names;
  for (int action = 0; action + 1 < game.num_actions(); ++action) {
    const int point = game.geometry().point[static_cast<std::size_t>(action)];
    if ((state.stones[colour][static_cast<std::size_t>(point >> 6)] >> (point & 63) & 1) != 0) {
      names.insert(game.print_action(state, Action{static_cast<std::uint16_t>(action)}));
    }
  }
  return names;
}

using Stones = std::array<PointWords, 2>;

// GNU Go's superko does not look at suicide. Takes those off its legal points that give up own stones and bring back
// stones that stood before.
void drop_repeating_suicides(const GoGame& game, const State& state, const std::vector<Stones>& before,
                             const std::set<std::string>& ours, std::set<std::string>& theirs, Totals& totals) {
  for (int number = 0; number + 1 < game.num_actions(); ++number) {
    const Action action{static_cast<std::uint16_t>(number)};
    const std::string name = game.print_action(state, action);
    if (ours.contains(name) || !theirs.contains(name)) continue;
    State next = state;
    game.apply(next, action);
    const bool suicide = next.prisoners[state.player ^ 1] > state.prisoners[state.player ^ 1];
    if (!suicide || std::find(before.begin(), before.end(), next.stones) == before.end()) continue;
    theirs.erase(name);
    ++totals.repeating_suicides;
  }
}

void play_game(const GoGame& game, GnuGo& other, Random& random, Totals& totals) {
  static constexpr const char* kNames[] = {"black", "white"};
  other.ask(fmt::format("boardsize {}", game.rules().rows));
  other.ask("clear_board");
  other.ask("komi 7.5");
  Position position(game);
  std::vector<Stones> before;
  while (!game.outcome(position.state, position.history).over()) {
    const State& state = position.state;
    const char* const mover = kNames[state.player];
    ActionMask legal;
    game.legal_actions(state, position.history, legal);
    std::set<std::string> names;
    legal.for_each([&](Action action) {
      if (index(action) + 1 < game.num_actions()) names.insert(game.print_action(state, action));
    });
    before.push_back(state.stones);
    std::set<std::string> theirs = other.words(fmt::format("all_legal {}", mover));
    if (game.rules().suicide) drop_repeating_suicides(game, state, before, names, theirs, totals);
    same(names, theirs, "legal points");
    for (std::size_t colour = 0; colour < 2; ++colour) {
      same(stones(game, state, colour), other.words(fmt::format("list_stones {}", kNames[colour])), "stones");
      const int taken = std::stoi(other.ask(fmt::format("captures {}", kNames[colour])));
      if (taken != state.prisoners[colour]) throw std::runtime_error("prisoners differ");
    }
    // Mostly as playouts go; now and then any legal point, own eyes too.
    Action action = game.random_playout_action(state, position.history, random);
    if (random.chance(0.02)) action = legal.nth(random.below(legal.count()));
    other.ask(fmt::format("play {} {}", mover, game.print_action(state, action)));
    totals.kos += state.ko != kNoPoint ? 1 : 0;
    ++totals.moves;
    position.apply(game, action);
  }
  if (position.state.passes == 2) {
    const int half_points = game.half_points(position.state);
    const std::string ours = fmt::format("{}+{:.1f}", half_points > 0 ? "B" : "W", std::abs(half_points) / 2.0);
    const std::string theirs = *other.words("final_score").begin();
    if (ours != theirs) throw std::runtime_error(fmt::format("the score differs: {} and {}", ours, theirs));
  }
  totals.prisoners += position.state.prisoners[0] + position.state.prisoners[1];
  ++totals.games;
}

int run(int games, const std::string& program) {
  struct Kind {
    const char* rules;
    std::vector<std::string> options;
  };
  const Kind kinds[] = {{"chinese,ko=simple", {}},
                        {"chinese", {"--positional-superko"}},
                        {"chinese,ko=situational", {"--situational-superko"}},
                        {"tromp-taylor", {"--positional-superko", "--allow-all-suicide"}}};
  Random random(41);
  for (const Kind& kind : kinds) {
    std::vector<std::string> arguments = {program, "--mode", "gtp", "--chinese-rules", "--level", "1"};
    arguments.insert(arguments.end(), kind.options.begin(), kind.options.end());
    GnuGo other(arguments);
    Totals totals;
    for (int i = 0; i < games / 4; ++i) {
      static constexpr int kSizes[] = {9, 5, 9, 7, 13, 9, 6, 19, 9, 11};
      const int size = kSizes[i % 10];
      const GoGame game = std::get<GoGame>(parse_game(fmt::format("go:{}x{},{}", size, size, kind.rules)));
      Random own(random.next());
      try {
        play_game(game, other, own, totals);
      } catch (const std::exception& error) {
        fmt::print("{}, game {}: {}\n", game.name(), i, error.what());
        return 1;
      }
    }
    fmt::print("{}: {} games, {} moves, {} prisoners, {} ko points: all the same", kind.rules, totals.games,
               totals.moves, totals.prisoners, totals.kos);
    fmt::print("{}\n", totals.repeating_suicides == 0
                           ? ""
                           : fmt::format(" but {} suicides that repeat a position", totals.repeating_suicides));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace koridor::go

int main(int argc, char** argv) {
  return koridor::go::run(argc > 1 ? std::atoi(argv[1]) : 200, argc > 2 ? argv[2] : "gnugo");
}
