#include "cli/serve/service.h"

#include <limits>
#include <utility>

#include "cli/json/fields.h"
#include "cli/serve/answers.h"
#include "cli/serve/requests.h"
#include "cli/serve/site.h"
#include "core/base/json_text.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr double kPartSeconds = 0.05;  // after so long a choice looks whether anybody still waits for it

constexpr std::string_view kNothing = "there is nothing at this path";

HttpResponse json_response(const json& value) {
  return {.body = json_text(value)};
}

// What a path answers that is asked by these methods alone.
HttpResponse other_method(const std::string& methods) {
  HttpResponse response = error_response(405, "this path is asked by " + methods);
  response.allow = methods;
  return response;
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
  json all = serve::info(shelf_, settings_);
  for (const LabelledRun& run : shelf_.runs()) all["runs"].push_back(run.label);
  return json_response(all);
}

HttpResponse Service::answer(const HttpRequest& request) {
  const SiteFile* const file = find_site_file(request.path);
  const bool is_info = request.path == "/api/info";
  if (request.method != "POST") {
    if (is_info) return info();
    if (file != nullptr) return {.type = std::string(file->type), .body = std::string(file->content)};
    if (is_request(request.path)) return other_method("POST");
    return error_response(404, kNothing);
  }
  if (is_info || file != nullptr) return other_method("GET, HEAD");
  const json body = read_request(request.path, request.body);
  if (auto known = serve::answer(shelf_, request.path, body)) return {.body = *std::move(known)};
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
  return error_response(404, kNothing);
}

HttpResponse Service::choose(const std::string& body, const std::atomic<bool>& stop) {
  Choosing choosing = begin_choosing(searches_, read_request("/api/choose", body), stop);
  while (!stop) {
    if (const auto choice = choosing.go_on(kPartSeconds)) return {.body = choice_answer(*choice)};
  }
  return error_response(503, "nobody waits for this any more");
}

// Lines of JSON: pictures of the analysis as it goes on. The last has "done".
void Service::analyze(const std::string& body, Reply& reply) {
  Analysing analysing = begin_analysing(searches_, read_request("/api/analyze", body), reply.gone());
  bool done = analysing.go_on(kReportSeconds);
  reply.begin({.type = "application/x-ndjson"});
  for (; !done; done = analysing.go_on(kReportSeconds)) reply.write(analysis_answer(analysing, false) + "\n");
  reply.end(analysis_answer(analysing, true) + "\n");
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
