#include "cli/serve/http.h"

#include <nlohmann/json.hpp>

namespace koridor::serve {

HttpResponse error_response(int status, std::string_view message) {
  using nlohmann::json;
  return {.status = status, .body = json{{"error", message}}.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace koridor::serve
