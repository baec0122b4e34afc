#include "cli/serve/requests.h"

#include <algorithm>
#include <array>

#include "cli/json/fields.h"
#include "core/base/json_text.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

struct RequestKind {
  std::string_view path;
  std::string_view keys;  // with a space between two
};

constexpr std::array kRequests = {
    RequestKind{"/api/models", "game"},
    RequestKind{"/api/position", "game moves ply start play reasons"},
    RequestKind{"/api/choose", "game moves ply start player model level"},
    RequestKind{"/api/analyze", "game moves ply start model visits seconds lines ownership"},
    RequestKind{"/api/read", "text game"},
    RequestKind{"/api/write", "game moves ply start names resigned result"},
    RequestKind{"/api/run", "run since"},
    RequestKind{"/api/run/games", "run generation board"},
    RequestKind{"/api/run/game", "run generation board number"},
};

}  // namespace

bool is_request(std::string_view path) {
  return std::ranges::find(kRequests, path, &RequestKind::path) != kRequests.end();
}

json read_request(std::string_view path, std::string_view body) {
  const json request = parse_object(body, "the request's body");
  const auto* const kind = std::ranges::find(kRequests, path, &RequestKind::path);
  if (kind != kRequests.end()) require_known_keys(request, kind->keys);
  return request;
}

}  // namespace koridor::serve
