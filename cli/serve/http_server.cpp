#include "cli/serve/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include "core/base/error.h"

namespace koridor::serve {

// One client. The server's lock guards all but `gone`.
struct Connection {
  enum class State {
    reading,    // a request comes in
    answering,  // a thread has it
    closing,    // what is in `out` goes out
    lingering,  // the client has the answer's end; what it still sends is dropped, so that it reads the answer
  };

  explicit Connection(int accepted) : socket(accepted) {}
  ~Connection() { close(socket); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket;
  State state = State::reading;
  std::string in;
  std::size_t wanted = 1;  // bytes of `in` before it is worth a look
  std::string out;
  HttpRequest request;
  std::atomic<bool> gone{false};
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();    // of the state or the first byte
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();  // the last progress of `out`
};

namespace {

constexpr double kLinger = 1;  // seconds

void set_nonblocking(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address address_of(const std::string& text, int port) {
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof(sockaddr_in6);
  } else {
    throw UserError(fmt::format("--bind {}: this is no address in numbers, as 127.0.0.1 or ::1", text));
  }
  return address;
}

int open_listener(const Address& address, const ServerSettings& settings) {
  const int listener = socket(address.storage.ss_family, SOCK_STREAM, 0);
  const int yes = 1;
  if (listener >= 0) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      listen(listener, settings.connections) != 0) {
    const std::string reason = std::strerror(errno);
    if (listener >= 0) close(listener);
    throw UserError(fmt::format("cannot listen on {} port {}: {}", settings.address, settings.port, reason));
  }
  set_nonblocking(listener);
  return listener;
}

int port_of(int listener) {
  Address address{.size = sizeof(sockaddr_storage)};
  getsockname(listener, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return ntohs(address.storage.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port
                   : reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
}

}  // namespace

Reply::Reply(HttpServer& server, std::shared_ptr<Connection> connection, bool head, bool keep_alive)
    : server_(&server), connection_(std::move(connection)), head_(head), keep_alive_(keep_alive) {}

const std::atomic<bool>& Reply::gone() const {
  return connection_->gone;
}

void Reply::send(const HttpResponse& response) {
  const std::lock_guard lock(server_->mutex_);
  started_ = true;
  connection_->out += response_text(response, head_, keep_alive_);
  connection_->state = keep_alive_ ? Connection::State::reading : Connection::State::closing;
  connection_->since = connection_->written = HttpServer::Clock::now();
}

void Reply::begin(const HttpResponse& response) {
  {
    const std::lock_guard lock(server_->mutex_);
    started_ = true;
    connection_->out += stream_head(response);
    connection_->written = HttpServer::Clock::now();
  }
  server_->wake();
}

bool Reply::write(std::string_view text) {
  {
    const std::lock_guard lock(server_->mutex_);
    if (!connection_->out.empty()) return false;
    connection_->out += stream_chunk(text);
    connection_->written = HttpServer::Clock::now();
  }
  server_->wake();
  return true;
}

void Reply::end(std::string_view last) {
  const std::lock_guard lock(server_->mutex_);
  if (!last.empty()) connection_->out += stream_chunk(last);
  connection_->out += stream_end();
  connection_->state = Connection::State::closing;
  connection_->since = connection_->written = HttpServer::Clock::now();
}

HttpServer::HttpServer(ServerSettings settings, Handler handler)
    : settings_(std::move(settings)), handler_(std::move(handler)) {
  listener_ = open_listener(address_of(settings_.address, settings_.port), settings_);
  port_ = port_of(listener_);
  int ends[2];
  if (pipe(ends) != 0) throw UserError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  wake_read_ = ends[0];
  wake_write_ = ends[1];
  set_nonblocking(wake_read_);
  set_nonblocking(wake_write_);
  for (int i = 0; i < settings_.threads; ++i) threads_.emplace_back([this] { work(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
    for (const auto& connection : connections_) connection->gone = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
  close(wake_read_);
  close(wake_write_);
}

void HttpServer::wake() {
  const char byte = 0;
  // A full pipe wakes as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, &byte, 1);
}

void HttpServer::run(const std::atomic<bool>& stop) {
  while (!stop) poll_once();
}

// Waits for something to happen on any connection, and does what it allows.
void HttpServer::poll_once() {
  constexpr int kPatience = 200;  // milliseconds until `stop` and the clocks are looked at
  std::vector<pollfd> watched{{wake_read_, POLLIN, 0}, {listener_, POLLIN, 0}};
  std::vector<std::shared_ptr<Connection>> known;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& connection : connections_) {
      short events = POLLRDHUP;
      const bool reads = connection->state == Connection::State::reading && connection->out.empty();
      if (reads || connection->state == Connection::State::lingering) events |= POLLIN;
      if (!connection->out.empty()) events |= POLLOUT;
      watched.push_back({connection->socket, events, 0});
      known.push_back(connection);
    }
  }
  poll(watched.data(), watched.size(), kPatience);
  char bytes[64];
  while (read(wake_read_, bytes, sizeof(bytes)) > 0) {
  }
  const std::lock_guard lock(mutex_);
  if ((watched[1].revents & POLLIN) != 0) accept_one();
  for (std::size_t i = 0; i < known.size(); ++i) {
    Connection& connection = *known[i];
    const short events = watched[i + 2].revents;
    if (connection.gone) continue;  // it made room
    if ((events & POLLIN) != 0) read_some(connection);
    if ((events & POLLOUT) != 0) write_some(connection);
    const bool left = (events & POLLRDHUP) != 0 && connection.state != Connection::State::closing;
    if ((left || (events & (POLLHUP | POLLERR)) != 0) && (events & POLLIN) == 0) connection.gone = true;
  }
  const auto now = Clock::now();
  std::erase_if(connections_, [&](const std::shared_ptr<Connection>& connection) {
    if (overdue(*connection, now)) connection->gone = true;
    return connection->gone.load();
  });
}

void HttpServer::accept_one() {
  const int accepted = accept(listener_, nullptr, nullptr);
  if (accepted < 0) return;
  set_nonblocking(accepted);
  const int yes = 1;
  setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  auto connection = std::make_shared<Connection>(accepted);
  if (connections_.size() >= static_cast<std::size_t>(settings_.connections)) {
    // The oldest that has no whole request makes room.
    const auto idle = std::ranges::find_if(connections_, [](const auto& one) {
      return one->state == Connection::State::reading && one->out.empty();
    });
    if (idle == connections_.end()) return;
    (*idle)->gone = true;
    connections_.erase(idle);
  }
  connections_.push_back(std::move(connection));
}

bool HttpServer::overdue(const Connection& connection, Clock::time_point now) const {
  const auto passed = [&](Clock::time_point since) { return std::chrono::duration<double>(now - since).count(); };
  if (!connection.out.empty()) {
    return passed(connection.written) > settings_.write_seconds || connection.out.size() > settings_.backlog;
  }
  if (connection.state == Connection::State::lingering) return passed(connection.since) > kLinger;
  if (connection.state != Connection::State::reading) return false;
  return passed(connection.since) > (connection.in.empty() ? settings_.idle_seconds : settings_.request_seconds);
}

void HttpServer::read_some(Connection& connection) {
  char bytes[16 * 1024];
  const ssize_t got = recv(connection.socket, bytes, sizeof(bytes), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) connection.gone = true;
  if (got <= 0 || connection.state == Connection::State::lingering) return;
  if (connection.in.empty()) connection.since = Clock::now();
  connection.in.append(bytes, static_cast<std::size_t>(got));
  look(connection);
}

// Hands a request on that is whole.
void HttpServer::look(Connection& connection) {
  if (connection.in.size() < connection.wanted) return;
  ParsedRequest parsed = parse_request(connection.in, settings_.limits);
  switch (parsed.state) {
    case ParsedRequest::State::incomplete:
      connection.wanted = parsed.wanted;
      return;
    case ParsedRequest::State::refused:
      refuse(connection, parsed.status, parsed.reason);
      return;
    case ParsedRequest::State::complete:
      break;
  }
  connection.in.erase(0, parsed.used);
  connection.wanted = 1;
  connection.request = std::move(parsed.request);
  connection.state = Connection::State::answering;
  const auto self = std::ranges::find_if(connections_, [&](const auto& one) { return one.get() == &connection; });
  queue_.push_back(*self);
  ready_.notify_one();
}

void HttpServer::refuse(Connection& connection, int status, const std::string& reason) {
  connection.out += response_text(error_response(status, reason), false, false);
  connection.in.clear();
  connection.state = Connection::State::closing;
  connection.since = connection.written = Clock::now();
}

void HttpServer::write_some(Connection& connection) {
  const ssize_t sent = send(connection.socket, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    if (errno != EAGAIN && errno != EINTR) connection.gone = true;
    return;
  }
  connection.out.erase(0, static_cast<std::size_t>(sent));
  connection.written = Clock::now();
  if (!connection.out.empty() || connection.state == Connection::State::answering) return;
  connection.since = Clock::now();
  if (connection.state == Connection::State::closing) {
    shutdown(connection.socket, SHUT_WR);
    connection.state = Connection::State::lingering;
    return;
  }
  if (!connection.in.empty()) look(connection);  // the next request came with the one before
}

// A thread that answers.
void HttpServer::work() {
  for (;;) {
    std::shared_ptr<Connection> connection;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return leaving_ || !queue_.empty(); });
      if (leaving_) return;
      connection = std::move(queue_.front());
      queue_.pop_front();
    }
    if (!connection->gone) answer(connection);
    wake();
  }
}

void HttpServer::answer(const std::shared_ptr<Connection>& connection) {
  const HttpRequest request = std::move(connection->request);
  Reply reply(*this, connection, request.method == "HEAD", request.keep_alive);
  try {
    handler_(request, reply);
    if (!reply.started()) reply.send(error_response(404, "there is nothing at " + request.path));
  } catch (const UserError& error) {
    if (!reply.started()) return reply.send(error_response(400, error.what()));
    reply.end(error_response(400, error.what()).body + "\n");
  } catch (const std::exception& error) {
    if (!reply.started()) return reply.send(error_response(503, error.what()));
    reply.end(error_response(503, error.what()).body + "\n");
  }
}

}  // namespace koridor::serve
