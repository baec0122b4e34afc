// What a game is to the rest of Koridor: a value type for positions and a rules object with plain member functions.
// Search and self-play are templates over this concept, so that no call is virtual and nothing is allocated.
// docs/architecture.md, "The doors", says what a new game needs.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/random.h"
#include "core/types.h"

namespace koridor {

// The repetition keys of the positions before the present one, oldest first. They are kept beside the State so that a
// State stays small; search pushes keys on its way down the tree and truncates afterwards. The keys are also counted by
// their last bits: a count of zero tells that a key is absent without a look at the keys.
class History {
 public:
  explicit History(int capacity = 0) { keys_.reserve(static_cast<std::size_t>(capacity)); }
  void push(std::uint64_t key) {
    keys_.push_back(key);
    std::uint8_t& count = counts_[slot(key)];
    count += count < kFull ? 1 : 0;
  }
  void truncate(std::size_t size) {
    for (std::size_t i = size; i < keys_.size(); ++i) {
      std::uint8_t& count = counts_[slot(keys_[i])];
      count -= count < kFull ? 1 : 0;  // a full counter no longer knows its count, so it stays full
    }
    keys_.resize(size);
  }
  void clear() {
    keys_.clear();
    counts_.fill(0);
  }
  std::size_t size() const { return keys_.size(); }
  std::span<const std::uint64_t> keys() const { return keys_; }

  // False only if `key` certainly occurs fewer than `times` times.
  bool may_hold(std::uint64_t key, int times = 1) const {
    const int count = counts_[slot(key)];
    return count >= times || count == kFull;
  }
  bool contains(std::uint64_t key) const { return may_hold(key) && count(key, size()) > 0; }
  // How often `key` occurs among the last `window` positions.
  int count(std::uint64_t key, std::size_t window) const {
    const auto begin = keys_.end() - static_cast<std::ptrdiff_t>(std::min(window, keys_.size()));
    return static_cast<int>(std::count(begin, keys_.end(), key));
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::uint8_t kFull = 255;
  static std::size_t slot(std::uint64_t key) { return key % kSlots; }

  std::vector<std::uint64_t> keys_;
  std::array<std::uint8_t, kSlots> counts_{};
};

// Which optional input planes a network sees. Stored in the model file; switched in the configuration.
struct Features {
  bool distances = true;      // shortest-path distance fields and distances (wall games)
  bool ways = false;          // squares on the shortest ways (wall games)
  bool wall_effects = false;  // by how much each wall makes the shortest ways longer (wall games)
  friend bool operator==(const Features&, const Features&) = default;
};

// A feature as configurations ("network.<name>") and model files ("features.<name>") call it.
struct FeatureName {
  const char* name;
  bool Features::*member;
  const char* comment;  // for the reference of the configuration
};
inline constexpr std::array<FeatureName, 3> kFeatureNames = {{
    {"distances", &Features::distances, "whether the shortest-path distances of all players are inputs"},
    {"ways", &Features::ways, "whether the squares on each pawn's shortest ways are inputs; wall games"},
    {"wall_effects", &Features::wall_effects,
     "whether the number of steps by which each wall makes each pawn's shortest way longer is an input; wall games"},
}};

// "distances, ways": the features that are on, or "none".
inline std::string features_text(const Features& features) {
  std::string text;
  for (const FeatureName& feature : kFeatureNames) {
    if (features.*feature.member) text += (text.empty() ? "" : ", ") + std::string(feature.name);
  }
  return text.empty() ? "none" : text;
}

// A set of rules with an id of its own, as `koridor games` lists it. A game class has a list of them.
template <class Rules>
struct Registration {
  std::string id;       // "quoridor"
  std::string title;    // one line for a person
  std::string example;  // of a setting: "walls=3"
  Rules rules;
};

enum class Notation : std::uint8_t { standard, modern };  // Glendenning's; rows counted from player one's side

// How a board is drawn for a person.
struct BoardView {
  Notation notation = Notation::standard;
  bool colour = false;
  int turns = 0;                     // quarter turns counter-clockwise; where the board is not square, an even number
  std::span<const Action> marked{};  // actions just played, which are to stand out
  std::span<const Action> dead{};    // Go: points whose stones are shown as dead
  std::span<const float> owners{};   // Go: the probability that black will own each point, drawn instead of the stones
  bool over = false;                 // the game has ended, perhaps by a repetition, which no position shows
};

// The shape of a position as a network sees it. Planes are [planes, rows, columns], scalars are [scalars], a policy is
// [policy_planes * rows * columns + 1] with the pass last.
struct EncodingShape {
  int planes = 0;
  int rows = 0;
  int columns = 0;
  int scalars = 0;
  int policy_planes = 0;
  int players = 0;
  int ownership_planes = 0;  // 1: each square has an owner at the end, which the network may learn to predict; 0: none
  int version = 1;           // of the encoding: raised whenever a plane or scalar changes its meaning

