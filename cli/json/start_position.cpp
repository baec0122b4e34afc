#include "cli/json/start_position.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/json/fields.h"

namespace koridor {
namespace {

using nlohmann::json;

// A place [row, column] of so many rows and columns; `whose` names what stands there.
std::pair<int, int> read_place(const json& place, int rows, int columns, std::string_view whose) {
  const bool pair = place.is_array() && place.size() == 2;
  const auto row = pair ? whole_number(place[0], 0, rows - 1) : std::nullopt;
  const auto column = pair ? whole_number(place[1], 0, columns - 1) : std::nullopt;
  if (!row || !column) {
    throw UserError(fmt::format("a {}'s place is [row, column], the row from 0 to {} and the column to {}", whose,
                                rows - 1, columns - 1));
  }
  return {*row, *column};
}

const json& list_field(const json& object, const char* name, std::size_t most) {
  static const json kNone = json::array();
  const json* const found = field_of(object, name);
  if (found == nullptr) return kNone;
  if (!found->is_array() || found->size() > most) {
    throw UserError(fmt::format("\"{}\" is a list of at most {}", name, most));
  }
  return *found;
}

template <Game G>
Position<G> at_state(const G& game, const typename G::State& state) {
  Position<G> position(game);
  position.state = state;
  return position;
}

void place_pawns(wall::State& state, const wall::WallGame& game, const json& start) {
  std::array<int, kMaxPlayers> placed{};
  for (const json& pawn : list_field(start, "pawns", kMaxPlayers * wall::kMaxPawns)) {
    if (!pawn.is_object() || !pawn.contains("at")) throw UserError("a pawn has \"seat\" and \"at\"");
    const int seat = number_field(pawn, "seat", 0, 0, game.players() - 1);
    const auto [row, column] = read_place(pawn["at"], game.rules().rows, game.rules().columns, "pawn");
    const int number = placed[static_cast<std::size_t>(seat)]++;
    if (number >= game.rules().pawns) throw UserError(fmt::format("player {} has too many pawns", seat + 1));
    state.pawns[static_cast<std::size_t>(seat * wall::kMaxPawns + number)] = wall::make_square(row, column);
  }
  for (int seat = 0; seat < game.players(); ++seat) {
    auto* const pawns = &state.pawns[static_cast<std::size_t>(seat * wall::kMaxPawns)];
    std::sort(pawns, pawns + game.rules().pawns);
  }
}

void place_walls(wall::State& state, const wall::WallGame& game, const json& start) {
  for (const json& wall : list_field(start, "walls", 256)) {
    if (!wall.is_object() || !wall.contains("at")) throw UserError("a wall has \"kind\" and \"at\"");
    const std::string kind = text_field(wall, "kind", "");
    if (kind != "horizontal" && kind != "vertical") {
      throw UserError("a wall's kind is \"horizontal\" or \"vertical\"");
    }
    const auto [row, column] = read_place(wall["at"], game.rules().rows - 1, game.rules().columns - 1, "wall");
    (kind == "horizontal" ? state.horizontal : state.vertical).set(wall::make_square(row, column));
  }
}

// The walls of a kind that a player has left. Stocks are what a person types, so the error speaks as the page does.
std::uint8_t read_stock(const json& stock, const char* kind, std::uint8_t otherwise, std::size_t seat, int most) {
  const json* const found = field_of(stock, kind);
  if (found == nullptr) return otherwise;
  if (const std::optional<int> walls = whole_number(*found, 0, most)) return static_cast<std::uint8_t>(*walls);
  const std::string which = kind == std::string_view("any") ? "" : fmt::format("{} ", kind);
  throw UserError(fmt::format("player {} has from 0 to {} {}walls left, a whole number", seat + 1, most, which));
}

void read_stocks(wall::State& state, const wall::WallGame& game, const json& start) {
  const bool by_kind = game.rules().walls_by_kind;
  const json& stocks = list_field(start, "stocks", kMaxPlayers);
  for (std::size_t seat = 0; seat < stocks.size(); ++seat) {
    if (!stocks[seat].is_object()) throw UserError("a stock is {\"any\": walls} or of both kinds");
    require_known_keys(stocks[seat], by_kind ? "horizontal vertical" : "any");
    std::uint8_t* const left = &state.walls_left[seat * 2];
    left[0] = read_stock(stocks[seat], by_kind ? "horizontal" : "any", left[0], seat, game.rules().walls);
    if (by_kind) left[1] = read_stock(stocks[seat], "vertical", left[1], seat, game.rules().walls);
  }
}

// Stocks that are left out are full, so whoever places walls names the stocks, too.
void require_all_walls(const wall::State& state, const wall::WallGame& game) {
  const bool by_kind = game.rules().walls_by_kind;
  const int all = game.players() * game.rules().walls;
  for (int kind = 0; kind < (by_kind ? 2 : 1); ++kind) {
    int placed = (kind == 0 ? state.horizontal : state.vertical).count();
    if (!by_kind) placed += state.vertical.count();
    int left = 0;
    for (int seat = 0; seat < game.players(); ++seat)
      left += state.walls_left.at(static_cast<std::size_t>(seat * 2 + kind));
    if (placed + left == all) continue;
    const std::string_view which = !by_kind ? "" : kind == 0 ? "horizontal " : "vertical ";
    throw UserError(
        fmt::format("with {} on the board and {} in the stocks there are {} {}walls, but the game has {}; "
                    "stocks that are left out are full",
                    placed, left, placed + left, which, all));
  }
}

// Where a player has arrived, the game is over and nobody has moved since.
void require_mover_after_the_end(const wall::State& state, const wall::WallGame& game) {
  int winner = -1;
  for (int seat = 0; seat < game.players(); ++seat) {
    const auto* const pawns = &state.pawns[static_cast<std::size_t>(seat * wall::kMaxPawns)];
    const wall::Bitboard& goal = game.geometry().goal[static_cast<std::size_t>(seat)];
    const auto arrived =
        std::count_if(pawns, pawns + game.rules().pawns, [&](auto square) { return goal.test(square); });
    if (arrived < game.rules().win_pawns) continue;
    if (winner >= 0) throw UserError(fmt::format("players {} and {} have both arrived", winner + 1, seat + 1));
    winner = seat;
  }
  if (winner < 0) return;
  const int mover = (winner + 1) % game.players();
  if (state.player == mover && state.phase == 0) return;
  throw UserError(fmt::format("player {} has arrived, so the game is over, and the next to move is player {}{}",
                              winner + 1, mover + 1, game.rules().wall_after_move ? ", who owes no wall" : ""));
}

// A position must have had the plies in which its walls were placed, and without phases the mover follows from them.
void set_plies(wall::State& state, const wall::WallGame& game, int mover) {
  const wall::Rules& rules = game.rules();
  const int all = rules.walls * (rules.walls_by_kind ? 2 : 1);
  int used = 0;
  for (int seat = 0; seat < game.players(); ++seat) {
    const auto first = static_cast<std::size_t>(seat * 2);
    used = std::max(used, all - state.walls_left[first] - state.walls_left[first + 1]);
  }
  const bool placed = state.horizontal.any() || state.vertical.any();
  const int rounds = placed ? used * (rules.wall_after_move ? 2 : 1) + 1 : state.phase;
  state.ply = static_cast<std::uint16_t>(mover + game.players() * rounds);
  state.reversible_plies = placed ? std::uint16_t{state.phase} : state.ply;
}

// Where a turn is a move and a wall, the mover may have moved already.
bool read_owes_wall(const wall::WallGame& game, const json& start) {
  const std::string first = game.rules().wall_after_move ? "move" : "turn";
  const std::string phase = text_field(start, "phase", first.c_str());
  if (game.rules().wall_after_move && phase == "wall") return true;
  if (phase == first) return false;
  throw UserError(
      fmt::format("the phase is \"{}\"{}", first, game.rules().wall_after_move ? " or \"wall\"" : " in this game"));
}

// The rules look at the bytes of a file's position in any case, so a position by hand goes that way, too.
AnyPosition start_of(const wall::WallGame& game, const json& start) {
  wall::State state = game.initial_state();
  require_known_keys(start, "mover pawns walls stocks phase");
  place_pawns(state, game, start);
  place_walls(state, game, start);
  read_stocks(state, game, start);
  const int mover = number_field(start, "mover", 0, 0, game.players() - 1);
  state.player = static_cast<std::uint8_t>(mover);
  state.phase = read_owes_wall(game, start) ? 1 : 0;
  require_all_walls(state, game);
  require_mover_after_the_end(state, game);
  set_plies(state, game, mover);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game.packed_size()));
  game.pack(state, bytes);
  const auto sound = game.unpack(bytes);
  if (!sound) {
    throw UserError(
        "this position is none of the game: pawns stand apart, walls neither cross nor overlap, each player "
        "has a way, and a wall is owed only where one can be placed");
  }
  return at_state(game, *sound);
}

