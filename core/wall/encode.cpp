// Positions as a network sees them: see WallGame::encode in game.h for the planes.
//
// Sets of squares are written one row at a time; distances are kept as five sets, one per binary digit.
#include <algorithm>
#include <span>

#include "core/wall/configuration.h"
#include "core/wall/game.h"
#include "core/wall/paths.h"
#include "core/wall/row_floats.h"
#include "core/wall/wall_effects.h"

namespace koridor::wall {
namespace {

// Raised whenever a plane or scalar changes its meaning: models of another version are refused.
constexpr int kEncodingVersion = 1;

// A wall that makes a way longer by so many steps, or closes it, has 1 in the planes of its effects.
constexpr int kLargestEffect = 8;

constexpr int kDigits = 5;  // binary digits of a distance; rows + columns is at most 25

// Distances to a goal, at most rows + columns, as binary digits.
struct DistanceField {
  std::array<Board, kDigits> digits;

  void add(Board squares, int distance) {
    for (int digit = 0; digit < kDigits; ++digit) {
      if ((distance >> digit & 1) != 0) digits[digit] = digits[digit] | squares;
    }
  }
};

// The distances to several goals at once, since their floods do not wait for each other.
template <int kGoals, class Steps>
void fill_distances(const Geometry& geometry, const Steps& steps, const Bitboard* const* goals, DistanceField* fields) {
  const int most = geometry.rows + geometry.columns;
  std::array<Board, kGoals> layer, reached;
  for (int i = 0; i < kGoals; ++i) layer[i] = reached[i] = Board(*goals[i]);
  for (int distance = 1; distance < most; ++distance) {
    Board any;
    for (int i = 0; i < kGoals; ++i) {
      layer[i] = steps.spread(layer[i]) - reached[i];
      reached[i] = reached[i] | layer[i];
      fields[i].add(layer[i], distance);
      any = any | layer[i];
    }
    if (!any.any()) break;
  }
  for (int i = 0; i < kGoals; ++i) fields[i].add(Board(geometry.board) - reached[i], most);
}

// The same for all players.
template <class Steps>
void fill_distances(const Geometry& geometry, const Steps& steps, const std::array<const Bitboard*, kMaxPlayers>& goals,
                    std::array<DistanceField, kMaxPlayers>& fields) {
  fill_distances<2>(geometry, steps, &goals[0], &fields[0]);
  if (geometry.players == 3) fill_distances<1>(geometry, steps, &goals[2], &fields[2]);
  if (geometry.players == 4) fill_distances<2>(geometry, steps, &goals[2], &fields[2]);
}

// Writes planes one after the other, one vector of floats per row. The next row overwrites what a row writes past its
// end; planes too near the end of the array for that are written aside and copied.
class PlaneWriter {
 public:
  PlaneWriter(const Geometry& geometry, float* out, int planes)
      : rows_(geometry.rows), columns_(geometry.columns), out_(out), left_(planes * rows_ * columns_) {}

  // The same value everywhere.
  void fill(float value) {
    const int area = rows_ * columns_;
    std::fill_n(out_, area, value);
    left_ -= area;
    out_ += area;
  }
  void one(Square square) {
    fill(0.0f);
    out_[place(square) - rows_ * columns_] = 1.0f;
  }
  void set(const Board& set) { narrow() ? write_set<NarrowRowFloats>(set) : write_set<RowFloats>(set); }
  void distances(const DistanceField& field, float scale) {
    narrow() ? write_digits<NarrowRowFloats>(field, scale) : write_digits<RowFloats>(field, scale);
  }
  // Planes of zeros; square s of the first of them is at the pointer's offset place(s).
  float* zeros(int planes) {
    float* const first = out_;
    for (int plane = 0; plane < planes; ++plane) fill(0.0f);
    return first;
  }
  int place(Square square) const { return row_of(square) * columns_ + column_of(square); }
  // Of the plane written last.
  float at(Square square) const { return out_[place(square) - rows_ * columns_]; }

 private:
  bool narrow() const { return columns_ <= NarrowRowFloats::kSize; }

