// Help with the actions of Go, with examples that are legal in the position.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "core/go/game.h"

namespace koridor::go {

ActionHelp GoGame::help(const State& state, const ActionMask& legal, Notation notation) const {
  ActionHelp help;
  // The legal point nearest to the middle.
  Action stone = kNoAction;
  int least = 0;
  legal.for_each([&](Action action) {
    if (action == pass()) return;
    const int distance = std::abs(2 * (index(action) / rules_.columns) + 1 - rules_.rows) +
                         std::abs(2 * (index(action) % rules_.columns) + 1 - rules_.columns);
    if (stone != kNoAction && least <= distance) return;
    stone = action;
    least = distance;
  });
  if (stone != kNoAction) {
    const std::string name = print_action(state, stone, notation);
    help.examples.push_back({stone, name, "place a stone on " + name});
  }
  if (legal.test(pass())) {
    const bool first_phase = rules_.scoring == Scoring::territory && state.phase == Phase::main;
    const std::string_view what = first_phase ? "the first phase, after which dead stones are captured" : "the game";
    const std::string_view how = state.passes == 0 ? "pass; two passes in a row end" : "pass, which ends";
    help.examples.push_back({pass(), print_action(state, pass(), notation), fmt::format("{} {}", how, what)});
  } else {
    help.notes.emplace_back("Stones in atari must be saved.");
  }
  help.notes.emplace_back("Columns are letters without I, rows are counted from the bottom.");
  help.notes.emplace_back("Capitals, spaces and hyphens make no difference.");
  return help;
}

}  // namespace koridor::go
