#include "cli/serve/game_line.h"

#include "cli/json/fields.h"
#include "cli/json/start_position.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMoves = 2000;
constexpr std::size_t kLongestMove = 16;

// Whether the session's game and the line begin with the same position.
bool begins_with(const Session& session, const RequestedLine& line) {
  const AnyPosition start = session.start();
  return std::visit(
      [&]<Game G>(const G& game) {
        const auto& wanted = line.start ? std::get<Position<G>>(*line.start).state : game.initial_state();
        return std::get<Position<G>>(start).state == wanted;
      },
      line.game);
}

}  // namespace

RequestedLine read_line(const json& request) {
  RequestedLine line{.game = parse_game(required_text(request, "game"))};
  line.moves = texts_field(request, "moves", kMostMoves, kLongestMove);
  line.ply = number_field(request, "ply", static_cast<int>(line.moves.size()), 0, static_cast<int>(line.moves.size()));
  const json* const start = field_of(request, "start");
  if (start != nullptr) line.start = read_start(line.game, *start);
  return line;
}

void go_to(Session& session, const RequestedLine& line) {
  if (!begins_with(session, line)) {
    if (line.start) {
      session.start_from(*line.start);
    } else {
      session.restart();
    }
  }
  session.set_up(line.moves);
  session.go_to(line.ply);
}

}  // namespace koridor::serve
