#include "cli/serve/answers.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "cli/json/fields.h"
#include "cli/serve/game_line.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/saved_game.h"
#include "core/saved_result.h"
#include "core/words.h"
#include "selfplay/matches/levels.h"
#include "selfplay/matches/plain_players.h"
#include "selfplay/session/picture.h"
#include "selfplay/session/search_words.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr double kLongestSearch = 600;  // seconds
constexpr std::size_t kLongestRecord = 200 * 1024;
constexpr std::size_t kMostGames = 1000;     // of a record
constexpr std::size_t kLongestResult = 100;  // bytes

// The picture of a line's position; with "play" of the one after that action, or why it cannot be played.
std::string position_answer(const json& request) {
  const RequestedLine line = read_line(request);
  Session session(line.game);
  go_to(session, line);
  if (field_of(request, "play") != nullptr) {
    if (const auto refusal = session.play(text_field(request, "play", "")))
      return R"({"refusal":)" + refusal_picture(*refusal) + "}";
  }
  const PictureOptions options{.reasons = truth_field(request, "reasons", true)};
  return R"({"picture":)" + picture(session, options) + "}";
}

// A position of Go as a request names one that was set up by hand.
json start_json(const go::GoGame& game, const go::State& state) {
  json stones = json::array();
  for (int row = 0; row < game.rules().rows; ++row) {
    for (int column = 0; column < game.rules().columns; ++column) {
      for (int seat = 0; seat < 2; ++seat) {
        if (!state.has_stone(seat, game.geometry().point_at(row, column))) continue;
        stones.push_back({{"seat", seat}, {"at", {row, column}}});
      }
    }
  }
  return {{"mover", game.player_to_move(state)}, {"stones", std::move(stones)}};
}

std::vector<std::string> move_texts(const SavedGame& saved) {
  return std::visit(
      [&]<Game G>(const G& game) {
        Position<G> position(game);
        if constexpr (std::is_same_v<G, go::GoGame>) position.state = saved.start.value_or(position.state);
        return action_texts(game, std::move(position), saved.actions, Notation::standard);
      },
      saved.game);
}

// The games of a record as lines of moves.
std::string read_answer(const json& request) {
  const std::string text = required_text(request, "text", kLongestRecord);
  SavedGameDefaults defaults{.set_up = true, .most = kMostGames};
  if (field_of(request, "game") != nullptr) defaults.game = parse_game(text_field(request, "game", ""));
  json games = json::array();
  for (SavedGame& saved : read_saved_games(text, "the record", defaults)) {
    json game = {
        {"game", name_of(saved.game)}, {"names", saved.names}, {"result", saved.result}, {"notes", saved.notes}};
    if (saved.start) {
      game["start"] = start_json(std::get<go::GoGame>(saved.game), *saved.start);
    }
    game["moves"] = move_texts(saved);
    games.push_back(std::move(game));
  }
  return json_text({{"games", std::move(games)}});
}

// The result of the game that a request writes: who gave it up, else what a record says of this very game, else by the
// rules.
std::string result_to_write(const json& request, const SavedGame& saved) {
  const std::string by_rules = result_of(saved.game, saved.actions, saved.start);
  const std::string recorded = text_field(request, "result", "", kLongestResult);
  if (field_of(request, "resigned") != nullptr) {
    if (!recorded.empty()) throw UserError("\"resigned\" and \"result\" both say how the game ended; name one of them");
    if (players_of(saved.game) != 2) throw UserError("\"resigned\": only a game of two players is given up");
    const int seat = number_field(request, "resigned", 0, 0, 1);
    if (!by_rules.empty()) throw UserError("\"resigned\": the game is over by its rules");
    return resignation_result(saved.game, seat);
  }
  if (recorded.empty()) return by_rules;
  const bool go = std::holds_alternative<go::GoGame>(saved.game);
  if (!read_result(saved.game, recorded)) {
    throw UserError(
        fmt::format("\"result\": {} is no result of {}; one is {}", in_quotes(recorded), name_of(saved.game),
                    go ? "B+3.5, W+R, B+T, 0, Void or ?" : decided_result(saved.game, Outcome::won_by(0), "")));
  }
  // Players of Go may agree on another count than the rules'; how the moves of other games end them is beyond doubt.
  if (!go && !by_rules.empty() && recorded != by_rules) {
    throw UserError(fmt::format("\"result\": the moves end the game with {}, not with {}", by_rules, recorded));
  }
  return recorded;
}

