#include "cli/serve/http.h"

#include <fmt/format.h>

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <sstream>
#include <utility>

#include "core/base/json_text.h"
#include "core/words.h"

namespace koridor::serve {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using beast::error_code;
using BeastParser = http::request_parser<http::string_body>;

const Refusal kLongHead{431, "the headers are too long"};
constexpr std::size_t kLongestChunkHead = 1024;  // bytes of the line with a chunk's size, or of what follows the last
// A body in chunks has as many bytes to come wherever it stands: "0\r\n\r\n". Beast reckons with them.
constexpr std::size_t kLeastLeft = 5;

// Why the parser could not go on. Nothing where there is no error, or one of the connection.
std::optional<Refusal> refusal_of(const error_code& error, const HttpLimits& limits) {
  static const error_code example = http::error::bad_method;
  if (!error || error.category() != example.category() || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::header_limit) return kLongHead;
  if (error == http::error::body_limit) return Refusal{413, fmt::format("a body has at most {} bytes", limits.body)};
  if (error == http::error::bad_version) return Refusal{505, "only HTTP/1.1 is spoken here"};
  return Refusal{400, "this is no request: " + error.message()};
}

template <class Head>
bool is_chunked(const Head& head) {
  return head.count(http::field::transfer_encoding) == 1 &&
         beast::iequals(head[http::field::transfer_encoding], "chunked");
}

template <class Head>
bool asks_to_continue(const Head& head) {
  return head.count(http::field::expect) == 1 && beast::iequals(head[http::field::expect], "100-continue");
}

// Why a request whose head has been read is not answered here.
std::optional<Refusal> refusal_of(const BeastParser& parser) {
  using http::field;
  const auto& head = parser.get();
  if (head.version() != 11) return Refusal{505, "only HTTP/1.1 is spoken here"};
  if (head.method() != http::verb::get && head.method() != http::verb::head && head.method() != http::verb::post) {
    return Refusal{405, "only GET, HEAD and POST are known"};
  }
  if (!head.target().starts_with('/')) return Refusal{400, "the target is no path on this server"};
  if (head.count(field::host) != 1) return Refusal{400, "a request has one Host"};
  if (head.count(field::transfer_encoding) > 0 && !is_chunked(head)) {
    return Refusal{501, "bodies come plain here, with a Content-Length or in chunks"};
  }
  if (head.count(field::expect) > 0 && !asks_to_continue(head)) {
    return Refusal{417, "nothing but 100-continue is expected here"};
  }
  if (head.count(field::content_length) > 1) return Refusal{400, "a request has one Content-Length"};
  const bool body = parser.content_length().value_or(0) > 0 || head.count(field::transfer_encoding) > 0;
  if (body && head.method() != http::verb::post) {
    return Refusal{400, "only POST has a body"};
  }
  return std::nullopt;
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

// The request so far. What comes behind a body in chunks says nothing of it.
HttpRequest head_of(const http::request<http::string_body>& message) {
  const auto header = [&](auto name) { return lower_case(text_of(message[name])); };
  const std::string target = text_of(message.target());
  return {.method = text_of(message.method_string()),
          .path = target.substr(0, target.find('?')),
          .host = header(http::field::host),
          .origin = header(http::field::origin),
          .content_type = header(http::field::content_type),
          .fetch_site = header("Sec-Fetch-Site"),
          .keep_alive = message.keep_alive()};
}

http::response<http::string_body> message_of(const HttpResponse& response, bool keep_alive) {
  http::response<http::string_body> message{http::int_to_status(static_cast<unsigned>(response.status)), 11};
  message.keep_alive(keep_alive);
  message.set(http::field::content_type, response.type);
  if (!response.allow.empty()) message.set(http::field::allow, response.allow);
  // Nothing from elsewhere is loaded or run, and no other page may hold this one.
  message.set("Content-Security-Policy",
              "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
              "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
              "frame-ancestors 'none'");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Opener-Policy", "same-origin");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set(http::field::cache_control, "no-store");
  return message;
}

template <class Part>
std::string text_of_message(const Part& part) {
  std::ostringstream text;
  text << part;
  return std::move(text).str();
}

// Bytes of the head that the text begins with; 0: it is not whole yet; nothing: it is longer than the limit.
std::optional<std::size_t> head_size(std::string_view text, const HttpLimits& limits) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t end = text.find(kEnd);
  const bool whole = end != std::string_view::npos;
  if (whole ? end + kEnd.size() > limits.head : text.size() >= limits.head) return std::nullopt;
  return whole ? end + kEnd.size() : 0;
}

}  // namespace

struct RequestReader::Parser : BeastParser {};

RequestReader::RequestReader(const HttpLimits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<std::uint32_t>(limits.head));
  parser_->body_limit(limits.body);
}

RequestReader::~RequestReader() = default;

bool RequestReader::complete() const {
  return !refusal_ && parser_->is_done();
}

// Beast 1.74 counts the lines of a head that comes in pieces one by one, and would take any number of them; so the
// parser gets the head in one piece.
std::size_t RequestReader::take(std::string_view bytes) {
  std::size_t taken = 0;
  error_code error;
  if (!has_head_) {
    const auto head = head_size(bytes, limits_);
    if (!head) refusal_ = kLongHead;
    if (head.value_or(0) == 0) return 0;
    taken = *head;
    has_head_ = true;
    parser_->put(net::buffer(bytes.substr(0, taken)), error);
    refusal_ = refusal_of(error, limits_);
    if (!refusal_) refusal_ = refusal_of(*parser_);
    if (refusal_) return taken;
    request_ = head_of(parser_->get());
    chunked_ = is_chunked(parser_->get());
    awaits_word_ = !parser_->is_done() && asks_to_continue(parser_->get());
  }
  while (!refusal_ && !parser_->is_done() && taken < bytes.size()) {
    if (chunked_ && bytes.size() - taken < kLeastLeft) break;
    const std::size_t more = parser_->put(net::buffer(bytes.substr(taken)), error);
    taken += more;
    body_bytes_ += more;
    if (error == http::error::need_more && !parser_->is_done()) {  // the line before a chunk is not whole
      if (bytes.size() - taken > kLongestChunkHead) refusal_ = Refusal{400, "the line before a chunk is too long"};
      break;
    }
    refusal_ = refusal_of(error, limits_);
    if (body_bytes_ > 2 * limits_.body) refusal_ = refusal_of(http::error::body_limit, limits_);
  }
  return taken;
}

bool RequestReader::awaits_word() {
  return std::exchange(awaits_word_, false) && !complete();
}

HttpRequest RequestReader::request() {
  request_.body = std::move(parser_->get().body());
  return std::move(request_);
}

std::string response_text(const HttpResponse& response, bool head, bool keep_alive) {
  auto message = message_of(response, keep_alive);
  message.content_length(response.body.size());
  if (!head) message.body() = response.body;
  return text_of_message(message);
}

std::string_view continue_text() {
  return "HTTP/1.1 100 Continue\r\n\r\n";
}

std::string head_of_pieces(const HttpResponse& response) {
  auto message = message_of(response, false);
  message.chunked(true);
  return text_of_message(message.base());
}

std::string piece_text(std::string_view text) {
  return beast::buffers_to_string(http::make_chunk(net::buffer(text)));
}

std::string end_of_pieces() {
  return beast::buffers_to_string(http::make_chunk_last());
}

HttpResponse error_response(int status, std::string_view message) {
  return {.status = status, .body = json_text({{"error", message}})};
}

}  // namespace koridor::serve
