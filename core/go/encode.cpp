// Positions as a network sees them: see GoGame::encode in game.h for the planes.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/go/board.h"
#include "core/go/both.h"
#include "core/go/game.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace koridor::go {
namespace {

// Raised whenever a plane or scalar changes its meaning: models of another version are refused.
constexpr int kEncodingVersion = 1;

constexpr float kPointScale = 1.0f / 20.0f;
constexpr float kMostPoints = 3.0f;  // after the scale

// Stones by the liberties of their chain.
template <class Points>
struct Liberties {
  Points one, two, more;
};

// The liberties of two stones side by side add up: the two stand on squares of different colours of a chessboard, so
// that they have no neighbour in common. So do those of three stones in a line, whose ends share only the stone between
// them. That settles nearly all chains at once.
template <class Points>
Liberties<Points> count_liberties(const Side<Points>& side) {
  constexpr int kStride = Points::kStride;
  Both<Points> stones(side.own, side.other);
  const Both<Points> empty(side.empty, side.empty);
  const Neighbours<Both<Points>> beside_empty(empty);
  const Both<Points> one = stones & beside_empty.one;
  const Both<Points> two = stones & beside_empty.two;
  const Both<Points> three = stones & beside_empty.three;
  const Both<Points> in_line =
      (one.template up<1>() & one.template down<1>()) | (one.template up<kStride>() & one.template down<kStride>());
  Both<Points> three_or_more = connected(three | (two & one.neighbours()) | (one & in_line), stones);
  stones = stones - three_or_more;

  // Chains of one stone and of two.
  const Neighbours<Both<Points>> friends(stones);
  const Both<Points> with_one = stones & (friends.one - friends.two);
  const Both<Points> small = (stones - friends.one) | (with_one & with_one.neighbours());
  const Both<Points> beside_one = (stones & one).neighbours();
  const Both<Points> beside_two = (stones & two).neighbours();
  Both<Points> two_or_more = three_or_more | (small & (two | beside_two | (one & beside_one)));
  stones = stones - small;

  while (stones.any()) {
    const Both<Points> chain = connected(stones.first(), stones);
    const Both<Points> open = chain.neighbours() & empty;
    two_or_more = two_or_more | chain.where_more(1, open);
    three_or_more = three_or_more | chain.where_more(2, open);
    stones = stones - chain;
  }
  const Points at_least_two = two_or_more.joined();
  const Points more = three_or_more.joined();
  return {(side.own | side.other) - at_least_two, at_least_two - more, more};
}

// out[i] = bit i of `bits`, as 0 or 1; `count` of them, 1 to 64.
void write_bits(std::uint64_t bits, int count, float* out) {
#ifdef __AVX512F__
  const __m512 ones = _mm512_set1_ps(1.0f);
  for (; count > 16; count -= 16, bits >>= 16, out += 16) {
    _mm512_storeu_ps(out, _mm512_maskz_mov_ps(static_cast<__mmask16>(bits), ones));
  }
  const auto rest = static_cast<__mmask16>((1u << count) - 1);
  _mm512_mask_storeu_ps(out, rest, _mm512_maskz_mov_ps(static_cast<__mmask16>(bits), ones));
#else
  for (int i = 0; i < count; ++i) out[i] = static_cast<float>(bits >> i & 1);
#endif
}

// Writes planes one after the other. Their bits are collected, without those between the rows, and are stored as floats
// 64 at a time across the planes' ends, since storing is most of the work and a plane seldom fills whole registers.
class PlaneWriter {
 public:
  PlaneWriter(const Geometry& geometry, float* out) : geometry_(geometry), out_(out) {}

  // The next plane: 1 everywhere.
  void ones() {
    for (const std::uint64_t word : geometry_.board) add(gather_bits(word, word), std::popcount(word));
  }
  // The next plane: 1 on the points, else 0.
  template <class Points>
  void set(const Points& points) {
    const auto& words = points.words();
    for (std::size_t i = 0; i < Points::kWords; ++i) {
      add(gather_bits(words[i], geometry_.board[i]), std::popcount(geometry_.board[i]));
    }
  }
  void finish() {
    if (filled_ > 0) write_bits(waiting_, filled_, out_);
  }

 private:
  // The lowest `count` bits; the others are zero.
  void add(std::uint64_t bits, int count) {
    waiting_ |= bits << filled_;
    filled_ += count;
    if (filled_ < 64) return;
    write_bits(waiting_, 64, out_);
    out_ += 64;
    filled_ -= 64;
    waiting_ = filled_ == 0 ? 0 : bits >> (count - filled_);
  }

