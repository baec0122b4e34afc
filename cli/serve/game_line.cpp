#include "cli/serve/game_line.h"

#include "cli/json/fields.h"
#include "cli/json/start_position.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMoves = 2000;
constexpr std::size_t kLongestMove = 16;

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
  if (line.start) session.start_from(*line.start);
  session.set_up(line.moves);
  session.go_to(line.ply);
}

}  // namespace koridor::serve