  template <class Row>
  void write_set(const Board& set) {
    Bitboard stored;
    set.store(stored);
    write<Row>([&](int word) {
      return [bits = stored.words[word]](int row, float* out) { Row(bits >> (16 * row) & 0xFFFF, 1.0f).store(out); };
    });
  }

  template <class Row>
  void write_digits(const DistanceField& field, float scale) {
    std::array<Bitboard, kDigits> stored;
    for (int i = 0; i < kDigits; ++i) field.digits[i].store(stored[i]);
    write<Row>([&](int word) {
      std::array<std::uint64_t, kDigits> digits;
      for (int i = 0; i < kDigits; ++i) digits[i] = stored[i].words[word];
      return [rows = FastDigitRows<Row>(digits), scale](int row, float* out) { rows.store(row, scale, out); };
    });
  }

  // A plane, four rows at a time: four_rows(i) gives the object that writes the rows from 4 * i on.
  template <class Row, class FourRows>
  void write(FourRows&& four_rows) {
    const int rows = rows_;
    const int columns = columns_;
    const int area = rows * columns;
    std::array<float, 16 * 16> aside;
    left_ -= area;
    const bool near_end = left_ < Row::kSize;
    float* plane = near_end ? aside.data() : out_;
    for (int word = 0; 4 * word < rows; ++word) {
      const auto write_row = four_rows(word);
      if (rows - 4 * word >= 4) {  // unrolled
        write_row(0, plane);
        write_row(1, plane + columns);
        write_row(2, plane + 2 * columns);
        write_row(3, plane + 3 * columns);
        plane += 4 * columns;
      } else {
        for (int row = 0; row < rows - 4 * word; ++row) write_row(row, plane + row * columns);
      }
    }
    if (near_end) std::copy_n(aside.data(), area, out_);
    out_ += area;
  }