AnyPosition start_of(const go::GoGame& game, const json& start) {
  require_known_keys(start, "mover stones");
  std::array<std::vector<std::pair<int, int>>, 2> stones;
  for (const json& stone : list_field(start, "stones", 361)) {
    if (!stone.is_object() || !stone.contains("at")) throw UserError("a stone has \"seat\" and \"at\"");
    const int seat = number_field(stone, "seat", 0, 0, 1);
    stones[static_cast<std::size_t>(seat)].push_back(
        read_place(stone["at"], game.rules().rows, game.rules().columns, "stone"));
  }
  const auto state = game.setup_state(stones[0], stones[1], number_field(start, "mover", 0, 0, 1));
  if (!state) throw UserError("each point holds one stone, and every chain has a liberty");
  return at_state(game, *state);
}

// What a game added later says until it has one of its own.
template <Game G>
AnyPosition start_of(const G& /*game*/, const json& /*start*/) {
  throw UserError("positions of this game cannot be set up by hand");
}

}  // namespace

AnyPosition read_start(const AnyGame& any, const json& start) {
  try {
    if (!start.is_object()) throw UserError("it is an object, as in {\"mover\":0,...}");
    return std::visit([&](const auto& game) { return start_of(game, start); }, any);
  } catch (const UserError& error) {
    throw UserError(fmt::format("the starting position: {}", error.what()));
  }
}

}  // namespace koridor
