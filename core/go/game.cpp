#include "core/go/game.h"

#include <algorithm>
#include <bit>

#include "core/go/board.h"

namespace koridor::go {

static_assert(Game<GoGame>);

namespace {

constexpr int kPoints = kMaxWords * 64;
constexpr int kNearWeight = 4;  // of a point in the heuristic, in quarter points

using StoneKeys = std::array<std::array<std::uint64_t, kPoints>, 2>;
constexpr StoneKeys kStoneKeys = [] {
  StoneKeys keys{};
  for (int colour = 0; colour < 2; ++colour) {
    for (int point = 0; point < kPoints; ++point) {
      keys[static_cast<std::size_t>(colour)][static_cast<std::size_t>(point)] =
          mix64(0x60u << 16 | static_cast<std::uint64_t>(colour * kPoints + point));
    }
  }
  return keys;
}();
constexpr std::uint64_t kCleanupKey = mix64(0x61u << 16);
constexpr std::uint64_t kWhiteToMoveKey = mix64(0x62u << 16);

std::uint64_t stone_key(int colour, int point) {
  return kStoneKeys[static_cast<std::size_t>(colour)][static_cast<std::size_t>(point)];
}

template <class Points>
Side<Points> side_to_move(const Geometry& geometry, const State& state) {
  return side_of<Points>(geometry, state.stones, state.player);
}

// Takes stones off the board; updates key and prisoners. Returns the number of stones.
template <class Points>
int take_off(State& state, int colour, const Points& stones) {
  int count = 0;
  for_each_point(stones, [&](int point) {
    state.stones_key ^= stone_key(colour, point);
    ++count;
  });
  std::uint16_t& prisoners = state.prisoners[static_cast<std::size_t>(colour ^ 1)];
  prisoners = static_cast<std::uint16_t>(prisoners + count);
  return count;
}

// Puts a stone of the player to move on the board and takes off what it captures; the caller ends the turn.
template <class Points>
void place(const Geometry& geometry, const Rules& rules, State& state, int point) {
  const int player = state.player;
  const Side<Points> side = side_to_move<Points>(geometry, state);
  const Points stone = Points::of(point);
  const Points beside = stone.neighbours();
  const Points breathing = (side.empty - stone).neighbours();
  const Points captured = captured_by(side, beside, breathing);
  Points own = side.own | stone;
  state.stones_key ^= stone_key(player, point);
  state.ko = kNoPoint;
  if (captured.any()) {
    (side.other - captured).store(state.stones[static_cast<std::size_t>(player ^ 1)]);
    const bool alone = !(beside & (side.own | side.empty)).any();
    if (take_off(state, player ^ 1, captured) == 1 && alone) state.ko = static_cast<std::uint16_t>(point_of(captured));
  } else if (rules.suicide && !(beside & side.empty).any()) {
    Points chain = stone;
    if (!breathes(chain, own, breathing)) {
      own = own - chain;
      if (take_off(state, player, chain) == 1 && rules.ko == Ko::simple) state.ko = kUnchanged;
    }
  }
  own.store(state.stones[static_cast<std::size_t>(player)]);
}

bool anything_removed(const State& state) {
  return (state.prisoners[0] | state.prisoners[1]) != 0;
}

// The points where a stone of the own side might capture: those beside chains that may have only one liberty.
template <class Points>
Points near_weak_stones(const Points& stones, const Points& empty) {
  return (stones - chains_with_open_stone(stones, empty)).neighbours() & empty;
}

}  // namespace

GoGame::GoGame(const Rules& rules) : rules_(rules) {
  check(rules_);
  max_plies_ = effective_max_plies(rules_);
  if (max_plies_ == 4 * rules_.columns * rules_.rows) rules_.max_plies = 0;  // one form for equal rules
  decides_ = !rules_.must_save_atari && (rules_.ko != Ko::simple || !rules_.suicide);
  const auto [black, white] = supplies(rules_);
  supply_ = {black, white};
  geometry_ = std::make_shared<const Geometry>(rules_.columns, rules_.rows);
}

std::vector<Registration<Rules>> GoGame::registrations() {
  return {{std::string(kId), std::string(kTitle), "komi=5.5", Rules{}}};
}

std::string GoGame::name() const {
  return variant_name(rules_);
}

State GoGame::initial_state() const {
  return *setup_state(handicap_points(rules_), {}, rules_.handicap > 0 ? 1 : 0);
}

std::optional<State> GoGame::setup_state(std::span<const std::pair<int, int>> black,
                                         std::span<const std::pair<int, int>> white, int player) const {
  State state;
  state.player = static_cast<std::uint8_t>(player);
  for (int colour = 0; colour < 2; ++colour) {
    for (const auto& [row, column] : colour == 0 ? black : white) {
      if (row < 0 || row >= rules_.rows || column < 0 || column >= rules_.columns) return std::nullopt;
      const int point = geometry_->point_at(row, column);
      const std::uint64_t bit = std::uint64_t{1} << (point & 63);
      const auto word = static_cast<std::size_t>(point >> 6);
      if (((state.stones[0][word] | state.stones[1][word]) & bit) != 0) return std::nullopt;
      state.stones[static_cast<std::size_t>(colour)][word] |= bit;
      state.stones_key ^= stone_key(colour, point);
      ++state.placed[static_cast<std::size_t>(colour)];
    }
  }
  return all_alive(state) ? std::optional(state) : std::nullopt;
}

bool GoGame::all_alive(const State& state) const {
  return with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_to_move<Points>(*geometry_, state);
    const Points breathing = side.empty.neighbours();
    return connected(side.own & breathing, side.own) == side.own &&
           connected(side.other & breathing, side.other) == side.other;
  });
}