  int area() const { return rows * columns; }
  int plane_floats() const { return planes * area(); }
  int policy_size() const { return policy_planes * area() + 1; }
  // Entry i < players is the probability that the i-th player from the one to move (0: the mover itself) wins; the last
  // entry is that of a draw.
  int value_size() const { return players + 1; }
  friend bool operator==(const EncodingShape&, const EncodingShape&) = default;
};

// The names of what a network sees, in its order; "pawn.0" is of the player to move, "pawn.1" of the next one.
struct EncodingNames {
  std::vector<std::string> planes;
  std::vector<std::string> scalars;
};

// What a game knows of a position without a search: its value with perfect play.
struct KnownValue {
  Values values{};  // seat order
  // To the end of the game, with the quickest win against the longest resistance; of a draw, at most.
  int plies = 0;
  bool exact = true;  // false: the winner may have a quicker way, and `plies` is no more than a bound for both
  // A best action that stands for all of them, where nothing depends on which is played; else kNoAction.
  Action best = kNoAction;
};

// By which rule a search goes best (core/search/rules.h), and how flat PUCT's priors are then.
struct BestSearch {
  std::string_view rule;
  float policy_temperature = 1.0f;
};

// The Knowledge of a game that keeps nothing of what it works out, or knows no values.
struct NoKnowledge {
  template <class G>
  explicit NoKnowledge(const G&) {}
  std::size_t memory_bytes() const { return 0; }
};

// Optional functions of a game, for speed and strength; users ask with `if constexpr (requires ...)`:
//   Action random_legal_action(state, random)
//       a draw from legal_actions, each equally likely
//   Action random_playout_action(state, history, random)
//       a draw from the actions that are sensible in playouts
//   Action winning_action(state)
//       an action that wins for the player to move at once, or kNoAction
//   type Knowledge, made from a game, and optional<KnownValue> known_value(state, history, knowledge, thorough)
//       the value of a position, not over, where working it out is worth the evaluations that it saves; else nothing.
//       `knowledge` is the caller's, has memory_bytes() and holds what was worked out so far, which must not change any
//       answer. Without `thorough` the game need not look where it would probably find nothing; with it, the value of
//       a best action is known wherever that of the position is
//   uint64_t prediction_key(state)
//       as key(), and equal for states of one mover that a network cannot tell apart
//   int count_legal_actions(state)
//       as many as legal_actions() finds, in a game that does not look back
//   BestSearch best_search()
//       the search by which networks play it best
//   bool looks_back()
//       false where neither actions nor outcome depend on the past; then no history is kept
//   bool out_of_stones(state), State::passes
//       how a game that is over ended, for the kinds of core/game_end.h; a game without them ends there by
//       a win, a limit of plies or a repetition
//   rules().pawns
//       the pawns of a player, for the names of what networks learn beside (train/targets/pawn_names.h)
// For people:
//   string draw_board(state, view)
//       print_board() with all that a BoardView can say
//   int turns_to_bottom(player)
//       quarter turns of the board that bring this player's side to the bottom
//   EncodingNames encoding_names(features)
//       what the planes and scalars of encode() are called
//   string_view seat_title(player)
//       what the player is called ("black")
// What is said about actions at a board (core/words.h); core/reading.h is for its users:
//   Interpretation interpret(state, text, notation)
//       what a person's text names; parse_action reads the same texts
//   Objection objection(state, history, action, notation)
//       why an action is illegal in a position that is not over
//   ActionHelp help(state, legal, notation)
//       how actions are written here, with examples out of the legal ones
// Where encoding().ownership_planes is 1 (two players), the target `ownership` learns from this (in Go: played out)
//   void ownership(state, player, out)
//       the owners of a finished game's squares, [rows * columns]: 1 the player's, 0 the other's, 0.5 nobody's; a
//       square stands where policy_index with the identity has its action
template <class G>
concept Game = requires(const G game, typename G::State& state, const typename G::State& position, Action action,
                        const History& history, ActionMask& mask, const Features& features, int number, float* out,
                        std::span<std::uint8_t> bytes, std::span<const std::uint8_t> const_bytes, Notation notation,
                        std::string_view text) {
  requires std::is_trivially_copyable_v<typename G::State>;
  requires std::equality_comparable<typename G::State>;

  // The canonical variant string; parse_game(name()) gives an equal game.
  { game.name() } -> std::convertible_to<std::string>;
  // The family ("wall", "go"); a network serves one family.
  { game.family() } -> std::convertible_to<std::string_view>;
  { game.players() } -> std::convertible_to<int>;
  { game.num_actions() } -> std::convertible_to<int>;  // actions are indices in [0, num_actions())
  { game.max_plies() } -> std::convertible_to<int>;    // every game is over after at most this many plies

  // Rules.
  { game.initial_state() } -> std::same_as<typename G::State>;
  { game.player_to_move(position) } -> std::convertible_to<int>;
  { game.ply(position) } -> std::convertible_to<int>;
  { game.legal_actions(position, history, mask) } -> std::same_as<void>;  // position not over; overwrites mask
  { game.apply(state, action) } -> std::same_as<void>;                    // action must be legal
  { game.outcome(position, history) } -> std::same_as<Outcome>;
  // 64 bits that differ when the states differ, but for chance collisions.
  { game.key(position) } -> std::same_as<std::uint64_t>;
  // The same for what rules of repetition compare (without the ply count). History holds these keys.
  { game.repetition_key(position) } -> std::same_as<std::uint64_t>;

  // Networks. Planes and scalars show the view of the player to move; symmetry 0 of num_symmetries() is the identity.
  { game.num_symmetries() } -> std::convertible_to<int>;
  { game.encoding(features) } -> std::same_as<EncodingShape>;
  { game.encode(position, features, number, out, out) } -> std::same_as<void>;  // planes, scalars: overwritten
  { game.policy_index(position, number, action) } -> std::convertible_to<int>;  // in [0, policy_size())

  // What one player has at the end of a game, in [0, 1]: in wall games the path left to its goal over the sum of rows
  // and columns, at most 1 (of two pawns the nearer one's, or the sum where both must arrive), in Go its share of the
  // area. The network learns to predict it (train/targets/auxiliary.h).
  { game.auxiliary(position, number) } -> std::convertible_to<float>;
  // A hand-made evaluation for one player, for greedy and alpha-beta; larger is better (wall games: path difference).
  { game.heuristic(position, number) } -> std::convertible_to<int>;

  // Text.
  // What an action's index means, in words, for readers of files.
  { game.action_order() } -> std::convertible_to<std::string>;
  { game.print_action(position, action, notation) } -> std::convertible_to<std::string>;
  // The legal action with this name in either case, and with spaces and hyphens as a person types them; or nothing.
  { game.parse_action(position, history, text, notation) } -> std::same_as<std::optional<Action>>;
  // A board for a terminal, lines ended by '\n'.
  { game.print_board(position, notation, bool{}) } -> std::convertible_to<std::string>;

  // Compact storage, packed_size() bytes per state; unpack gives nothing for bytes that are no state of this game.
  { game.packed_size() } -> std::convertible_to<int>;
  { game.pack(position, bytes) } -> std::same_as<void>;
  { game.unpack(const_bytes) } -> std::same_as<std::optional<typename G::State>>;
};

// Whether actions or outcome depend on the past.
template <Game G>
bool looks_back(const G& game) {
  if constexpr (requires { game.looks_back(); }) return game.looks_back();
  return true;
}

// Adds a position to the history if the game's rules look back.
template <Game G>
void remember(const G& game, const typename G::State& state, History& history) {
  if (looks_back(game)) history.push(game.repetition_key(state));
}

// A legal action of a position that is not over, each equally likely.
template <Game G>
Action random_action(const G& game, const typename G::State& state, const History& history, Random& random) {
  if constexpr (requires { game.random_legal_action(state, random); }) {
    return game.random_legal_action(state, random);  // without finding them all
  } else {
    ActionMask legal;
    game.legal_actions(state, history, legal);
    return legal.nth(random.below(legal.count()));
  }
}

// The key under which the prediction for a position is kept.
template <Game G>
std::uint64_t prediction_key(const G& game, const typename G::State& state) {
  if constexpr (requires { game.prediction_key(state); }) {
    return game.prediction_key(state);
  } else {
    return game.key(state);
  }
}

// A position together with what its rules need to know of the past. Games are played with it, and search copies it.
template <Game G>
struct Position {
  typename G::State state;
  History history;

  explicit Position(const G& game) : state(game.initial_state()), history(game.max_plies() + 1) {}

  void apply(const G& game, Action action) {
    remember(game, state, history);
    game.apply(state, action);
  }
};

// The board of a position as text, which knows whether the game is over.
template <Game G>
std::string board_text(const G& game, const Position<G>& position, BoardView view) {
  if constexpr (requires { game.draw_board(position.state, view); }) {
    view.over = game.outcome(position.state, position.history).over();
    return game.draw_board(position.state, view);
  } else {
    return game.print_board(position.state, view.notation, view.colour);
  }
}

// The legal actions, none where the game is over: a game's own legal_actions() must not be asked there.
template <Game G>
ActionMask legal_actions_of(const G& game, const Position<G>& position) {
  ActionMask legal;
  if (!game.outcome(position.state, position.history).over()) {
    game.legal_actions(position.state, position.history, legal);
  }
  return legal;
}

}  // namespace koridor
