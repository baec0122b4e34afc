#include "selfplay/matches/match_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/base/checksum.h"
#include "core/base/json_file.h"
#include "core/base/terminal.h"

namespace koridor {
namespace {

using nlohmann::json;

constexpr std::uint64_t kChecksumStart = 0x6d61746368;

std::string checksum_of(const json& line) {
  return fmt::format("{:016x}", Checksum(kChecksumStart).add(line.dump()).value());
}

json reason_json(const EndReason& reason) {
  json object = {{"kind", static_cast<int>(reason.kind)}};
  if (reason.kind == EndReason::Kind::forfeit) {
    object["seat"] = reason.seat;
    object["fault"] = static_cast<int>(reason.forfeit.kind);
    object["detail"] = printable(reason.forfeit.detail);  // it may quote an engine: any bytes
  }
  return object;
}

std::optional<EndReason> read_reason(const json& object, int players) {
  const int kind = member(object, "kind", -1);
  if (kind < 0 || kind > static_cast<int>(EndReason::Kind::draw_rule)) return std::nullopt;
  EndReason reason{.kind = static_cast<EndReason::Kind>(kind)};
  if (reason.kind != EndReason::Kind::forfeit) return reason;
  reason.seat = member(object, "seat", -1);
  const int fault = member(object, "fault", -1);
  if (reason.seat < 0 || reason.seat >= players || fault < 0 || fault >= kForfeitKinds) return std::nullopt;
  reason.forfeit = {static_cast<Forfeit::Kind>(fault), member(object, "detail", std::string())};
  return reason;
}

// The numbers of an array, each in [low, high]; nothing where it is none.
template <class Number>
std::optional<std::vector<Number>> numbers(const json& object, const char* name, double low, double high) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<Number> values;
  for (const json& entry : *found) {
    if (!entry.is_number()) return std::nullopt;
    const auto value = entry.get<double>();
    if (!(value >= low && value <= high)) return std::nullopt;
    values.push_back(static_cast<Number>(value));
  }
  return values;
}

// Plays the actions; false where one is not legal, or the game's own result is not the one of the line.
template <Game G>
bool holds(const G& game, const MatchGame& played) {
  Position<G> position(game);
  for (const Action action : played.actions) {
    if (game.outcome(position.state, position.history).over()) return false;
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    if (!legal.test(action)) return false;
    position.apply(game, action);
  }
  const Outcome outcome = game.outcome(position.state, position.history);
  if (played.reason.kind != EndReason::Kind::rules) return !outcome.over();
  return outcome.over() && outcome.values == played.outcome.values;
}

Outcome outcome_of(const std::vector<float>& points) {
  Outcome outcome{.kind = Outcome::Kind::draw};
  for (std::size_t seat = 0; seat < points.size(); ++seat) {
    outcome.values[seat] = points[seat];
    if (points[seat] == 1) outcome = Outcome::won_by(static_cast<int>(seat));
    if (points[seat] == 1) break;
  }
  return outcome;
}

}  // namespace

std::string match_line(const MatchGame& game) {
  json actions = json::array();
  for (const Action action : game.actions) actions.push_back(index(action));
  json line = {{"number", game.number},
               {"contest", game.contest},
               {"group", game.group},
               {"seats", game.seats},
               {"seat", game.seat},
               {"points", game.outcome.values},
               {"reason", reason_json(game.reason)},
               {"would_resign", game.would_resign},
               {"opening_plies", game.opening_plies},
               {"actions", actions}};
  line["checksum"] = checksum_of(line);
  return line.dump() + "\n";
}

std::optional<MatchGame> read_match_line(const AnyGame& any, const std::string& text) {
  json line = json::parse(text, nullptr, false);
  if (!line.is_object()) return std::nullopt;
  const std::string checksum = member(line, "checksum", std::string());
  line.erase("checksum");
  if (checksum != checksum_of(line)) return std::nullopt;
  const int players = players_of(any);
  MatchGame game;
  game.number = member(line, "number", -1);
  game.contest = member(line, "contest", -1);
  game.group = member(line, "group", -1);
  game.seat = member(line, "seat", -1);
  game.would_resign = member(line, "would_resign", -2);
  game.opening_plies = member(line, "opening_plies", -1);
  const auto seats = numbers<std::int16_t>(line, "seats", 0, 32767);
  auto points = numbers<float>(line, "points", 0, 1);
  const auto actions = numbers<std::uint16_t>(line, "actions", 0, 65535);
  const auto reason = line.contains("reason") ? read_reason(line["reason"], players) : std::nullopt;
  if (!seats || !points || !actions || !reason || seats->size() != kMaxPlayers || points->size() != kMaxPlayers) {
    return std::nullopt;
  }
  if (game.number < 0 || game.contest < 0 || game.group < 0 || game.seat < 0 || game.seat >= players ||
      game.would_resign < -1 || game.would_resign >= players || game.opening_plies < 0 ||
      game.opening_plies > std::ssize(*actions)) {
    return std::nullopt;
  }
  std::ranges::copy(*seats, game.seats.begin());
  points->resize(static_cast<std::size_t>(players));
  game.outcome = outcome_of(*points);
  game.reason = *reason;
  for (const std::uint16_t action : *actions) game.actions.push_back(Action{action});
  const bool played = std::visit([&](const auto& known) { return holds(known, game); }, any);
  return played ? std::optional(std::move(game)) : std::nullopt;
}

}  // namespace koridor
