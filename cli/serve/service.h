// The requests of the page and their answers; docs/serve.md lists them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/serve/gatekeeper.h"
#include "cli/serve/http.h"
#include "cli/serve/http_server.h"
#include "cli/serve/run_view.h"
#include "cli/serve/searches.h"
#include "cli/serve/shelf.h"

namespace koridor::serve {

class Service {
 public:
  Service(Shelf& shelf, const SearchSettings& settings);

  // Answers a request that the gatekeeper let in. Several threads may call it at once.
  void handle(const HttpRequest& request, Reply& reply);

  // The answer to a request that needs no search; used by handle() and by itself in tests and fuzz targets. Throws
  // UserError for bad input.
  HttpResponse answer(const HttpRequest& request);

 private:
  HttpResponse info();
  HttpResponse choose(const std::string& body, const std::atomic<bool>& stop);
  void analyze(const std::string& body, Reply& reply);
  RunView& run_of(const nlohmann::json& request);

  Shelf& shelf_;
  SearchSettings settings_;
  Searches searches_;
  std::vector<std::unique_ptr<RunView>> runs_;
};

}  // namespace koridor::serve
