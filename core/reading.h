// Reading what a person types at a board of any game: the legal action that a text names, or why it names none and what
// may have been meant; why an action is illegal; and help with examples that are legal now. For an AnyGame:
//
//   const Reading reading = std::visit(
//       [&](const auto& game) { return read_action(game, state, history, text, notation); }, any);
//
// A session (selfplay/session) does this for its position.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/game.h"
#include "core/words.h"

namespace koridor {

// Why the action is illegal; nothing where it is legal. An action at or above num_actions() is illegal.
template <Game G>
std::optional<Objection> objection_to(const G& game, const typename G::State& state, const History& history,
                                      Action action, Notation notation = Notation::standard) {
  using Kind = Objection::Kind;
  if (game.outcome(state, history).over()) return Objection{.kind = Kind::game_over, .message = "the game is over"};
  if (index(action) >= game.num_actions()) {
    return Objection{.kind = Kind::unreadable,
                     .message = fmt::format("{} has no action {}", game.name(), index(action))};
  }
  ActionMask legal;
  game.legal_actions(state, history, legal);
  if (legal.test(action)) return std::nullopt;
  if constexpr (requires { game.objection(state, history, action, notation); }) {
    return game.objection(state, history, action, notation);
  } else {
    return Objection{.message = fmt::format("{} is not legal here", game.print_action(state, action, notation))};
  }
}

// The legal action that the text names as game.interpret reads it: what parse_action of such a game is.
template <Game G>
std::optional<Action> legal_action_named(const G& game, const typename G::State& state, const History& history,
                                         std::string_view text, Notation notation) {
  if (game.outcome(state, history).over()) return std::nullopt;
  const Action action = game.interpret(state, text, notation).action;
  ActionMask legal;
  game.legal_actions(state, history, legal);
  return legal.test(action) ? std::optional(action) : std::nullopt;
}

// How actions are written in this position. Where the game is over there is no example.
template <Game G>
ActionHelp help_for(const G& game, const typename G::State& state, const History& history,
                    Notation notation = Notation::standard) {
  if (game.outcome(state, history).over()) return {};
  ActionMask legal;
  game.legal_actions(state, history, legal);
  if constexpr (requires { game.help(state, legal, notation); }) {
    return game.help(state, legal, notation);
  } else {
    const Action first = legal.nth(0);
    return {.examples = {{first, game.print_action(state, first, notation), "a legal action"}}, .notes = {}};
  }
}

namespace detail {

// The legal action whose text differs from this one by at most one letter or digit; kNoAction where there is none.
template <Game G>
Action nearest_spelling(const G& game, const typename G::State& state, const ActionMask& legal, std::string_view text,
                        Notation notation) {
  constexpr std::size_t kLongest = 16;
  if (text.size() < 2 || text.size() > kLongest) return kNoAction;
  std::vector<std::string> names;
  legal.for_each([&](Action action) { names.push_back(lower_case(game.print_action(state, action, notation))); });
  const std::string near = nearest(lower_case(text), names, 1);
  const auto found = std::ranges::find(names, near);
  return found == names.end() ? kNoAction : legal.nth(static_cast<int>(found - names.begin()));
}

// What to say of a text that names nothing.
template <Game G>
Objection unreadable(const G& game, const typename G::State& state, const History& history, std::string_view text,
                     Notation notation) {
  std::vector<std::string> shown;
  for (const Example& example : help_for(game, state, history, notation).examples) shown.push_back(example.text);
  return {.kind = Objection::Kind::unreadable,
          .message = fmt::format("{} is not an action of {}; here one looks like {}", in_quotes(text), game.name(),
                                 fmt::join(shown, ", "))};
}

}  // namespace detail

// What the text says. Its action is that of game.parse_action.
template <Game G>
Reading read_action(const G& game, const typename G::State& state, const History& history, std::string_view text,
                    Notation notation = Notation::standard) {
  using Kind = Objection::Kind;
  if (game.outcome(state, history).over()) {
    return {.objection = Objection{.kind = Kind::game_over, .message = "the game is over"}};
  }
  if (const auto action = game.parse_action(state, history, text, notation)) return {.action = action};
  ActionMask legal;
  game.legal_actions(state, history, legal);
  Reading reading;
  if constexpr (requires { game.interpret(state, text, notation); }) {
    Interpretation said = game.interpret(state, text, notation);
    const auto other = std::ranges::find_if(said.others, [&](Action action) { return legal.test(action); });
    if (other != said.others.end()) reading.nearest = *other;
    if (said.action != kNoAction)
      reading.objection = objection_to(game, state, history, said.action, notation);
    else
      reading.objection = std::move(said.objection);
  }
  if (!reading.objection) {
    reading.objection = detail::unreadable(game, state, history, text, notation);
    if (reading.nearest == kNoAction) {
      reading.nearest = detail::nearest_spelling(game, state, legal, text, notation);
    }
  }
  return reading;
}

// What is wrong with the text of a reading that has no action, and what may have been meant.
template <Game G>
std::string refusal_text(const G& game, const typename G::State& state, const Reading& reading, Notation notation) {
  const std::string near = reading.nearest == kNoAction ? "" : game.print_action(state, reading.nearest, notation);
  return refusal_text(reading.objection->message, near);
}

}  // namespace koridor