// The points the player to move may take. `bound` becomes true where the duty to save chains restricts them.
template <class Points>
Points GoGame::legal_points(const State& state, const History& history, bool& bound) const {
  const Side<Points> side = side_to_move<Points>(*geometry_, state);
  Points legal = rules_.suicide ? side.empty : points_without_suicide(side);
  if (state.ko == kUnchanged) {
    const Points closed = legal - side.empty.neighbours() - side.own.neighbours();
    for_each_point(closed, [&](int point) {
      if (!lives_without_empty_neighbour(side, Points::of(point))) legal = legal - Points::of(point);
    });
  } else if (state.ko != kNoPoint) {
    legal = legal - Points::of(state.ko);
  }

  if (rules_.ko != Ko::simple) {
    // Without a stone ever removed only a suicide can bring a position back: all others add to the stones.
    const Points closed = legal - side.empty.neighbours();
    const Points candidates = anything_removed(state) ? legal : rules_.suicide ? closed : Points();
    if (candidates.any()) {
      // The points where more than the new stone may change.
      Points changing = near_weak_stones(side.other, side.empty);
      if (rules_.suicide) changing = changing | closed;
      const auto& many = changing.words();
      const std::uint64_t others_turn = rules_.ko == Ko::situational ? kWhiteToMoveKey : 0;
      const std::uint64_t present = repetition_key(state);
      const std::uint64_t base = present ^ others_turn;
      for_each_point(candidates, [&](int point) {
        std::uint64_t key = base ^ stone_key(state.player, point);
        if ((many[static_cast<std::size_t>(point >> 6)] >> (point & 63) & 1) != 0) {
          State next = state;
          place<Points>(*geometry_, rules_, next, point);
          key = repetition_key(next) ^ others_turn;
        }
        if (key == present || history.contains(key)) legal = legal - Points::of(point);
      });
    }
  }

  bound = false;
  if (rules_.must_save_atari) {
    const Points saving = saving_points(side, legal);
    bound = saving.any();
    if (bound) return saving;
  }
  return legal;
}

void GoGame::legal_actions(const State& state, const History& history, ActionMask& mask) const {
  mask.clear();
  bool bound = false;
  const PointWords words = with_points(
      *geometry_, [&]<class Points>() { return as_actions(*geometry_, legal_points<Points>(state, history, bound)); });
  for (int i = 0; i < kMaxWords; ++i) mask.word(i) = words[static_cast<std::size_t>(i)];
  if (!bound) mask.set(pass());
}

