// koridor inspect SHARD --game N: one game of a shard, ply by ply.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/table.h"
#include "core/game.h"
#include "selfplay/shards/shard.h"

namespace koridor::cli {

// Which game of a shard, and how it is shown.
struct GameView {
  std::size_t place = 0;  // of the game in the shard, from 0
  Notation notation = Notation::standard;
  int top = 5;  // entries of a ply's policy, the likeliest first
};

// Shows the record in one line as in chess, each ply with its search, the last position and the result. Throws
// UserError where the shard has no such game, or where a ply or policy of it is not legal.
void show_game(TableWriter& out, const std::string& file, const ShardData& data, const GameView& view);

// That game as an SGF record. Throws UserError also where the game is not one of Go.
std::string sgf_of(const std::string& file, const ShardData& data, std::size_t place);

}  // namespace koridor::cli
