// Requests and responses of HTTP/1.1 as the rest of the server sees them. Boost.Beast reads and writes their bytes
// (http.cpp); what it can read and nobody here needs (another version or method, chunked bodies) is refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koridor::serve {

struct HttpLimits {
  std::size_t head = 16 * 1024;   // bytes of the request line and all headers
  std::size_t body = 256 * 1024;  // bytes
};

struct HttpRequest {
  std::string method{};  // "GET", "HEAD" or "POST"
  std::string path{};    // from "/" on, as it was sent, without the query
  std::string body{};
  // Headers that somebody here asks for, in lower case; empty where the request has none.
  std::string host{};
  std::string origin{};
  std::string content_type{};
  std::string fetch_site{};  // Sec-Fetch-Site
  bool keep_alive = true;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::string allow{};  // the methods that the path knows, where the request's is none of them (405)
};

// What the bytes at the beginning of a connection are to the server, without any connection: for tests and fuzz
// targets.
struct ParsedRequest {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  std::size_t used = 0;   // complete: bytes of the request
  int status = 0;         // refused: the response's
  std::string reason{};   // refused: one line
  HttpRequest request{};  // complete
};

ParsedRequest parse_request(std::string_view bytes, const HttpLimits& limits = {});

// The response as bytes. `head`: without its body, as HEAD asks for.
std::string response_text(const HttpResponse& response, bool head, bool keep_alive);

// {"error":"..."}; bytes of the message that are no UTF-8 are replaced.
HttpResponse error_response(int status, std::string_view message);

}  // namespace koridor::serve
