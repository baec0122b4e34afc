#include "cli/serve/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/text.h"
#include "core/words.h"

namespace koridor::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

ParsedRequest refused(int status, std::string reason) {
  return {.state = ParsedRequest::State::refused, .status = status, .reason = std::move(reason)};
}

bool is_token(std::string_view text) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSigns.find(c) != std::string_view::npos;
  });
}

// Printable ASCII and, between words, spaces and tabs.
bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

bool is_target(std::string_view text) {
  return text.starts_with('/') && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

// "GET /index.html HTTP/1.1"
std::optional<ParsedRequest> read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return refused(400, "the request line has not three parts");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method)) return refused(400, "the method is no word");
  if (!is_target(target)) return refused(400, "the target is no path on this server");
  if (version != "HTTP/1.1") return refused(505, "only HTTP/1.1 is spoken here");
  if (method != "GET" && method != "HEAD" && method != "POST") return refused(405, "only GET, HEAD and POST are known");
  request.method = method;
  request.path = target.substr(0, target.find('?'));
  return std::nullopt;
}

// What is read of the headers beside the fields of HttpRequest.
struct Headers {
  int hosts = 0;
  int lengths = 0;
  std::size_t length = 0;
};

std::optional<ParsedRequest> read_header(std::string_view line, HttpRequest& request, Headers& headers) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return refused(400, "a header has no name");
  }
  const std::string name = lower_case(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_value(value)) return refused(400, "a header holds control bytes");
  if (name == "host") {
    request.host = lower_case(value);
    ++headers.hosts;
  } else if (name == "origin") {
    request.origin = lower_case(value);
  } else if (name == "content-type") {
    request.content_type = lower_case(value);
  } else if (name == "sec-fetch-site") {
    request.fetch_site = lower_case(value);
  } else if (name == "connection") {
    request.keep_alive = lower_case(value).find("close") == std::string::npos;
  } else if (name == "content-length") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), headers.length);
    if (error != std::errc() || end != value.data() + value.size()) return refused(400, "Content-Length is no number");
    ++headers.lengths;
  } else if (name == "transfer-encoding" || name == "upgrade") {
    return refused(501, "bodies come in one piece with a Content-Length here");
  } else if (name == "expect") {
    return refused(417, "nothing is expected here");
  }
  return std::nullopt;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

// Nothing from elsewhere is loaded or run, and no other page may hold this one.
constexpr std::string_view kSafety =
    "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

std::string head_of(const HttpResponse& response, std::string_view framing, bool keep_alive) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}\r\nConnection: {}\r\n", response.status,
                  reason_phrase(response.status), response.type, framing, keep_alive ? "keep-alive" : "close");
  text += kSafety;
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += kLineEnd;
  return text;
}

}  // namespace

ParsedRequest parse_request(std::string_view bytes, const HttpLimits& limits) {
  const std::size_t end = bytes.substr(0, limits.head).find(kHeadEnd);
  if (end == std::string_view::npos) {
    if (bytes.size() >= limits.head) return refused(431, "the headers are too long");
    return {.wanted = bytes.size() + 1};
  }
  ParsedRequest parsed;
  Headers headers;
  const std::string_view head = bytes.substr(0, end);
  std::size_t at = std::min(head.find(kLineEnd), head.size());
  if (auto refusal = read_request_line(head.substr(0, at), parsed.request)) return *refusal;
  while (at < head.size()) {
    at += kLineEnd.size();
    const std::size_t next = std::min(head.find(kLineEnd, at), head.size());
    if (auto refusal = read_header(head.substr(at, next - at), parsed.request, headers)) return *refusal;
    at = next;
  }
  if (headers.hosts != 1) return refused(400, "a request has one Host");
  if (headers.lengths > 1) return refused(400, "a request has one Content-Length");
  if (headers.length > limits.body) return refused(413, fmt::format("a body has at most {} bytes", limits.body));
  if (headers.length > 0 && parsed.request.method != "POST") return refused(400, "only POST has a body");
  parsed.used = parsed.wanted = end + kHeadEnd.size() + headers.length;
  if (bytes.size() < parsed.used) return parsed;
  parsed.request.body = bytes.substr(end + kHeadEnd.size(), headers.length);
  parsed.state = ParsedRequest::State::complete;
  return parsed;
}

std::string response_text(const HttpResponse& response, bool head, bool keep_alive) {
  std::string text = head_of(response, fmt::format("Content-Length: {}", response.body.size()), keep_alive);
  if (!head) text += response.body;
  return text;
}

std::string stream_head(const HttpResponse& response) {
  return head_of(response, "Transfer-Encoding: chunked", false);
}

std::string stream_chunk(std::string_view text) {
  return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

std::string stream_end() {
  return "0\r\n\r\n";
}

HttpResponse error_response(int status, std::string_view message) {
  using nlohmann::json;
  return {.status = status, .body = json{{"error", message}}.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace koridor::serve