  const Geometry& geometry_;
  float* out_;
  std::uint64_t waiting_ = 0;
  int filled_ = 0;  // bits not stored yet, below 64
};

// The same in another view.
class MovedPlaneWriter {
 public:
  MovedPlaneWriter(const Geometry& geometry, int symmetry, float* out)
      : geometry_(geometry), view_(geometry.policy_view[static_cast<std::size_t>(symmetry)].data()), out_(out) {}

  void ones() {
    std::fill_n(out_, geometry_.area(), 1.0f);
    out_ += geometry_.area();
  }
  template <class Points>
  void set(const Points& points) {
    std::fill_n(out_, geometry_.area(), 0.0f);
    for_each_point(points, [&](int point) { out_[view_[geometry_.action[static_cast<std::size_t>(point)]]] = 1.0f; });
    out_ += geometry_.area();
  }
  void finish() {}  // all is written

 private:
  const Geometry& geometry_;
  const std::uint16_t* view_;
  float* out_;
};

template <class Points>
void write_planes(const Geometry& geometry, const State& state, int symmetry, float* planes) {
  const Side<Points> side = side_of<Points>(geometry, state.stones, state.player);
  const Liberties<Points> liberties = count_liberties(side);
  const auto write = [&](auto writer) {
    writer.ones();
    writer.set(side.own);
    writer.set(side.other);
    writer.set(liberties.one);
    writer.set(liberties.two);
    writer.set(liberties.more);
    writer.set(state.ko < kUnchanged ? Points::of(state.ko) : Points());
    writer.finish();
  };
  if (symmetry == 0) {
    write(PlaneWriter(geometry, planes));
  } else {
    write(MovedPlaneWriter(geometry, symmetry, planes));
  }
}

}  // namespace

EncodingShape GoGame::encoding(const Features&) const {
  return {.planes = 7,
          .rows = rules_.rows,
          .columns = rules_.columns,
          .scalars = 15,
          .policy_planes = 1,
          .players = 2,
          .ownership_planes = 1,
          .version = kEncodingVersion};
}

EncodingNames GoGame::encoding_names(const Features&) const {
  return {
      .planes = {"board", "stones.own", "stones.other", "liberties.one", "liberties.two", "liberties.more", "ko"},
      .scalars = {"lead", "deficit", "cleanup", "passed", "ply", "rows", "columns", "superko", "situational_superko",
                  "suicide", "territory", "must_save_atari", "limited_stones", "stones_left.own", "stones_left.other"}};
}

void GoGame::encode(const State& state, const Features&, int symmetry, float* planes, float* scalars) const {
  with_points(*geometry_, [&]<class Points>() { write_planes<Points>(*geometry_, state, symmetry, planes); });

  // What black has before the area is counted.
  float ahead = -0.5f * static_cast<float>(rules_.half_points_of_komi);
  if (rules_.scoring == Scoring::territory) ahead -= static_cast<float>(state.placed[0] - state.placed[1]);
  if (state.player == 1) ahead = -ahead;
  const auto flag = [](bool set) { return set ? 1.0f : 0.0f; };
  const auto stones_left = [&](int player) {
    if (!rules_.limited_supply) return 1.0f;
    const auto i = static_cast<std::size_t>(player);
    return static_cast<float>(std::max(0, supply_[i] - state.placed[i])) / static_cast<float>(std::max(1, supply_[i]));
  };
  *scalars++ = std::clamp(ahead * kPointScale, 0.0f, kMostPoints);
  *scalars++ = std::clamp(-ahead * kPointScale, 0.0f, kMostPoints);
  *scalars++ = flag(state.phase == Phase::cleanup);
  *scalars++ = flag(state.passes > 0);
  *scalars++ = static_cast<float>(state.ply) / static_cast<float>(max_plies_);
  *scalars++ = static_cast<float>(rules_.rows) / kMaxSide;
  *scalars++ = static_cast<float>(rules_.columns) / kMaxSide;
  *scalars++ = flag(rules_.ko != Ko::simple);
  *scalars++ = flag(rules_.ko == Ko::situational);
  *scalars++ = flag(rules_.suicide);
  *scalars++ = flag(rules_.scoring == Scoring::territory);
  *scalars++ = flag(rules_.must_save_atari);
  *scalars++ = flag(rules_.limited_supply);
  *scalars++ = stones_left(state.player);
  *scalars++ = stones_left(state.player ^ 1);
}

}  // namespace koridor::go