template <class Points>
Action GoGame::random_point(const State& state, const History& history, Random& random) const {
  const Side<Points> side = side_to_move<Points>(*geometry_, state);
  const Points open = side.empty.neighbours();
  Points candidates = side.empty - own_eyes(side, Points::load(geometry_->edge));
  if (!rules_.suicide) candidates = candidates - certain_suicides(side, open);
  // Where the rules need more than a test of the drawn point, all legal points are found first.
  const bool listed = rules_.must_save_atari || state.ko == kUnchanged;
  if (listed) {
    bool bound = false;
    const Points legal = legal_points<Points>(state, history, bound);
    candidates = bound && !(candidates & legal).any() ? legal : candidates & legal;
  } else if (state.ko != kNoPoint) {
    candidates = candidates - Points::of(state.ko);
  }
  const bool superko = rules_.ko != Ko::simple;

  auto words = candidates.words();
  const auto& open_words = open.words();
  int total = 0;
  for (int i = 0; i < Points::kWords; ++i) total += std::popcount(words[static_cast<std::size_t>(i)]);
  for (; total > 0; --total) {
    // Finds the word that holds the drawn bit without a branch, which would be as unpredictable as the draw.
    const int drawn = random.below(total);
    std::size_t word = 0;
    int below = 0;
    int before = 0;
    for (std::size_t i = 0; i + 1 < Points::kWords; ++i) {
      below += std::popcount(words[i]);
      word += drawn >= below ? 1 : 0;
      before = drawn >= below ? below : before;
    }
    const int bit = nth_bit(words[word], drawn - before);
    const int point = static_cast<int>(word) * 64 + bit;
    const bool is_open = (open_words[word] >> bit & 1) != 0;
    bool legal = is_open || listed || rules_.suicide || lives_without_empty_neighbour(side, Points::of(point));
    if (legal && superko && !listed && (anything_removed(state) || !is_open)) {
      State next = state;
      place<Points>(*geometry_, rules_, next, point);
      next.player ^= 1;
      const std::uint64_t key = repetition_key(next);
      legal = key != repetition_key(state) && !history.contains(key);
    }
    if (legal) return Action{geometry_->action[static_cast<std::size_t>(point)]};
    words[word] &= ~(std::uint64_t{1} << bit);
  }
  return pass();
}

Action GoGame::random_playout_action(const State& state, const History& history, Random& random) const {
  return with_points(*geometry_, [&]<class Points>() { return random_point<Points>(state, history, random); });
}

void GoGame::apply(State& state, Action action) const {
  const int point = geometry_->point[static_cast<std::size_t>(index(action))];
  if (point == kNoPoint) {
    ++state.passes;
    state.ko = rules_.suicide && rules_.ko == Ko::simple ? kUnchanged : kNoPoint;
    if (state.passes == 2 && state.phase == Phase::main && rules_.scoring == Scoring::territory) {
      state.phase = Phase::cleanup;
      state.passes = 0;
    }
  } else {
    with_points(*geometry_, [&]<class Points>() { place<Points>(*geometry_, rules_, state, point); });
    state.passes = 0;
    if (state.phase == Phase::main) ++state.placed[state.player];
  }
  ++state.ply;
  state.player ^= 1;
}

bool GoGame::out_of_stones(const State& state) const {
  return rules_.limited_supply && state.phase == Phase::main && state.placed[state.player] >= supply_[state.player];
}

Outcome GoGame::outcome(const State& state, const History& history) const {
  if (state.passes < 2) {
    // This is the third time if it occurred twice before; no position comes again unless a stone was removed.
    if (rules_.ko == Ko::simple && anything_removed(state)) {
      const std::uint64_t key = repetition_key(state);
      if (history.may_hold(key, 2) && history.count(key, history.size()) >= 2) return Outcome::drawn(2);
    }
    if (state.ply < max_plies_ && !out_of_stones(state)) return {};
  }
  const int difference = half_points(state);
  if (difference == 0) return Outcome::drawn(2);
  return Outcome::won_by(difference > 0 ? 0 : 1);
}

