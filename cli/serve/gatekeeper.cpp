#include "cli/serve/gatekeeper.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "core/base/error.h"
#include "core/words.h"

namespace koridor::serve {
namespace {

// A name, an IPv4 address or an IPv6 address in brackets, each with or without a port; or an IPv6 address alone.
struct HostName {
  std::string host;  // in lower case, an IPv6 address in brackets
  int port = 0;      // 0: none
};

// An address of IPv6 in its shortest form, as browsers write it.
std::string in_brackets(const std::string& address) {
  in6_addr bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool known = ::inet_pton(AF_INET6, address.c_str(), &bytes) == 1 &&
                     ::inet_ntop(AF_INET6, &bytes, text.data(), text.size()) != nullptr;
  return fmt::format("[{}]", known ? text.data() : address);
}

// The host with the port that is meant where none is written.
std::string with_port(std::string_view host, std::string_view usual) {
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return std::string(host) + std::string(has_port ? "" : usual);
}

HostName read_host(const std::string& text) {
  static const std::regex named("([a-z0-9]([a-z0-9._-]*[a-z0-9])?)(:([0-9]{1,5}))?");
  static const std::regex bracketed("(\\[[0-9a-f:.]+\\])(:([0-9]{1,5}))?");
  static const std::regex address("[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*");
  const std::string low = lower_case(text);
  const auto port = [&](const std::ssub_match& digits) {
    if (!digits.matched) return 0;
    const int number = std::stoi(digits.str());
    if (number >= 1 && number <= 65535) return number;
    throw UserError(fmt::format("--host {}: a port is a number from 1 to 65535", text));
  };
  std::smatch match;
  if (std::regex_match(low, match, named)) return {match[1], port(match[4])};
  if (std::regex_match(low, match, bracketed))
    return {in_brackets(match[1].str().substr(1, match.length(1) - 2)), port(match[3])};
  if (std::regex_match(low, address)) return {in_brackets(low), 0};
  throw UserError(
      fmt::format("--host {}: neither a name nor an address; NAME, ADDRESS or NAME:PORT, as in desk.local "
                  "or localhost:9000",
                  text));
}

}  // namespace

Gatekeeper::Gatekeeper(const std::string& address, int port, const std::vector<std::string>& names)
    : own_port_(fmt::format(":{}", port)) {
  std::vector<std::string> all{"localhost", "127.0.0.1", "::1", address};
  all.insert(all.end(), names.begin(), names.end());
  for (const std::string& name : all) {
    const HostName known = read_host(name);
    const int reached = known.port > 0 ? known.port : port;
    hosts_.push_back(fmt::format("{}:{}", known.host, reached));
    if (reached == 80 || reached == 443) hosts_.push_back(known.host);
  }
}

bool Gatekeeper::knows(std::string_view host) const {
  return std::ranges::find(hosts_, host) != hosts_.end();
}

// By HTTPS where people come by another port: there another server may stand before this one, which knows no HTTPS.
bool Gatekeeper::is_own_page(std::string_view origin) const {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  if (origin.starts_with(kPlain)) return knows(with_port(origin.substr(kPlain.size()), ":80"));
  if (!origin.starts_with(kSecure)) return false;
  const std::string host = with_port(origin.substr(kSecure.size()), ":443");
  return knows(host) && !host.ends_with(own_port_);
}

std::optional<HttpResponse> Gatekeeper::refuse(const HttpRequest& request) const {
  if (!knows(request.host)) {
    return error_response(421, fmt::format("this server is {}; `koridor serve --host` adds a name, or NAME:PORT where "
                                           "people reach it by another port",
                                           hosts_.front()));
  }
  if (!request.origin.empty() && !is_own_page(request.origin)) {
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
