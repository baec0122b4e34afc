// Requests and responses of HTTP/1.1 as the rest of the server sees them. Boost.Beast reads and writes their bytes
// (http.cpp); what it can read and nobody here needs (another version, method or coding) is refused. An offer to go on
// by another protocol (Upgrade) is passed over, as RFC 9110 has it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace koridor::serve {

struct HttpLimits {
  std::size_t head = 16 * 1024;   // bytes of the request line and all headers
  std::size_t body = 256 * 1024;  // bytes; where it comes in chunks, so many again of their sizes
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

// Why a request is not answered, and the status that says so.
struct Refusal {
  int status;
  std::string reason;  // one line
};

// Reads one request from the bytes of a connection as they come.
class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits = {});
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // `bytes` are all that have come and were not taken before. Takes those of the request and returns their number: none
  // of a head that is not whole, and none that come after the request. Not to be called once the request is complete or
  // refused.
  std::size_t take(std::string_view bytes);

  // Nothing while the request may still be answered.
  const std::optional<Refusal>& refusal() const { return refusal_; }
  bool complete() const;
  // Whether the client waits for a word that it may send the body (Expect: 100-continue). True once.
  bool awaits_word();
  // The request, once it is complete, which leaves the reader without it.
  HttpRequest request();

 private:
  struct Parser;  // Beast's, whose headers compile slowly

  HttpLimits limits_;
  std::unique_ptr<Parser> parser_;
  bool has_head_ = false;
  HttpRequest request_;  // without its body
  bool chunked_ = false;
  bool awaits_word_ = false;
  std::size_t body_bytes_ = 0;  // taken, as they came
  std::optional<Refusal> refusal_;
};

// The response as bytes. `head`: without its body, as HEAD asks for.
std::string response_text(const HttpResponse& response, bool head, bool keep_alive);

// What lets a client send the body that it has announced.
std::string_view continue_text();

// A response in pieces as bytes: its head, pieces of the body, and what ends it.
std::string head_of_pieces(const HttpResponse& response);
std::string piece_text(std::string_view text);
std::string end_of_pieces();

// {"error":"..."}; bytes of the message that are no UTF-8 are replaced.
HttpResponse error_response(int status, std::string_view message);

}  // namespace koridor::serve
