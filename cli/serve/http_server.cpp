#include "cli/serve/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/words.h"

namespace koridor::serve {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using beast::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;
using Parser = http::request_parser<http::string_body>;

// -- Requests and responses as bytes

constexpr std::string_view kHeadEnd = "\r\n\r\n";

struct Refusal {
  int status;
  std::string reason;
};
const Refusal kLongHead{431, "the headers are too long"};

// Why the parser could not go on. Nothing where there is no error, or one of the connection.
std::optional<Refusal> refusal_of(const error_code& error, const HttpLimits& limits) {
  static const error_code example = http::error::bad_method;
  if (!error || error.category() != example.category() || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::header_limit) return kLongHead;
  if (error == http::error::body_limit) return Refusal{413, fmt::format("a body has at most {} bytes", limits.body)};
  if (error == http::error::bad_version) return Refusal{505, "only HTTP/1.1 is spoken here"};
  return Refusal{400, "this is no request: " + error.message()};
}

// Why a request whose head has been read is not answered here.
std::optional<Refusal> refusal_of(const Parser& parser) {
  using http::field;
  const auto& head = parser.get();
  if (head.version() != 11) return Refusal{505, "only HTTP/1.1 is spoken here"};
  if (head.method() != http::verb::get && head.method() != http::verb::head && head.method() != http::verb::post) {
    return Refusal{405, "only GET, HEAD and POST are known"};
  }
  if (!head.target().starts_with('/')) return Refusal{400, "the target is no path on this server"};
  if (head.count(field::host) != 1) return Refusal{400, "a request has one Host"};
  if (head.count(field::transfer_encoding) + head.count(field::upgrade) > 0) {
    return Refusal{501, "bodies come in one piece with a Content-Length here"};
  }
  if (head.count(field::expect) > 0) return Refusal{417, "nothing is expected here"};
  if (head.count(field::content_length) > 1) return Refusal{400, "a request has one Content-Length"};
  if (parser.content_length().value_or(0) > 0 && head.method() != http::verb::post) {
    return Refusal{400, "only POST has a body"};
  }
  return std::nullopt;
}

// Parses a whole head. Beast 1.74 counts the lines of a head that comes in pieces one by one, and would take any number
// of them; so the head is collected first, up to its limit.
std::optional<Refusal> parse_head(Parser& parser, net::const_buffer head, const HttpLimits& limits) {
  parser.header_limit(static_cast<std::uint32_t>(limits.head));
  parser.body_limit(limits.body);
  error_code error;
  parser.put(head, error);
  if (const auto refusal = refusal_of(error, limits)) return refusal;
  return refusal_of(parser);
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

HttpRequest request_of(http::request<http::string_body> message) {
  const auto header = [&](auto name) { return lower_case(text_of(message[name])); };
  const std::string target = text_of(message.target());
  return {.method = text_of(message.method_string()),
          .path = target.substr(0, target.find('?')),
          .body = std::move(message.body()),
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

std::string chunk_text(std::string_view text) {
  return beast::buffers_to_string(http::make_chunk(net::buffer(text)));
}

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

ParsedRequest parse_request(std::string_view bytes, const HttpLimits& limits) {
  const auto refused = [](const Refusal& refusal) {
    return ParsedRequest{.state = ParsedRequest::State::refused, .status = refusal.status, .reason = refusal.reason};
  };
  const std::size_t end = bytes.find(kHeadEnd);
  const std::size_t head = end + kHeadEnd.size();
  if (end == std::string_view::npos && bytes.size() < limits.head) return {};
  if (end == std::string_view::npos || head > limits.head) return refused(kLongHead);
  Parser parser;
  if (const auto refusal = parse_head(parser, net::buffer(bytes.substr(0, head)), limits)) return refused(*refusal);
  std::size_t used = head;
  while (!parser.is_done()) {
    if (used == bytes.size()) return {};
    error_code error;
    used += parser.put(net::buffer(bytes.substr(used)), error);
    if (const auto refusal = refusal_of(error, limits)) return refused(*refusal);
  }
  return {.state = ParsedRequest::State::complete, .used = used, .request = request_of(parser.release())};
}

std::string response_text(const HttpResponse& response, bool head, bool keep_alive) {
  auto message = message_of(response, keep_alive);
  message.content_length(response.body.size());
  if (!head) message.body() = response.body;
  return text_of_message(message);
}

// -- Connections

// One client. Everything but `put`, `gone` and `full` belongs to the thread of HttpServer::run.
//
// A connection waits for a request (`await_request`), reads its head and its body, and gives it to a thread that
// answers. Meanwhile it goes on reading (`watch`), since that is how one learns that the client has left. When the
// answer is out it waits for the next request, or drops what still comes for a moment, so that the client reads the
// answer, and ends.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Next { more, request, close };  // what comes after some bytes of an answer

  Connection(Sockets& sockets, tcp::socket socket) : sockets_(sockets), stream_(std::move(socket)) {}

  void await_request();
  bool reads() const { return reads_; }
  void leave();
  // Sends bytes of the answer. From any thread.
  void put(std::string text, Next next);

  std::atomic<bool> gone{false};
  std::atomic<bool> full{false};  // a line of the answer waits for the client

 private:
  using Step = void (Connection::*)(error_code, std::size_t);
  // What Asio calls when something is done: a step, unless the connection has ended meanwhile.
  auto then(Step step) {
    return [self = shared_from_this(), step](error_code error, std::size_t bytes) {
      if (!self->gone) (self.get()->*step)(error, bytes);
    };
  }
  const ServerSettings& settings() const;
  void read_some(Step step);
  void read_head();
  void look_for_head();
  void take_head(std::size_t bytes);
  void watch();
  void queue(std::string text, Next next);
  void write_some();
  void go_on();
  void refuse(const Refusal& refusal);
  // Steps.
  void on_first_bytes(error_code error, std::size_t bytes);
  void on_head_bytes(error_code error, std::size_t bytes);
  void on_body(error_code error, std::size_t bytes);
  void on_watched(error_code error, std::size_t bytes);
  void on_written(error_code error, std::size_t bytes);
  void on_dropped(error_code error, std::size_t bytes);

  Sockets& sockets_;
  beast::tcp_stream stream_;
  beast::flat_buffer in_;
  std::optional<Parser> parser_;
  std::string sending_;   // goes out
  std::size_t sent_ = 0;  // of `sending_`
  std::string out_;       // goes out after it
  Next next_ = Next::more;
  Clock::time_point drops_until_{};
  bool reads_ = false;     // a request has not come yet
  bool watches_ = false;   // a read is on its way while the request is answered
  bool answered_ = false;  // the whole answer is out
};

// All connections, the listener, and the threads that answer.
class Sockets {
 public:
  Sockets(ServerSettings settings, HttpServer::Handler handler);
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  int port() const { return listener_.local_endpoint().port(); }
  void run_for(std::chrono::milliseconds time) { io_.run_for(time); }
  const ServerSettings& settings() const { return settings_; }
  net::io_context& io() { return io_; }
  void ask(std::shared_ptr<Connection> connection, HttpRequest request);
  void forget(const Connection* connection);

 private:
  void listen();
  void accept();
  void admit(tcp::socket socket);
  void answer(const std::shared_ptr<Connection>& connection, const HttpRequest& request) const;

  ServerSettings settings_;
  HttpServer::Handler handler_;
  net::io_context io_{1};
  tcp::acceptor listener_{io_};
  net::steady_timer pause_{io_};
  std::list<std::shared_ptr<Connection>> connections_;  // the oldest first
  net::thread_pool threads_;
};

namespace {

constexpr std::size_t kPiece = 16 * 1024;         // bytes that are read at once
constexpr std::size_t kMostEarly = 64 * 1024;     // bytes of further requests that may come before an answer
constexpr std::chrono::milliseconds kPause(100);  // after a connection that could not be accepted
constexpr std::chrono::seconds kLinger(1);        // in which a client may read its last answer

}  // namespace

const ServerSettings& Connection::settings() const {
  return sockets_.settings();
}

void Connection::leave() {
  gone = true;
  stream_.close();
  sockets_.forget(this);
}

void Connection::read_some(Step step) {
  stream_.async_read_some(in_.prepare(kPiece), then(step));
}

void Connection::await_request() {
  reads_ = true;
  answered_ = false;
  next_ = Next::more;
  if (in_.size() > 0) return read_head();  // it came with the one before
  stream_.expires_after(duration(settings().idle_seconds));
  read_some(&Connection::on_first_bytes);
}

void Connection::on_first_bytes(error_code error, std::size_t bytes) {
  if (error) return leave();
  in_.commit(bytes);
  read_head();
}

void Connection::read_head() {
  stream_.expires_after(duration(settings().request_seconds));  // until the body's last byte
  look_for_head();
}

// Asio's own async_read_until would read into a copy of the buffer.
void Connection::look_for_head() {
  const auto bytes = in_.cdata();
  const std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.find(kHeadEnd);
  if (end != std::string_view::npos) return take_head(end + kHeadEnd.size());
  if (text.size() >= settings().limits.head) return refuse(kLongHead);
  in_.max_size(settings().limits.head + kPiece);
  read_some(&Connection::on_head_bytes);
}

void Connection::on_head_bytes(error_code error, std::size_t bytes) {
  if (error) return leave();
  in_.commit(bytes);
  look_for_head();
}

void Connection::take_head(std::size_t bytes) {
  if (bytes > settings().limits.head) return refuse(kLongHead);
  parser_.emplace();
  const auto refusal = parse_head(*parser_, net::buffer(in_.data(), bytes), settings().limits);
  if (refusal) return refuse(*refusal);
  in_.consume(bytes);
  http::async_read(stream_, in_, *parser_, then(&Connection::on_body));
}

void Connection::on_body(error_code error, std::size_t) {
  if (error) return leave();
  reads_ = false;
  sockets_.ask(shared_from_this(), request_of(parser_->release()));
  watch();
}

void Connection::refuse(const Refusal& refusal) {
  reads_ = false;
  queue(response_text(error_response(refusal.status, refusal.reason), false, false), Next::close);
}

void Connection::watch() {
  watches_ = true;
  in_.max_size(kMostEarly + kPiece);
  stream_.expires_never();  // of this read alone: a write that is on its way keeps its deadline
  read_some(&Connection::on_watched);
}

void Connection::on_watched(error_code error, std::size_t bytes) {
  watches_ = false;
  in_.commit(bytes);
  if (in_.size() > kMostEarly) return leave();
  if (answered_) return go_on();             // it was ended by on_written
  if (error && next_ != Next::more) return;  // the client sends no more; the rest of its answer is on its way
  if (error) return leave();
  watch();
}

void Connection::put(std::string text, Next next) {
  net::post(sockets_.io(), [self = shared_from_this(), text = std::move(text), next]() mutable {
    if (!self->gone) self->queue(std::move(text), next);
  });
}

void Connection::queue(std::string text, Next next) {
  out_ += text;
  next_ = next;
  if (sending_.empty()) write_some();
}

void Connection::write_some() {
  if (sending_.empty()) {
    sending_.swap(out_);
    sent_ = 0;
  }
  stream_.expires_after(duration(settings().write_seconds));  // a read that is on its way keeps its own
  stream_.async_write_some(net::buffer(sending_) + sent_, then(&Connection::on_written));
}

void Connection::on_written(error_code error, std::size_t bytes) {
  if (error) return leave();
  sent_ += bytes;
  if (sent_ == sending_.size()) sending_.clear();
  if (!sending_.empty() || !out_.empty()) return write_some();
  full = false;
  if (next_ == Next::more) return;
  answered_ = true;
  watches_ ? stream_.cancel() : go_on();
}

// The answer is out, and no read is on its way.
void Connection::go_on() {
  if (next_ == Next::request) return await_request();
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  drops_until_ = Clock::now() + kLinger;
  stream_.expires_at(drops_until_);
  on_dropped({}, 0);
}

void Connection::on_dropped(error_code error, std::size_t) {
  // The stream looks at its deadline only when it waits, and who sends fast enough never lets it wait.
  if (error || Clock::now() > drops_until_) return leave();
  in_.clear();
  in_.max_size(kPiece);
  read_some(&Connection::on_dropped);
}

// -- All of them

Sockets::Sockets(ServerSettings settings, HttpServer::Handler handler)
    : settings_(std::move(settings)),
      handler_(std::move(handler)),
      threads_(static_cast<std::size_t>(settings_.threads)) {
  listen();
  accept();
}

Sockets::~Sockets() {
  for (const auto& connection : connections_) connection->gone = true;
  threads_.stop();
  threads_.join();
}

void Sockets::listen() {
  error_code error;
  const net::ip::address address = net::ip::make_address(settings_.address, error);
  if (error) {
    throw UserError(fmt::format("--bind {}: this is no address in numbers, as 127.0.0.1 or ::1", settings_.address));
  }
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(settings_.port));
  listener_.open(endpoint.protocol(), error);
  if (!error) listener_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) listener_.bind(endpoint, error);
  if (!error) listener_.listen(net::socket_base::max_listen_connections, error);
  if (error) {
    throw UserError(fmt::format("cannot listen on {} port {}: {}", settings_.address, settings_.port, error.message()));
  }
}

void Sockets::accept() {
  listener_.async_accept([this](error_code error, tcp::socket socket) {
    if (!error) {
      admit(std::move(socket));
      return accept();
    }
    // Such as too many open files: it will be better soon.
    pause_.expires_after(kPause);
    pause_.async_wait([this](error_code stopped) {
      if (!stopped) accept();
    });
  });
}

void Sockets::admit(tcp::socket socket) {
  if (connections_.size() >= static_cast<std::size_t>(settings_.connections)) {
    // The oldest that has sent no whole request makes room.
    const auto idle = std::ranges::find_if(connections_, [](const auto& one) { return one->reads(); });
    if (idle == connections_.end()) return;
    const std::shared_ptr<Connection> leaving = *idle;
    leaving->leave();
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  connections_.push_back(std::make_shared<Connection>(*this, std::move(socket)));
  connections_.back()->await_request();
}

void Sockets::forget(const Connection* connection) {
  connections_.remove_if([&](const auto& one) { return one.get() == connection; });
}

void Sockets::ask(std::shared_ptr<Connection> connection, HttpRequest request) {
  net::post(threads_, [this, connection = std::move(connection), request = std::move(request)] {
    if (!connection->gone) answer(connection, request);
  });
}

// On a thread that answers.
void Sockets::answer(const std::shared_ptr<Connection>& connection, const HttpRequest& request) const {
  Reply reply(connection, request.method == "HEAD", request.keep_alive);
  const auto fail = [&](int status, const char* message) {
    const HttpResponse response = error_response(status, message);
    reply.started() ? reply.end(response.body + "\n") : reply.send(response);
  };
  try {
    handler_(request, reply);
    if (!reply.started()) reply.send(error_response(404, "there is nothing at " + request.path));
  } catch (const UserError& error) {
    fail(400, error.what());
  } catch (const std::exception& error) {
    fail(503, error.what());
  }
}

Reply::Reply(std::shared_ptr<Connection> connection, bool head, bool keep_alive)
    : connection_(std::move(connection)), head_(head), keep_alive_(keep_alive) {}

const std::atomic<bool>& Reply::gone() const {
  return connection_->gone;
}

void Reply::send(const HttpResponse& response) {
  started_ = true;
  connection_->put(response_text(response, head_, keep_alive_),
                   keep_alive_ ? Connection::Next::request : Connection::Next::close);
}

void Reply::begin(const HttpResponse& response) {
  started_ = true;
  auto message = message_of(response, false);
  message.chunked(true);
  connection_->put(text_of_message(message.base()), Connection::Next::more);
}

bool Reply::write(std::string_view text) {
  if (connection_->full.exchange(true)) return false;
  connection_->put(chunk_text(text), Connection::Next::more);
  return true;
}

void Reply::end(std::string_view last) {
  const std::string text = last.empty() ? std::string() : chunk_text(last);
  connection_->put(text + beast::buffers_to_string(http::make_chunk_last()), Connection::Next::close);
}

HttpServer::HttpServer(ServerSettings settings, Handler handler)
    : sockets_(std::make_unique<Sockets>(std::move(settings), std::move(handler))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return sockets_->port();
}

void HttpServer::run(const std::atomic<bool>& stop) {
  constexpr std::chrono::milliseconds kPatience(200);
  while (!stop) sockets_->run_for(kPatience);
}

}  // namespace koridor::serve