  int rows_;
  int columns_;
  float* out_;
  int left_;  // floats still to be written
};

// The walls as seen in a view.
WallSets walls_in_view(const Geometry& geometry, const State& state, int view) {
  const int turns = view / 2;
  if (turns % 2 == 0) {
    const int symmetry = (view % 2 == 1 ? kMirror : 0) | (turns == 2 ? kHalfTurn : 0);
    const Configuration turned = transformed(geometry, {state.horizontal, state.vertical}, symmetry);
    return {turned.horizontal, turned.vertical};
  }
  // A quarter turn also turns the walls themselves.
  WallSets seen;
  const auto& anchor_view = geometry.anchor_view[view];
  state.horizontal.for_each([&](Square anchor) { seen.vertical.set(anchor_view[anchor]); });
  state.vertical.for_each([&](Square anchor) { seen.horizontal.set(anchor_view[anchor]); });
  return seen;
}

// What the planes of the ways depend on, beside the steps between the walls.
struct WaysInput {
  const Geometry& geometry;
  const Features& features;
  const WallSets& walls;
  bool walls_left;  // whether anybody has any
  std::span<const Way> pawns;
};

// The planes of the shortest ways of the pawns, and of what walls do to them.
template <class Steps, class MakeSteps>
void write_ways(const WaysInput& input, const Steps& steps, MakeSteps&& make_steps, PlaneWriter& writer) {
  const auto& [geometry, features, walls, walls_left, pawns] = input;
  std::array<ShortestWays, kMaxPlayers * kMaxPawns> ways;
  for (std::size_t i = 0; i < pawns.size(); ++i) {
    find_shortest_ways<Board>(steps, pawns[i].from, *pawns[i].to, ways[i]);
    if (features.ways) writer.set(squares_on<Board>(steps, ways[i]));
  }
  if (!features.wall_effects) return;
  Board free_horizontal, free_vertical;
  free_walls(geometry, Board(walls.horizontal), Board(walls.vertical), free_horizontal, free_vertical);
  WallTrial trial{walls, {}, kLargestEffect};
  free_horizontal.store(trial.candidates.horizontal);
  free_vertical.store(trial.candidates.vertical);
  const int area = geometry.rows * geometry.columns;
  for (std::size_t i = 0; i < pawns.size(); ++i) {
    float* const planes = writer.zeros(2);
    if (!walls_left) continue;
    for_each_lengthening_wall<Board>(trial, steps, ways[i], make_steps,
                                     [&](ActionKind kind, Square anchor, int longer) {
                                       planes[(kind == ActionKind::vertical ? area : 0) + writer.place(anchor)] =
                                           static_cast<float>(longer) / kLargestEffect;
                                     });
  }
}

// Writes the walls of each player and kind / 10, then 1 for each where there is one, else 0. Returns what follows.
float* write_walls_left(const State& state, std::span<const int> seats, int kinds, float* scalars) {
  const int count = static_cast<int>(seats.size()) * kinds;
  for (int i = 0; i < count; ++i) {
    const int walls_left = state.walls_left[seats[i / kinds] * 2 + i % kinds];
    scalars[i] = static_cast<float>(walls_left) / 10.0f;
    scalars[count + i] = walls_left > 0 ? 1.0f : 0.0f;
  }
  return scalars + 2 * count;
}

}  // namespace

EncodingShape WallGame::encoding(const Features& features) const {
  const int players = rules_.players;
  const int pawns = rules_.pawns * players;
  const int distances = features.distances ? players : 0;
  const int of_ways = (features.ways ? pawns : 0) + (features.wall_effects ? 2 * pawns : 0);
  return {.planes = 1 + pawns + players + 4 + 2 + distances + of_ways,
          .rows = rules_.rows,
          .columns = rules_.columns,
          .scalars = 2 * wall_kinds() * players + distances + (rules_.wall_after_move ? 1 : 0) + 4,
          .policy_planes = geometry_->action_planes(),
          .players = players,
          .version = kEncodingVersion};
}

EncodingNames WallGame::encoding_names(const Features& features) const {
  EncodingNames names;
  const auto of_players = [&](std::vector<std::string>& list, const std::string& what, int each = 1) {
    for (int i = 0; i < rules_.players * each; ++i) {
      list.push_back(what + "." + std::to_string(i / each) + (each > 1 ? "." + std::to_string(i % each) : ""));
    }
  };
  names.planes.push_back("board");
  of_players(names.planes, "pawn", rules_.pawns);
  of_players(names.planes, "goal");
  for (const char* side : {"north", "east", "south", "west"}) names.planes.push_back(std::string("closed.") + side);
  names.planes.push_back("walls.horizontal");
  names.planes.push_back("walls.vertical");
  if (features.distances) of_players(names.planes, "distance");
  if (features.ways) of_players(names.planes, "ways", rules_.pawns);
  if (features.wall_effects) {
    for (int player = 0; player < rules_.players; ++player) {
      for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
        const std::string of =
            "." + std::to_string(player) + (rules_.pawns > 1 ? "." + std::to_string(pawn) : std::string());
        names.planes.push_back("effects.horizontal" + of);
        names.planes.push_back("effects.vertical" + of);
      }
    }
  }

  of_players(names.scalars, "walls_left", wall_kinds());
  of_players(names.scalars, "has_walls", wall_kinds());
  if (features.distances) of_players(names.scalars, "distance");
  if (rules_.wall_after_move) names.scalars.push_back("phase");
  for (const char* name : {"ply", "rows", "columns", "repetition"}) names.scalars.push_back(name);
  return names;
}

