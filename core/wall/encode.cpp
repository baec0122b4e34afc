// Positions as a network sees them: see WallGame::encode in game.h for the planes.
#include <algorithm>

#include "core/wall/game.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

// Writes planes one after the other.
class PlaneWriter {
 public:
  PlaneWriter(const Geometry& geometry, float* out) : rows_(geometry.rows), columns_(geometry.columns), out_(out) {}

  void set(const Bitboard& set) {
    for (int row = 0; row < rows_; ++row) {
      const unsigned bits = set.row(row);
      for (int column = 0; column < columns_; ++column) *out_++ = static_cast<float>(bits >> column & 1);
    }
  }

  // The distance of every square to the goal. Returns the distance of `pawn`.
  float distances(const OpenSteps<Board>& open, const Bitboard& goal, Square pawn) {
    const float scale = 1.0f / static_cast<float>(rows_ + columns_);
    std::fill_n(out_, rows_ * columns_, 1.0f);
    for_each_layer(open, Board(goal), [&](int distance, Board layer) {
      const float value = std::min(1.0f, static_cast<float>(distance) * scale);
      Bitboard squares;
      layer.store(squares);
      squares.for_each([&](Square square) { out_[row_of(square) * columns_ + column_of(square)] = value; });
      return true;
    });
    const float of_pawn = out_[row_of(pawn) * columns_ + column_of(pawn)];
    out_ += rows_ * columns_;
    return of_pawn;
  }

 private:
  int rows_;
  int columns_;
  float* out_;
};

}  // namespace

EncodingShape WallGame::encoding(const Features& features) const {
  const int players = rules_.players;
  const int distances = features.distances ? players : 0;
  return {.planes = 1 + 2 * players + 4 + 2 + distances,
          .rows = rules_.rows,
          .columns = rules_.columns,
          .scalars = 2 * players + distances + 4,
          .policy_planes = 3,
          .players = players};
}

void WallGame::encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const {
  const Geometry& geometry = *geometry_;
  const int view = geometry.view(state.player, symmetry);
  const bool quarter = view / 2 % 2 == 1;

  // The position in the mover's view.
  Bitboard horizontal, vertical;
  const auto& anchor_view = geometry.anchor_view[view];
  state.horizontal.for_each([&](Square square) { (quarter ? vertical : horizontal).set(anchor_view[square]); });
  state.vertical.for_each([&](Square square) { (quarter ? horizontal : vertical).set(anchor_view[square]); });
  std::array<Square, kMaxPlayers> pawns{};
  std::array<const Bitboard*, kMaxPlayers> goals{};
  std::array<int, kMaxPlayers> seats{};
  for (int i = 0; i < rules_.players; ++i) {
    seats[i] = (state.player + i) % rules_.players;
    pawns[i] = geometry.square_view[view][state.pawns[seats[i] * kMaxPawns]];
    const int turns = geometry.turns[seats[i]] - geometry.turns[state.player];
    goals[i] = &geometry.goal_after_turns[(symmetry == 0 ? turns : -turns) & 3];
  }

  PlaneWriter writer(geometry, planes);
  writer.set(geometry.board);
  for (int i = 0; i < rules_.players; ++i) {
    Bitboard pawn;
    pawn.set(pawns[i]);
    writer.set(pawn);
  }
  for (int i = 0; i < rules_.players; ++i) writer.set(*goals[i]);
  const OpenSteps<Board> open(geometry, Board(horizontal), Board(vertical));
  for (const Board& steps : {open.north, open.east, open.south, open.west}) {
    Bitboard closed;
    (Board(geometry.board) - steps).store(closed);
    writer.set(closed);
  }
  writer.set(horizontal);
  writer.set(vertical);

  for (int i = 0; i < rules_.players; ++i) {
    const int walls_left = state.walls_left[seats[i] * 2];
    scalars[i] = static_cast<float>(walls_left) / 10.0f;
    scalars[rules_.players + i] = walls_left > 0 ? 1.0f : 0.0f;
  }
  scalars += 2 * rules_.players;
  if (features.distances) {
    for (int i = 0; i < rules_.players; ++i) *scalars++ = writer.distances(open, *goals[i], pawns[i]);
  }
  *scalars++ = static_cast<float>(state.ply) / static_cast<float>(max_plies_);
  *scalars++ = static_cast<float>(rules_.rows) / 11.0f;
  *scalars++ = static_cast<float>(rules_.columns) / 11.0f;
  *scalars++ = rules_.repetition > 0 ? 1.0f : 0.0f;
}

int WallGame::policy_index(const State& state, int symmetry, Action action) const {
  return geometry_->policy_view[geometry_->view(state.player, symmetry)][index(action)];
}

}  // namespace koridor::wall