std::uint64_t GoGame::repetition_key(const State& state) const {
  std::uint64_t key = state.stones_key;
  if (state.phase == Phase::cleanup) key ^= kCleanupKey;
  if (rules_.ko != Ko::positional && state.player != 0) key ^= kWhiteToMoveKey;
  return key;
}

std::uint64_t GoGame::key(const State& state) const {
  const std::uint64_t counters = static_cast<std::uint64_t>(state.ply) | static_cast<std::uint64_t>(state.ko) << 16 |
                                 static_cast<std::uint64_t>(state.player) << 32 |
                                 static_cast<std::uint64_t>(state.passes) << 40 |
                                 static_cast<std::uint64_t>(state.phase) << 48;
  const std::uint64_t stones =
      static_cast<std::uint64_t>(state.placed[0]) | static_cast<std::uint64_t>(state.placed[1]) << 16 |
      static_cast<std::uint64_t>(state.prisoners[0]) << 32 | static_cast<std::uint64_t>(state.prisoners[1]) << 48;
  return mix64(state.stones_key ^ mix64(counters ^ mix64(stones)));
}

Score GoGame::score(const State& state) const {
  return with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_of<Points>(*geometry_, state.stones, 0);
    const Territory<Points> area = territory(side);
    Score score;
    score.stones = {side.own.count(), side.other.count()};
    score.territory = {area.own.count(), area.other.count()};
    score.neutral = side.empty.count() - score.territory[0] - score.territory[1];
    for (std::size_t colour = 0; colour < 2; ++colour) {
      score.prisoners[colour] = state.prisoners[colour];
      score.placed[colour] = state.placed[colour];
      score.placed_in_cleanup[colour] = score.stones[colour] + state.prisoners[colour ^ 1] - state.placed[colour];
    }
    return score;
  });
}

int GoGame::half_points(const State& state) const {
  const Score counted = score(state);
  const int points = rules_.scoring == Scoring::area ? counted.by_area() : counted.by_territory();
  return 2 * points - rules_.half_points_of_komi;
}

void GoGame::ownership(const State& state, int player, std::span<float> out) const {
  with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_of<Points>(*geometry_, state.stones, player);
    const Territory<Points> area = territory(side);
    std::fill(out.begin(), out.end(), 0.5f);
    for_each_point(side.own | area.own,
                   [&](int point) { out[geometry_->action[static_cast<std::size_t>(point)]] = 1; });
    for_each_point(side.other | area.other,
                   [&](int point) { out[geometry_->action[static_cast<std::size_t>(point)]] = 0; });
  });
}

float GoGame::auxiliary(const State& state, int player) const {
  const Score counted = score(state);
  const int difference = player == 0 ? counted.by_area() : -counted.by_area();
  return 0.5f + 0.5f * static_cast<float>(difference) / static_cast<float>(geometry_->area());
}

int GoGame::heuristic(const State& state, int player) const {
  return with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_to_move<Points>(*geometry_, state);
    // Stones that the player to move can take at once do not count.
    const Points lost = side.other & chains_in_atari(side.other, side.empty);
    Points own = side.own;
    Points other = side.other - lost;
    const int open = (own.neighbours() & side.empty).count() - (other.neighbours() & side.empty).count();
    Points free = side.empty | lost;
    while (free.any()) {
      const Points to_own = own.neighbours() & free;
      const Points to_other = other.neighbours() & free;
      const Points reached = to_own | to_other;
      if (!reached.any()) break;
      own = own | (to_own - to_other);
      other = other | (to_other - to_own);
      free = free - reached;
    }
    const int value = kNearWeight * (own.count() - other.count()) + open;
    return state.player == player ? value : -value;
  });
}

}  // namespace koridor::go
