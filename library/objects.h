// The objects behind the handles.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/registry.h"
#include "library/handles.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "selfplay/session/any_position.h"
#include "selfplay/session/session.h"

namespace koridor::library {

// A game and what is said of it; shared by everything that is made of it, and never changed.
struct Rules {
  explicit Rules(AnyGame game_);

  AnyGame game;
  std::string name;
  std::string family;
  std::string parameters;
  std::string action_order;
  int players = 0;
  int num_actions = 0;
};

struct Network {
  Model model;
  std::string name;  // in messages
};

}  // namespace koridor::library

struct koridor_game : koridor::library::Handle {
  static constexpr auto kKind = koridor::library::Kind::game;
  explicit koridor_game(std::shared_ptr<const koridor::library::Rules> rules_)
      : Handle(kKind), rules(std::move(rules_)) {}

  std::shared_ptr<const koridor::library::Rules> rules;
};

struct koridor_state : koridor::library::Handle {
  static constexpr auto kKind = koridor::library::Kind::state;
  koridor_state(std::shared_ptr<const koridor::library::Rules> rules_, koridor::AnyPosition position_)
      : Handle(kKind), rules(std::move(rules_)), position(std::move(position_)) {}

  std::shared_ptr<const koridor::library::Rules> rules;
  koridor::AnyPosition position;  // of rules->game
};

struct koridor_model : koridor::library::Handle {
  static constexpr auto kKind = koridor::library::Kind::model;
  explicit koridor_model(std::shared_ptr<const koridor::library::Network> network_)
      : Handle(kKind), network(std::move(network_)) {}

  std::shared_ptr<const koridor::library::Network> network;
};

struct koridor_evaluator : koridor::library::Handle {
  static constexpr auto kKind = koridor::library::Kind::evaluator;
  koridor_evaluator(std::shared_ptr<const koridor::library::Rules> rules_, koridor::Features features_,
                    std::unique_ptr<koridor::Evaluator> evaluator_);

  std::shared_ptr<const koridor::library::Rules> rules;
  koridor::Features features;  // of the model
  std::unique_ptr<koridor::Evaluator> evaluator;
  std::string description;
  std::atomic<bool> taken{false};
  // Of max_batch positions each, for those that come as states.
  std::vector<float> planes, scalars, policy, value;
};

struct koridor_session : koridor::library::Handle {
  static constexpr auto kKind = koridor::library::Kind::session;
  koridor_session(std::shared_ptr<const koridor::library::Rules> rules_, const koridor::SessionSettings& settings)
      : Handle(kKind), rules(std::move(rules_)), session(rules->game, settings), random(settings.thinker.seed) {}

  std::shared_ptr<const koridor::library::Rules> rules;
  koridor::Session session;
  koridor::Random random;  // by which levels draw
  std::atomic<bool> taken{false};
  std::atomic<bool> stop{false};
};

namespace koridor::library {

// Calls body(game, position) with the types of the state's game.
template <class State, class Body>
decltype(auto) with_state(State& state, const Body& body) {
  return std::visit(
      [&]<Game G>(const G& game) -> decltype(auto) { return body(game, std::get<Position<G>>(state.position)); },
      state.rules->game);
}

AnyPosition start_of(const AnyGame& game);

inline bool same_game(const Rules& a, const Rules& b) {
  return &a == &b || a.name == b.name;
}
// Throws Failure unless both are the same game.
void require_same_game(const Rules& expected, const Rules& given, const char* what);

inline Notation notation_of(int notation) {
  if (notation != KORIDOR_STANDARD && notation != KORIDOR_MODERN) {
    throw Failure(KORIDOR_INVALID_ARGUMENT, "the notation is neither KORIDOR_STANDARD nor KORIDOR_MODERN");
  }
  return notation == KORIDOR_MODERN ? Notation::modern : Notation::standard;
}

// A number that is an action of the game, legal or not. Throws Failure (KORIDOR_INVALID_ARGUMENT) for another.
Action action_of(const Rules& rules, std::int32_t action);

koridor_outcome outcome_of(const Outcome& outcome);

// Throws Failure (KORIDOR_UNSUPPORTED) where this CPU lacks instructions that the library was compiled for.
void require_cpu();

}  // namespace koridor::library