std::string write_answer(const json& request) {
  const RequestedLine line = read_line(request);
  const auto* const go_start = line.start ? std::get_if<Position<go::GoGame>>(&*line.start) : nullptr;
  if (line.start && go_start == nullptr) {
    throw UserError("a game from a position that was set up has no record in these formats; share its link instead");
  }
  Session session(line.game);
  go_to(session, line);
  std::vector<Action> actions;
  for (const SessionMove& move : session.moves()) actions.push_back(move.action);
  SavedGame saved{.game = line.game, .actions = actions};
  saved.names = texts_field(request, "names", static_cast<std::size_t>(session.players()), kLongestRecord);
  saved.names.resize(static_cast<std::size_t>(session.players()));
  if (go_start != nullptr) saved.start = go_start->state;
  saved.result = result_to_write(request, saved);
  return json_text({{"text", write_saved_game(saved)}, {"ending", session.family() == "go" ? "sgf" : "txt"}});
}

std::string models_answer(ModelSource& source, const json& request) {
  const AnyGame game = parse_game(required_text(request, "game"));
  return json_text({{"models", models_for(source, game)}});
}

json games_json() {
  json games = json::array();
  for (const GameInfo& game : registered_games()) {
    const AnyGame any = parse_game(game.variant);
    const int players = players_of(any);
    const std::string_view family = std::visit([](const auto& known) { return known.family(); }, any);
    json rules;
    for (const auto& [name, value] : rule_parameters(any)) rules[name] = value;
    games.push_back({{"id", game.id},
                     {"title", game.title},
                     {"variant", game.variant},
                     {"family", family},
                     {"players", players},
                     {"rules", std::move(rules)}});
  }
  return games;
}

}  // namespace

json info(ModelSource& source, const SearchSettings& settings) {
  json models = json::array();
  for (const ModelEntry& model : source.entries()) {
    json entry = {{"id", model.id}, {"name", model.name}, {"game", model.info.game}};
    if (!model.info.games.empty()) entry["games"] = model.info.games;
    models.push_back(std::move(entry));
  }
  json levels_list = json::array();
  for (const Level& level : levels()) {
    levels_list.push_back({{"name", level.name}, {"visits", level.strength.visits}});
  }
  const Build build = this_build();
  return {{"version", build.version},    {"commit", build.commit},           {"games", games_json()},
          {"models", std::move(models)}, {"levels", std::move(levels_list)}, {"players", plain_players()},
          {"runs", json::array()},       {"slots", settings.slots}};
}

std::optional<std::string> answer(ModelSource& models, std::string_view path, const json& request) {
  if (path == "/api/models") return models_answer(models, request);
  if (path == "/api/position") return position_answer(request);
  if (path == "/api/read") return read_answer(request);
  if (path == "/api/write") return write_answer(request);
  return std::nullopt;
}

Choosing begin_choosing(Searches& searches, const json& request, const std::atomic<bool>& stop) {
  const ChooserRequest chooser{.player = text_field(request, "player", "model"),
                               .model = text_field(request, "model", ""),
                               .level = text_field(request, "level", "full")};
  return Choosing(searches, read_line(request), chooser, stop);
}

Analysing begin_analysing(Searches& searches, const json& request, const std::atomic<bool>& stop) {
  const RequestedLine line = read_line(request);
  SessionLimits limits{.visits = number_field(request, "visits", 0, 0, 10'000'000),
                       .seconds = real_field(request, "seconds", 0, 0, kLongestSearch),
                       .stop = &stop,
                       .lines = number_field(request, "lines", 3, 1, 20),
                       .ownership = truth_field(request, "ownership", false)};
  if (limits.seconds <= 0) limits.seconds = kLongestSearch;
  return Analysing(searches, line, text_field(request, "model", ""), limits);
}

std::string choice_answer(const Choice& choice) {
  json answer{{"resigns", choice.choice.resigns}, {"text", choice.text}};
  if (!choice.choice.resigns) answer["action"] = index(choice.choice.action);
  if (choice.choice.value) answer["value"] = *choice.choice.value;
  return json_text(answer);
}

std::string analysis_answer(const Analysing& analysing, bool done) {
  return fmt::format(R"({{"done":{},"analysis":{}}})", done, analysing.picture());
}

}  // namespace koridor::serve