void WallGame::encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const {
  const Geometry& geometry = *geometry_;
  const int players = rules_.players;
  const int view = geometry.view(state.player, symmetry);

  const WallSets walls = walls_in_view(geometry, state, view);
  std::array<Square, kMaxPlayers * kMaxPawns> pawns{};
  std::array<const Bitboard*, kMaxPlayers> goals{};
  std::array<int, kMaxPlayers> seats{};
  for (int i = 0; i < players; ++i) {
    seats[i] = (state.player + i) % players;
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      pawns[i * kMaxPawns + pawn] = geometry.square_view[view][state.pawns[seats[i] * kMaxPawns + pawn]];
    }
    if (rules_.pawns == 2 && swaps_pawns(state, seats[i], view)) {
      std::swap(pawns[i * kMaxPawns], pawns[i * kMaxPawns + 1]);
    }
    const int turns = geometry.turns[seats[i]] - geometry.turns[state.player];
    goals[i] = &geometry.goal_after_turns[(symmetry == 0 ? turns : -turns) & 3];
  }

  PlaneWriter writer(geometry, planes, encoding(features).planes);
  const Board board(geometry.board);
  writer.fill(1.0f);
  for (int i = 0; i < players; ++i) {
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) writer.one(pawns[i * kMaxPawns + pawn]);
  }
  for (int i = 0; i < players; ++i) writer.set(Board(*goals[i]));
  const Board horizontal = Board::fresh(walls.horizontal);
  const Board vertical = Board::fresh(walls.vertical);
  const OpenSteps<Board> open(geometry, horizontal, vertical);
  for (const Board& steps : {open.north, open.east, open.south, open.west}) writer.set(board - steps);
  writer.set(horizontal);
  writer.set(vertical);

  scalars = write_walls_left(state, std::span(seats).first(players), wall_kinds(), scalars);
  if (features.distances) {
    std::array<DistanceField, kMaxPlayers> fields;
    if (rules_.step == Step::diagonal) {
      fill_distances(geometry, EightSteps(open, rules_.diagonal_step), goals, fields);
    } else {
      fill_distances(geometry, open, goals, fields);
    }
    const float scale = 1.0f / static_cast<float>(rules_.rows + rules_.columns);
    for (int i = 0; i < players; ++i) {
      writer.distances(fields[i], scale);
      const Square* const own = &pawns[i * kMaxPawns];
      const float first = writer.at(own[0]);
      const float second = rules_.pawns == 2 ? writer.at(own[1]) : first;
      *scalars++ = rules_.pawns == 1       ? first
                   : rules_.win_pawns == 1 ? std::min(first, second)
                                           : std::min(first + second, 1.0f);
    }
  }
  if (features.ways || features.wall_effects) {
    std::array<Way, kMaxPlayers * kMaxPawns> ways;
    int count = 0;
    for (int i = 0; i < players; ++i) {
      for (int pawn = 0; pawn < rules_.pawns; ++pawn) ways[count++] = {pawns[i * kMaxPawns + pawn], goals[i]};
    }
    const bool walls_left = std::ranges::any_of(state.walls_left, [](int left) { return left > 0; });
    const WaysInput input{geometry, features, walls, walls_left, std::span(ways).first(count)};
    const auto write = [&](const auto& steps, auto&& make_steps) { write_ways(input, steps, make_steps, writer); };
    const auto open_between = [&](const Board& h, const Board& v) { return OpenSteps<Board>(geometry, h, v); };
    if (rules_.step == Step::diagonal) {
      write(EightSteps(open, rules_.diagonal_step),
            [&](const Board& h, const Board& v) { return EightSteps(open_between(h, v), rules_.diagonal_step); });
    } else {
      write(open, open_between);
    }
  }
  if (rules_.wall_after_move) *scalars++ = static_cast<float>(state.phase);
  *scalars++ = static_cast<float>(state.ply) / static_cast<float>(max_plies_);
  *scalars++ = static_cast<float>(rules_.rows) / 11.0f;
  *scalars++ = static_cast<float>(rules_.columns) / 11.0f;
  *scalars++ = rules_.repetition > 0 ? 1.0f : 0.0f;
}

bool WallGame::swaps_pawns(const State& state, int player, int view) const {
  const Square* const pawns = &state.pawns[player * kMaxPawns];
  return geometry_->square_view[view][pawns[0]] > geometry_->square_view[view][pawns[1]];
}

int WallGame::policy_index(const State& state, int symmetry, Action action) const {
  const int view = geometry_->view(state.player, symmetry);
  const int place = geometry_->policy_view[view][index(action)];
  const int area = rules_.rows * rules_.columns;
  if (rules_.pawns == 1 || place >= 2 * area || !swaps_pawns(state, state.player, view)) return place;
  return place < area ? place + area : place - area;
}

}  // namespace koridor::wall
