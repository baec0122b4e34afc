#include "cli/serve/gatekeeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"

namespace koridor::serve {
namespace {

std::string in_brackets(const std::string& name) {
  return name.find(':') == std::string::npos ? name : "[" + name + "]";
}

}  // namespace

Gatekeeper::Gatekeeper(const std::string& address, int port, const std::vector<std::string>& names) {
  std::vector<std::string> all{"localhost", "127.0.0.1", "::1", address};
  all.insert(all.end(), names.begin(), names.end());
  for (const std::string& name : all) {
    const std::string host = lower_case(in_brackets(name));
    hosts_.push_back(fmt::format("{}:{}", host, port));
    if (port == 80) hosts_.push_back(host);
  }
}

bool Gatekeeper::knows(const std::string& host) const {
  return std::ranges::find(hosts_, host) != hosts_.end();
}

std::optional<HttpResponse> Gatekeeper::refuse(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "http://";
  if (!knows(request.host)) {
    return error_response(421, "this server has another name; --host NAME adds one by which people reach it");
  }
  if (!request.origin.empty() &&
      !(request.origin.starts_with(kScheme) && knows(request.origin.substr(kScheme.size())))) {
    return error_response(403, "pages of other servers may not ask here");
  }
  if (request.fetch_site == "cross-site" || request.fetch_site == "same-site") {
    const bool link = request.method == "GET" && request.origin.empty();
    if (!link) return error_response(403, "pages of other servers may not ask here");
  }
  if (request.method == "POST" && !request.content_type.starts_with("application/json")) {
    return error_response(415, "requests are JSON: Content-Type: application/json");
  }
  return std::nullopt;
}

}  // namespace koridor::serve
