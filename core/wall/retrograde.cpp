#include "core/wall/retrograde.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/wall/moves.h"
#include "core/wall/paths.h"

namespace koridor::wall {

PawnPlaces::PawnPlaces(const Geometry& geometry)
    : cells(geometry.rows * geometry.columns), slots((geometry.rows - 1) * geometry.columns) {
  for (int row = 0; row < geometry.rows; ++row) {
    for (int column = 0; column < geometry.columns; ++column) {
      const Square square = make_square(row, column);
      cell[square] = static_cast<std::uint8_t>(row * geometry.columns + column);
      slot[0][square] = static_cast<std::uint8_t>(cell[square] - geometry.columns);
      slot[1][square] = static_cast<std::uint8_t>(slots - 1 - cell[square]);
    }
  }
  for (int i = 0; i < slots; ++i) {
    const int column = i % geometry.columns;
    mirrored.push_back(static_cast<std::uint8_t>(i - column + geometry.columns - 1 - column));
  }
}

Retrograde::Retrograde(const WallGame& game)
    : game_(&game),
      places_(game.geometry()),
      moves_(static_cast<std::size_t>(places_.cells) * static_cast<std::size_t>(places_.cells)) {}

int Retrograde::count_positions(const Configuration& walls) {
  const Geometry& geometry = game_->geometry();
  const OpenSteps<Board> open(geometry, Board(walls.horizontal), Board(walls.vertical));
  for (int player = 0; player < 2; ++player) {
    Board reached;
    for_each_layer(open, Board(geometry.goal[player]), [&](int, Board layer) {
      reached = reached | layer;
      return true;
    });
    (reached - Board(geometry.goal[player])).store(reach_[player]);
  }
  Bitboard both;
  (Board(reach_[0]) & Board(reach_[1])).store(both);
  return 2 * (reach_[0].count() * reach_[1].count() - both.count());
}

void Retrograde::set_walls(const Configuration& walls) {
  const Geometry& geometry = game_->geometry();
  count_positions(walls);
  State state = game_->initial_state();
  state.horizontal = walls.horizontal;
  state.vertical = walls.vertical;
  may_be_stuck_ = false;
  geometry.board.for_each([&](Square other) {
    state.pawns[kMaxPawns] = other;
    geometry.board.for_each([&](Square from) {
      if (from == other) return;
      state.pawns[0] = from;
      const Bitboard to = pawn_moves(geometry, game_->rules(), state);
      may_be_stuck_ = may_be_stuck_ || !to.any();
      moves_[static_cast<std::size_t>(places_.cell[from] * places_.cells + places_.cell[other])] = to;
    });
  });
}

void Retrograde::clear(std::span<Score> scores, Score start) const {
  std::ranges::fill(scores, kNoPosition);
  reach_[0].for_each([&](Square south) {
    reach_[1].for_each([&](Square north) {
      if (south != north) scores[static_cast<std::size_t>(places_.pair(south, north))] = start;
    });
  });
}

void Retrograde::solve(const std::array<std::span<Score>, 2>& scores, std::span<const PawnPosition> drawn) {
  int last_wall = 0;  // plies of the longest win or loss by a wall: the layers go at least that far
  for (int player = 0; player < 2; ++player) {
    reach_[1 - player].for_each([&](Square other) {
      open_.of[player][other] = reach_[player];
      open_.of[player][other].reset(other);
    });
    reach_[player].for_each([&](Square own) { won_.of[player][own] = lost_.of[player][own] = Bitboard{}; });
    for (const Score score : scores[player]) {
      if (score != kNoPosition) last_wall = std::max(last_wall, plies_of(score));
    }
  }
  for (const PawnPosition& position : drawn) {
    open_.of[position.player][position.other].reset(position.own);
    scores[position.player][pair(position.player, position.own, position.other)] = 0;
  }

  bool more = true;
  for (int plies = 1; more || plies <= last_wall; plies += 2) {
    if (plies > kLongest) throw UserError("a forced win of more than 125 plies: too long for this solver");
    const bool wins = decide_wins(plies, scores);
    const bool losses = decide_losses(plies + 1, scores);
    more = wins || losses;
  }
  for (int player = 0; player < 2; ++player) {
    reach_[1 - player].for_each([&](Square other) {
      open_.of[player][other].for_each([&](Square own) { scores[player][pair(player, own, other)] = 0; });
    });
  }
}

bool Retrograde::decide_wins(int plies, const std::array<std::span<Score>, 2>& scores) {
  const Score score = win_in(plies);
  bool any = false;
  for (int player = 0; player < 2; ++player) {
    const Board goal(game_->geometry().goal[player]);
    reach_[1 - player].for_each([&](Square other) {
      const Board good = goal | Board(lost_.of[1 - player][other]);
      const Bitboard open = open_.of[player][other];
      open.for_each([&](Square own) {
        Score& value = scores[player][pair(player, own, other)];
        if (value != score && !(options(own, other, value) & good).any()) return;
        value = score;
        won_.of[player][own].set(other);
        open_.of[player][other].reset(own);
        any = true;
      });
    });
  }
  return any;
}

bool Retrograde::decide_losses(int plies, const std::array<std::span<Score>, 2>& scores) {
  const Score score = loss_in(plies);
  bool any = false;
  for (int player = 0; player < 2; ++player) {
    reach_[1 - player].for_each([&](Square other) {
      const Board bad(won_.of[1 - player][other]);
      const Bitboard open = open_.of[player][other];
      open.for_each([&](Square own) {
        Score& value = scores[player][pair(player, own, other)];
        if (value > score) return;  // a wall still does better
        if ((options(own, other, value) - bad).any()) return;
        value = score;
        lost_.of[player][own].set(other);
        open_.of[player][other].reset(own);
        any = true;
      });
    });
  }
  return any;
}

}  // namespace koridor::wall
