// What the picture of a position (picture.h) holds of its family: the shapes on the board, and the places of actions.
// A game that has no overload here gets an empty board and actions without places; a page then shows its text.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "core/go/game.h"
#include "core/wall/game.h"
#include "core/words.h"
#include "selfplay/session/session.h"

namespace koridor {

// The board's size and labels, goals, stars: what is the same in every position.
nlohmann::json board_shape(const wall::WallGame& game, Notation notation);
nlohmann::json board_shape(const go::GoGame& game, Notation notation);

// Adds what stands on the board and beside it. `moves` led to the position; they tell who placed a wall.
void add_shapes(nlohmann::json& picture, const wall::WallGame& game, const wall::State& state,
                std::span<const SessionMove> moves);
void add_shapes(nlohmann::json& picture, const go::GoGame& game, const go::State& state,
                std::span<const SessionMove> moves);

// "kind" and "at" of an action, and "from" and "pawn" of a pawn's.
void add_place(nlohmann::json& action, const wall::WallGame& game, const wall::State& state, Action which);
void add_place(nlohmann::json& action, const go::GoGame& game, const go::State& state, Action which);

// Whether a person can point at the action on this board at all: an action for whose illegality a reason is given.
bool can_be_pointed_at(const wall::WallGame& game, const wall::State& state, Action which);
bool can_be_pointed_at(const go::GoGame& game, const go::State& state, Action which);

std::string_view kind_name(Objection::Kind kind);

}  // namespace koridor
