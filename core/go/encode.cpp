// Positions as a network sees them: see GoGame::encode in game.h for the planes.
#include <algorithm>
#include <array>

#include "core/go/board.h"
#include "core/go/both.h"
#include "core/go/game.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace koridor::go {
namespace {

constexpr float kPointScale = 1.0f / 20.0f;
constexpr float kMostPoints = 3.0f;  // after the scale

// out[i] = bit i of the words, as 0 or 1; `count` of them.
void write_bits(const PointWords& bits, int count, float* out) {
#ifdef __AVX512F__
  const __m512 ones = _mm512_set1_ps(1.0f);
  int at = 0;
  for (; at + 16 <= count; at += 16) {
    const auto sixteen = static_cast<__mmask16>(bits[static_cast<std::size_t>(at >> 6)] >> (at & 63));
    _mm512_storeu_ps(out + at, _mm512_maskz_mov_ps(sixteen, ones));
  }
  const auto rest = static_cast<__mmask16>((1u << (count - at)) - 1);
  const auto sixteen = static_cast<__mmask16>(bits[static_cast<std::size_t>(at >> 6)] >> (at & 63));
  _mm512_mask_storeu_ps(out + at, rest, _mm512_maskz_mov_ps(sixteen, ones));
#else
  for (int at = 0; at < count; ++at) {
    out[at] = static_cast<float>(bits[static_cast<std::size_t>(at >> 6)] >> (at & 63) & 1);
  }
#endif
}

class PlaneWriter {
 public:
  PlaneWriter(const Geometry& geometry, int symmetry, float* out)
      : geometry_(geometry), symmetry_(symmetry), out_(out) {}

  // The next plane: the same everywhere.
  void fill(float value) {
    std::fill_n(out_, geometry_.area(), value);
    out_ += geometry_.area();
  }
  // The next plane: 1 on the points, else 0.
  template <class Points>
  void set(const Points& points) {
    if (symmetry_ == 0) {
      write_bits(as_actions(geometry_, points), geometry_.area(), out_);
    } else {
      std::fill_n(out_, geometry_.area(), 0.0f);
      const auto& view = geometry_.policy_view[static_cast<std::size_t>(symmetry_)];
      for_each_point(points, [&](int point) { out_[view[geometry_.action[static_cast<std::size_t>(point)]]] = 1.0f; });
    }
    out_ += geometry_.area();
  }

 private:
  const Geometry& geometry_;
  int symmetry_;
  float* out_;
};

// Stones by the liberties of their chain.
template <class Points>
struct Liberties {
  Points one, two, more;
};

// Two stones side by side have no neighbour in common (the points of a board are coloured like a chessboard, and they
// stand on different colours), so the liberties of both add up. That settles nearly all chains, all at once.
template <class Points>
Liberties<Points> count_liberties(const Side<Points>& side) {
  const Neighbours<Points> beside_empty(side.empty);
  const Both<Points> one(side.own & beside_empty.one, side.other & beside_empty.one);
  const Both<Points> two(side.own & beside_empty.two, side.other & beside_empty.two);
  const Both<Points> three(side.own & beside_empty.three, side.other & beside_empty.three);
  Both<Points> stones(side.own, side.other);
  const Both<Points> many = connected(three | (two & one.neighbours()), stones);
  stones = stones - many;

  // Chains of one stone and of two.
  const Neighbours<Both<Points>> friends(stones);
  const Both<Points> alone = stones - friends.one;
  const Both<Points> with_one = stones & (friends.one - friends.two);
  const Both<Points> pairs = with_one & with_one.neighbours();
  const Both<Points> some = pairs & one;
  const Both<Points> both = pairs & two;
  const Both<Points> with_two = (alone & two) | both | (pairs & both.neighbours()) | (some & some.neighbours());
  Liberties<Both<Points>> liberties{(alone | pairs) - with_two, with_two, many};
  stones = stones - alone - pairs;

  const Both<Points> empty(side.empty, side.empty);
  while (stones.any()) {
    const Both<Points> chain = connected(stones.first(), stones);
    const Both<Points> open = chain.neighbours() & empty;
    const Both<Points> second = open - open.first();
    const Both<Points> third = second - second.first();
    const Both<Points> two_or_more = chain.where_any(second);
    const Both<Points> three_or_more = chain.where_any(third);
    liberties.one = liberties.one | (chain - two_or_more);
    liberties.two = liberties.two | (two_or_more - three_or_more);
    liberties.more = liberties.more | three_or_more;
    stones = stones - chain;
  }
  return {liberties.one.joined(), liberties.two.joined(), liberties.more.joined()};
}

template <class Points>
void write_planes(const Geometry& geometry, const State& state, int symmetry, float* planes) {
  const Side<Points> side = side_of<Points>(geometry, state.stones, state.player);
  const Liberties<Points> liberties = count_liberties(side);
  PlaneWriter writer(geometry, symmetry, planes);
  writer.fill(1.0f);
  writer.set(side.own);
  writer.set(side.other);
  writer.set(liberties.one);
  writer.set(liberties.two);
  writer.set(liberties.more);
  if (state.ko < kUnchanged) {
    writer.set(Points::of(state.ko));
  } else {
    writer.fill(0.0f);
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
          .ownership_planes = 1};
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
