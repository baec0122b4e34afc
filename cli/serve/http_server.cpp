#include "cli/serve/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include "cli/serve/http.h"
#include "core/base/error.h"

namespace koridor::serve {
namespace {

namespace beast = boost::beast;
namespace net = boost::asio;
using beast::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

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
  void read_request();
  void take_bytes();
  void watch();
  void queue(std::string text, Next next);
  void write_some();
  void go_on();
  void refuse(const Refusal& refusal);
  // Steps.
  void on_first_bytes(error_code error, std::size_t bytes);
  void on_request_bytes(error_code error, std::size_t bytes);
  void on_watched(error_code error, std::size_t bytes);
  void on_written(error_code error, std::size_t bytes);
  void on_dropped(error_code error, std::size_t bytes);

  Sockets& sockets_;
  beast::tcp_stream stream_;
  beast::flat_buffer in_;
  std::optional<RequestReader> reader_;
  std::string sending_;   // goes out
  std::size_t sent_ = 0;  // of `sending_`
  std::string out_;       // goes out after it
  Next next_ = Next::more;
  Clock::time_point whole_until_{};  // when the request's last byte must have come
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
  std::string address() const {
    const std::string text = listener_.local_endpoint().address().to_string();
    return text.substr(0, text.find('%'));
  }
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
  if (in_.size() > 0) return read_request();  // it came with the one before
  stream_.expires_after(duration(settings().idle_seconds));
  read_some(&Connection::on_first_bytes);
}

void Connection::on_first_bytes(error_code error, std::size_t bytes) {
  if (error) return leave();
  in_.commit(bytes);
  read_request();
}

void Connection::read_request() {
  whole_until_ = Clock::now() + duration(settings().request_seconds);
  reader_.emplace(settings().limits);
  take_bytes();
}

void Connection::take_bytes() {
  const auto bytes = in_.cdata();
  in_.consume(reader_->take({static_cast<const char*>(bytes.data()), bytes.size()}));
  if (reader_->refusal()) return refuse(*reader_->refusal());
  if (reader_->complete()) {
    reads_ = false;
    sockets_.ask(shared_from_this(), reader_->request());
    return watch();
  }
  if (reader_->awaits_word()) queue(std::string(continue_text()), Next::more);
  in_.max_size(settings().limits.head + kPiece);
  stream_.expires_at(whole_until_);
  read_some(&Connection::on_request_bytes);
}

void Connection::on_request_bytes(error_code error, std::size_t bytes) {
  if (error) return leave();
  in_.commit(bytes);
  take_bytes();
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
    const bool taken = error == net::error::address_in_use;
    throw UserError(fmt::format("cannot listen on {} port {}: {}{}", settings_.address, settings_.port, error.message(),
                                taken ? "; --port 0 takes one that is free" : ""));
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
    fail(500, error_text(error));
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
  connection_->put(head_of_pieces(response), Connection::Next::more);
}

bool Reply::write(std::string_view text) {
  if (connection_->full.exchange(true)) return false;
  connection_->put(piece_text(text), Connection::Next::more);
  return true;
}

void Reply::end(std::string_view last) {
  const std::string text = last.empty() ? std::string() : piece_text(last);
  connection_->put(text + end_of_pieces(), Connection::Next::close);
}

HttpServer::HttpServer(ServerSettings settings, Handler handler)
    : sockets_(std::make_unique<Sockets>(std::move(settings), std::move(handler))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return sockets_->port();
}

std::string HttpServer::address() const {
  return sockets_->address();
}

void HttpServer::run(const std::atomic<bool>& stop) {
  constexpr std::chrono::milliseconds kPatience(200);
  while (!stop) sockets_->run_for(kPatience);
}

}  // namespace koridor::serve
