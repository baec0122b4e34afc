// An engine that plays by our own rules, for tests of those who play against engines:
//   fake_engine PROTOCOL VARIANT [key=value...]
// with the protocols gtp, qtp and uci, and the keys
//   fault     what it does instead of choosing its action number `at` of this process:
//             crash, hang, garbage, flood (one endless line), lines (empty ones without end), illegal, resign, refuse,
//             late (its answer comes after 300 ms);
//             any: at one action of eight, whatever `at` says, one of the first six;
//             and what it does after the action that ends a game: leave (it ends), refuse_last (it refuses that action)
//   at        1 and more; default 1
//   notation  standard, modern or qtp; default that of the protocol
//   log       a file to which it appends a line for each start and all that it hears
//   start     what it does as it starts: crash, hang, slow (it takes a second)
//   commands  limited: it knows QTP's playmove and playwall, not play
//   hangs     a command that it never answers
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/reading.h"
#include "core/registry.h"
#include "core/wall/protocol_words.h"

namespace koridor {
namespace {

using namespace std::chrono_literals;
using Options = std::map<std::string, std::string>;

void answer(const std::string& text) {
  std::cout << text << std::endl;
}

[[noreturn]] void sleep_forever() {
  for (;;) std::this_thread::sleep_for(1h);
}

template <Game G>
class FakeEngine {
 public:
  FakeEngine(const G& game, std::string protocol, Options options)
      : game_(&game),
        protocol_(std::move(protocol)),
        options_(std::move(options)),
        words_{.naming = options_.contains("notation") ? parse_naming(options_["notation"])
                         : protocol_ == "qtp"          ? Naming::qtp
                                                       : Naming::standard,
               .first = protocol_ == "qtp" ? Colour::black : Colour::white},
        position_(game) {}

  void run() {
    note("start " + std::to_string(::getpid()));
    if (options_["start"] == "crash") {
      std::cerr << "no network\n";
      std::exit(3);
    }
    if (options_["start"] == "hang") sleep_forever();
    if (options_["start"] == "slow") std::this_thread::sleep_for(1s);
    for (std::string line; std::getline(std::cin, line);) {
      note(line);
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "quit") return;
      if (!word.empty() && word == options_["hangs"]) sleep_forever();
      protocol_ == "uci" ? hear_uci(word, words) : hear_command(word, words);
      if (options_["fault"] == "leave" && over()) return;
    }
  }

 private:
  void note(const std::string& text) {
    if (options_.contains("log")) std::ofstream(options_["log"], std::ios::app) << text << "\n";
  }
  bool over() const { return game_->outcome(position_.state, position_.history).over(); }

  // Plays the action of this name; false where it is not legal.
  bool play(const std::string& text) {
    const Reading reading =
        read_action(*game_, position_.state, position_.history, words_.read(text), words_.notation());
    if (!reading.action) return false;
    position_.apply(*game_, *reading.action);
    return true;
  }

  // Chooses, plays and names an action, or does what is wrong.
  std::string choose() {
    std::string fault = ++chosen_ == std::stoi(options_["at"]) ? options_["fault"] : "";
    if (options_["fault"] == "any") {
      constexpr const char* kAny[] = {"crash", "hang", "garbage", "flood", "illegal", "resign"};
      const std::size_t draw = std::hash<std::string>()(std::to_string(::getpid()) + ":" + std::to_string(chosen_));
      fault = draw % 8 == 0 ? kAny[draw / 8 % 6] : "";
    }
    if (fault == "crash") {
      std::cerr << "out of memory\n";
      std::abort();
    }
    if (fault == "hang") sleep_forever();
    if (fault == "late") std::this_thread::sleep_for(300ms);
    if (fault == "flood") {
      for (;;) std::cout << "aaaaaaaaaaaaaaaa";
    }
    if (fault == "lines") {
      for (;;) std::cout << '\n';
    }
    if (fault == "garbage") return "\x1b[31mZzz!";
    if (fault == "resign") return "resign";
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    if (fault == "illegal") {
      int illegal = 0;
      while (legal.test(Action(illegal))) ++illegal;
      return words_.write(game_->print_action(position_.state, Action(illegal), words_.notation()));
    }
    const Action action = legal.nth(game_->ply(position_.state) * 7 % legal.count());
    std::string name = words_.write(game_->print_action(position_.state, action, words_.notation()));
    if (protocol_ != "uci") position_.apply(*game_, action);
    return name;
  }

  void hear_command(const std::string& word, std::istringstream& words) {
    const bool limited = options_["commands"] == "limited";
    const bool wants_pairs = limited && (word == "playmove" || word == "playwall");
    std::string first, second, third;
    words >> first >> second >> third;
    if (word == "list_commands" && options_["commands"] == "refused") {
      return answer("? unknown command, as are time_settings and time_left\n");
    }
    if (word == "list_commands") {
      return answer(std::string("= boardsize\nclear_board\nkomi\nwalls\ngenmove\ntime_settings\ntime_left\n") +
                    (limited ? "playmove\nplaywall\n" : "play\n"));
    }
    if (word == "boardsize" && first == "4") return answer("? unacceptable size\n");
    if (word == "clear_board") position_ = Position<G>(*game_);
    if ((word == "play" && !limited) || wants_pairs) {
      // Black's handicap stones follow each other.
      if constexpr (requires { position_.state.ko; }) position_.state.player = first == "W" ? 1 : 0;
      const bool known = options_["fault"] != "refuse" && play(second + third);
      const bool refused = !known || (options_["fault"] == "refuse_last" && over());
      return answer(refused ? "? illegal move\n" : "=\n");
    }
    if (word == "play") return answer("? unknown command\n");
    if constexpr (requires { position_.state.ko; }) {
      if (word == "genmove") position_.state.player = first == "W" ? 1 : 0;
    }
    if (word == "genmove") return answer((protocol_ == "gtp" ? "= " : "=") + choose() + "\n");
    answer("=\n");
  }

  void hear_uci(const std::string& word, std::istringstream& words) {
    if (word == "uci") answer("id name fake\noption name UCI_Variant type string default x\nuciok");
    if (word == "isready") answer("readyok");
    if (word == "position") {
      position_ = Position<G>(*game_);
      std::string action;
      words >> action >> action;
      while (words >> action) {
        if (!play(action)) answer("info string cannot play " + action);
      }
    }
    if (word == "go") answer("info depth 1 nodes 5 score cp -400 pv e5\nbestmove " + choose() + " ponder e5");
  }

  const G* game_;
  std::string protocol_;
  Options options_;
  WallWords words_;
  Position<G> position_;
  int chosen_ = 0;
};

}  // namespace
}  // namespace koridor

int main(int count, char** arguments) {
  koridor::Options options{{"at", "1"}};
  for (int i = 3; i < count; ++i) {
    const std::string option = arguments[i];
    const std::size_t equals = option.find('=');
    options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  const koridor::AnyGame any = koridor::parse_game(arguments[2]);
  std::visit([&](const auto& game) { koridor::FakeEngine(game, arguments[1], options).run(); }, any);
  return 0;
}
