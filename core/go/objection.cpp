// Why an action of Go is illegal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/go/board.h"
#include "core/go/game.h"

namespace koridor::go {
namespace {

using Kind = Objection::Kind;

constexpr std::array<std::string_view, 2> kNames = {"black", "white"};

}  // namespace

Objection GoGame::objection(const State& state, const History& history, Action action, Notation notation) const {
  const std::string name = print_action(state, action, notation);
  if (action != pass()) {
    const int point = geometry_->point[static_cast<std::size_t>(index(action))];
    for (int colour = 0; colour < 2; ++colour) {
      if (!state.has_stone(colour, point)) continue;
      return {.kind = Kind::occupied,
              .message = fmt::format("a {} stone is on {}", kNames[static_cast<std::size_t>(colour)], name)};
    }
    if (!rules_.suicide && !lives(state, point)) {
      return {.kind = Kind::suicide, .message = name + " is suicide: the stone would have no liberty"};
    }
    if (state.ko == point) {
      return {.kind = Kind::ko, .message = name + " takes the ko back at once: play elsewhere first"};
    }
    if (auto repeated = repetition(state, history, action, name)) return *repeated;
  }
  // A point that is legal by itself, or the pass.
  ActionMask legal;
  legal_actions(state, history, legal);
  std::vector<std::string> saving;
  legal.for_each([&](Action other) { saving.push_back(print_action(state, other, notation)); });
  constexpr std::size_t kMost = 4;
  const bool all = saving.size() <= kMost;
  saving.resize(std::min(saving.size(), kMost));
  return {.kind = Kind::must_save_atari,
          .message = fmt::format("stones in atari must be saved: {} may play only {}{}", kNames[state.player],
                                 fmt::join(saving, ", "), all ? "" : ", ...")};
}

// Whether a stone of the player to move has a liberty there once captured stones are off.
bool GoGame::lives(const State& state, int point) const {
  return with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_of<Points>(*geometry_, state.stones, state.player);
    const Points stone = Points::of(point);
    return (stone.neighbours() & side.empty).any() || lives_without_empty_neighbour(side, stone);
  });
}

// The objection to a stone that brings an earlier position back.
std::optional<Objection> GoGame::repetition(const State& state, const History& history, Action action,
                                            const std::string& name) const {
  if (rules_.ko == Ko::simple) {
    if (state.ko != kUnchanged || lives(state, geometry_->point[static_cast<std::size_t>(index(action))])) return {};
    State next = state;
    apply(next, action);
    if (next.stones != state.stones) return {};
    return Objection{.kind = Kind::ko,
                     .message = name + " restores the position before the last action, which ko forbids"};
  }
  State next = state;
  apply(next, action);
  const std::uint64_t key = repetition_key(next);
  const std::string_view rule = rules_.ko == Ko::positional ? "positional" : "situational";
  if (key == repetition_key(state)) {
    return Objection{.kind = Kind::superko,
                     .message = fmt::format("{} leaves the board as it is, which {} superko forbids", name, rule)};
  }
  const auto keys = history.keys();
  const auto found = std::ranges::find(keys, key);
  if (found == keys.end()) return {};
  const auto plies = static_cast<int>(state.ply) - static_cast<int>(keys.end() - found);
  // Plies are counted anew where play goes on beyond the cap (free_play.h).
  const std::string which = plies < 0 ? "an earlier position" : fmt::format("the position after ply {}", plies);
  return Objection{.kind = Kind::superko,
                   .message = fmt::format("{} brings back {}, which {} superko forbids", name, which, rule)};
}

}  // namespace koridor::go
