// The page's requests as functions of WebAssembly, which web/engine/worker.js calls: the page in the browser and the
// page of `koridor serve` are answered by the same code (answers.h).
//
// Each function returns a status of HTTP, and koridor_page_answer() has the text: 200 the answer, 202 what there is to
// say of a search that goes on (may be empty), 4xx and 5xx an error as one line.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "cli/json/fields.h"
#include "cli/serve/answers.h"
#include "cli/serve/requests.h"
#include "core/base/elapsed.h"
#include "core/base/json_text.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr int kDone = 200;
constexpr int kGoesOn = 202;
constexpr int kWrong = 400;
constexpr int kUnknown = 404;
constexpr int kFailed = 500;
constexpr int kBusy = 503;

class LoadedModels final : public ModelSource {
 public:
  // Takes the bytes of a model file; its id.
  std::string add(std::string bytes, const std::string& name) {
    models_.push_back({name, std::make_shared<const Model>(parse_model(std::move(bytes), name))});
    return id(models_.size() - 1);
  }

  std::vector<ModelEntry> entries() override {
    std::vector<ModelEntry> entries;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      entries.push_back({.id = id(i), .name = models_[i].name, .info = models_[i].model->info});
    }
    return entries;
  }
  std::shared_ptr<const Model> load(const std::string& wanted) override { return find(wanted).model; }
  std::string name(const std::string& wanted) const override { return find(wanted).name; }

 private:
  struct Loaded {
    std::string name;
    std::shared_ptr<const Model> model;
  };

  static std::string id(std::size_t number) { return fmt::format("m{}", number); }
  const Loaded& find(const std::string& wanted) const {
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (id(i) == wanted) return models_[i];
    }
    throw UserError("there is no model of this id here; /api/info lists them");
  }

  std::vector<Loaded> models_;
};

// A browser gives a page less memory than a server has.
SearchSettings page_settings(std::uint64_t seed) {
  return {.slots = 2,
          .threads = 1,
          .memory = 96,
          .seed = seed,
          .search = match_search(),
          .evaluation = {.cache_mebibytes = 8}};
}

// An analysis, and when it was last told of.
struct ReportedAnalysis {
  Analysing analysing;
  std::chrono::steady_clock::time_point told = std::chrono::steady_clock::now();
};
using Search = std::variant<Choosing, ReportedAnalysis>;

struct Page {
  explicit Page(std::uint64_t seed) : settings(page_settings(seed)) {}

  LoadedModels models{};
  SearchSettings settings;
  Searches searches{models, settings};
  std::map<int, Search> under_way{};  // by their numbers
  int begun = 0;
  std::string answer{};
};

std::unique_ptr<Page>& held_page() {
  static auto only = std::make_unique<Page>(0);
  return only;
}
Page& page() {
  return *held_page();
}

const std::atomic<bool> kNeverStop{false};

// Runs `body(page)`, which returns a status; an exception becomes one, and its line the answer.
template <class Body>
int guarded(const Body& body) {
  Page& here = page();
  try {
    return body(here);
  } catch (const UserError& error) {
    here.answer = error.what();
    return kWrong;
  } catch (const Searches::Busy& busy) {
    here.answer = busy.what();
    return kBusy;
  } catch (const std::exception& error) {
    here.answer = error_text(error);
    return kFailed;
  }
}

// Keeps a search that has begun; the answer is its number.
int keep(Page& here, Search search) {
  const int number = ++here.begun;
  here.under_way.emplace(number, std::move(search));
  here.answer = std::to_string(number);
  return kGoesOn;
}

int go_on(Page& here, Choosing& choosing, double seconds) {
  const auto choice = choosing.go_on(seconds);
  here.answer = choice ? choice_answer(*choice) : "";
  return choice ? kDone : kGoesOn;
}

int go_on(Page& here, ReportedAnalysis& search, double seconds) {
  const bool done = search.analysing.go_on(seconds);
  const auto now = std::chrono::steady_clock::now();
  const bool tell = done || seconds_of(now - search.told) >= kReportSeconds;
  if (tell) search.told = now;
  here.answer = tell ? analysis_answer(search.analysing, done) : "";
  return done ? kDone : kGoesOn;
}

}  // namespace
}  // namespace koridor::serve

using namespace koridor::serve;

extern "C" {

// Begins anew, without models; the seed is that of the players' random choices.
__attribute__((export_name("koridor_page_begin"))) void koridor_page_begin(std::uint32_t seed) {
  held_page() = std::make_unique<Page>(seed);
}

__attribute__((export_name("koridor_page_answer"))) const char* koridor_page_answer() {
  return page().answer.c_str();
}

// Takes the bytes of a model file. The answer is its id.
__attribute__((export_name("koridor_page_add_model"))) int koridor_page_add_model(const char* bytes, std::size_t size,
                                                                                  const char* name) {
  return guarded([&](Page& here) {
    here.answer = here.models.add(std::string(bytes, size), name);
    return kDone;
  });
}

// A request of docs/serve.md. Where it needs a search, the status is 202 and the answer is the search's number.
__attribute__((export_name("koridor_page_ask"))) int koridor_page_ask(const char* path, const char* body) {
  return guarded([&](Page& here) {
    const std::string_view asked(path);
    const json request = read_request(asked, body);
    if (asked == "/api/choose") return keep(here, begin_choosing(here.searches, request, kNeverStop));
    if (asked == "/api/analyze") {
      return keep(here, ReportedAnalysis{begin_analysing(here.searches, request, kNeverStop)});
    }
    const auto known = asked == "/api/info" ? std::optional(koridor::json_text(info(here.models, here.settings)))
                                            : answer(here.models, asked, request);
    here.answer = known.value_or("there is nothing at this path");
    return known ? kDone : kUnknown;
  });
}

// Goes on with a search for about so many seconds. Until it is over the answer is empty, or what an analysis has found.
__attribute__((export_name("koridor_page_go_on"))) int koridor_page_go_on(int number, double seconds) {
  return guarded([&](Page& here) {
    const auto found = here.under_way.find(number);
    if (found == here.under_way.end()) throw koridor::UserError("there is no search of this number");
    return std::visit([&](auto& search) { return go_on(here, search, seconds); }, found->second);
  });
}

// Ends a search, whether it is over or not: its slot is free.
__attribute__((export_name("koridor_page_end"))) void koridor_page_end(int number) {
  page().under_way.erase(number);
}
}
