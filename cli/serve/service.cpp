#include "cli/serve/service.h"

#include <fmt/format.h>

#include <utility>

#include "cli/serve/fields.h"
#include "cli/serve/game_line.h"
#include "cli/serve/site.h"
#include "core/base/version.h"
#include "core/saved_game.h"
#include "selfplay/session/picture.h"

namespace koridor::serve {
namespace {

constexpr double kLongestSearch = 600;  // seconds
constexpr std::size_t kLongestRecord = 200 * 1024;

HttpResponse json_response(const json& value) {
  return {.body = value.dump(-1, ' ', false, json::error_handler_t::replace)};
}

// The picture of a line's position; with "play" of the one after that action, or why it cannot be played.
HttpResponse position_response(const json& request) {
  const RequestedLine line = read_line(request);
  Session session(line.game);
  go_to(session, line);
  const std::string play = text_field(request, "play", "");
  if (!play.empty()) {
    if (const auto refusal = session.play(play)) return {.body = R"({"refusal":)" + refusal_picture(*refusal) + "}"};
  }
  const PictureOptions options{.reasons = truth_field(request, "reasons", true)};
  return {.body = R"({"picture":)" + picture(session, options) + "}"};
}

std::string variant_of(const AnyGame& any) {
  return std::visit([](const auto& game) { return game.name(); }, any);
}

// The games of a record as lines of moves.
HttpResponse read_response(const json& request) {
  const std::string text = text_field(request, "text", "", kLongestRecord);
  SavedGameDefaults defaults;
  if (request.contains("game")) defaults.game = parse_game(text_field(request, "game", ""));
  json games = json::array();
  for (const SavedGame& saved : read_saved_games(text, "the record", defaults)) {
    Session session(saved.game);
    for (const Action action : saved.actions) session.play(action);
    games.push_back({{"game", variant_of(saved.game)},
                     {"moves", session.move_texts()},
                     {"names", saved.names},
                     {"result", saved.result},
                     {"notes", saved.notes}});
  }
  return json_response({{"games", std::move(games)}});
}

HttpResponse write_response(const json& request) {
  const RequestedLine line = read_line(request);
  if (line.start) {
    throw UserError("a game from a position that was set up has no record in these formats; share its link instead");
  }
  Session session(line.game);
  go_to(session, line);
  std::vector<Action> actions;
  for (const SessionMove& move : session.moves()) actions.push_back(move.action);
  SavedGame saved{.game = line.game, .actions = actions};
  saved.names = texts_field(request, "names", kMaxPlayers, 60);
  saved.names.resize(static_cast<std::size_t>(session.players()));
  saved.result = result_of(line.game, actions);
  return json_response({{"text", write_saved_game(saved)}, {"ending", session.family() == "go" ? "sgf" : "txt"}});
}

json games_json() {
  json games = json::array();
  for (const GameInfo& game : registered_games()) {
    const AnyGame any = parse_game(game.variant);
    const int players = std::visit([](const auto& known) { return known.players(); }, any);
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

Service::Service(Shelf& shelf, const SearchSettings& settings)
    : shelf_(shelf), settings_(settings), searches_(shelf, settings) {
  for (const LabelledRun& run : shelf.runs()) runs_.push_back(std::make_unique<RunView>(run));
}

RunView& Service::run_of(const json& request) {
  if (runs_.empty()) throw UserError("this server was started without a run");
  const int run = number_field(request, "run", 0, 0, static_cast<int>(runs_.size()) - 1);
  return *runs_[static_cast<std::size_t>(run)];
}

HttpResponse Service::info() {
  json models = json::array();
  for (const ModelEntry& model : shelf_.entries()) {
    models.push_back({{"id", model.id}, {"name", model.name}, {"game", model.game}});
  }
  json levels_list = json::array();
  for (const Level& level : levels()) {
    levels_list.push_back({{"name", level.name}, {"visits", level.strength.visits}});
  }
  json runs = json::array();
  for (const LabelledRun& run : shelf_.runs()) runs.push_back(run.label);
  const Build build = this_build();
  return json_response({{"version", build.version},
                        {"commit", build.commit},
                        {"games", games_json()},
                        {"models", std::move(models)},
                        {"levels", std::move(levels_list)},
                        {"players", plain_players()},
                        {"runs", std::move(runs)},
                        {"slots", settings_.slots}});
}

HttpResponse Service::answer(const HttpRequest& request) {
  if (request.method != "POST") {
    if (request.path == "/api/info") return info();
    const SiteFile* const file = find_site_file(request.path);
    if (file == nullptr) return error_response(404, "there is nothing at this path");
    return {.type = std::string(file->type), .body = std::string(file->content)};
  }
  const json body = parse_object(request.body);
  if (request.path == "/api/position") return position_response(body);
  if (request.path == "/api/read") return read_response(body);
  if (request.path == "/api/write") return write_response(body);
  if (request.path == "/api/run") return json_response(run_of(body).figures(text_field(body, "since", "")));
  const auto generation = [&] { return number_field(body, "generation", 0, 0, 1'000'000); };
  const auto board = [&] { return number_field(body, "board", 0, 0, 1000); };
  if (request.path == "/api/run/games") {
    return json_response({{"games", run_of(body).games(generation(), board())}});
  }
  if (request.path == "/api/run/game") {
    const int number = number_field(body, "number", 0, 0, std::numeric_limits<int>::max());
    return json_response(run_of(body).game(generation(), board(), number));
  }
  return error_response(404, "there is nothing at this path");
}

HttpResponse Service::choose(const std::string& body, const std::atomic<bool>& stop) {
  const json request = parse_object(body);
  const ChooserRequest chooser{.player = text_field(request, "player", "model"),
                               .model = text_field(request, "model", ""),
                               .level = text_field(request, "level", "full")};
  const auto choice = searches_.choose(read_line(request), chooser, stop);
  if (!choice) return error_response(503, "nobody waits for this any more");
  json answer{{"resigns", choice->choice.resigns}, {"text", choice->text}};
  if (!choice->choice.resigns) answer["action"] = index(choice->choice.action);
  if (choice->choice.value) answer["value"] = *choice->choice.value;
  return json_response(answer);
}

// Lines of JSON: pictures of the analysis as it goes on. The last has "done".
void Service::analyze(const std::string& body, Reply& reply) {
  const json request = parse_object(body);
  const RequestedLine line = read_line(request);
  SessionLimits limits{.visits = number_field(request, "visits", 0, 0, 10'000'000),
                       .seconds = real_field(request, "seconds", 0, 0, kLongestSearch),
                       .stop = &reply.gone(),
                       .lines = number_field(request, "lines", 3, 1, 20),
                       .ownership = truth_field(request, "ownership", false),
                       .report_seconds = 0.3};
  if (limits.seconds <= 0) limits.seconds = kLongestSearch;
  const std::string last =
      searches_.analyze(line, text_field(request, "model", ""), limits, [&](const std::string& so_far) {
        if (!reply.started()) reply.begin({.type = "application/x-ndjson"});
        reply.write(R"({"done":false,"analysis":)" + so_far + "}\n");
      });
  if (!reply.started()) reply.begin({.type = "application/x-ndjson"});
  reply.end(R"({"done":true,"analysis":)" + last + "}\n");
}

void Service::handle(const HttpRequest& request, Reply& reply) {
  try {
    if (request.method == "POST" && request.path == "/api/analyze") return analyze(request.body, reply);
    if (request.method == "POST" && request.path == "/api/choose") {
      return reply.send(choose(request.body, reply.gone()));
    }
    reply.send(answer(request));
  } catch (const Searches::Busy& busy) {
    reply.send(error_response(503, busy.what()));
  }
}

}  // namespace koridor::serve
