// A small HTTP server for one page on one machine. One thread watches all connections, a few others answer requests.
// Everything that a stranger could make grow has a bound: connections, bytes of a request, the time that it takes to
// send it, bytes that wait for a slow reader.
//
//   HttpServer server({.address = "127.0.0.1", .port = 8080}, [](const HttpRequest& request, Reply& reply) {
//     reply.send({.body = "{}"});
//   });
//   server.run(stop);   // until the flag is set
//
// The library for this in Debian (cpp-httplib 0.11) gives every connection a thread for as long as its sender likes to
// take, and its parser cannot be fuzzed by itself; so the sockets are ours.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/serve/http.h"

namespace koridor::serve {

struct ServerSettings {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, in numbers
  int port = 0;                       // 0: any that is free
  int threads = 6;                    // that answer requests
  int connections = 64;
  HttpLimits limits{};
  double request_seconds = 10;            // from a request's first byte to its last
  double idle_seconds = 60;               // between two requests of a connection
  double write_seconds = 20;              // without a byte that goes out
  std::size_t backlog = 4 * 1024 * 1024;  // bytes that may wait for a reader
};

struct Connection;
class HttpServer;

// The answer to one request. It may be used until the handler returns, on the handler's thread.
class Reply {
 public:
  Reply(HttpServer& server, std::shared_ptr<Connection> connection, bool head, bool keep_alive);
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  void send(const HttpResponse& response);

  // A response in pieces: begin, then lines as they come. Where the reader is too slow, lines are left out
  // (`write` returns false); the last one always goes out.
  void begin(const HttpResponse& response);
  bool write(std::string_view text);
  void end(std::string_view last);

  // Set when the client has left: nobody will read the answer.
  const std::atomic<bool>& gone() const;
  bool started() const { return started_; }

 private:
  HttpServer* server_;
  std::shared_ptr<Connection> connection_;
  bool head_;
  bool keep_alive_;
  bool started_ = false;
};

class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest&, Reply&)>;

  // Binds and listens. Throws UserError where that cannot be.
  HttpServer(ServerSettings settings, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  // Serves until `stop` is set; then open requests are told that nobody reads them, and it returns.
  void run(const std::atomic<bool>& stop);

 private:
  friend class Reply;
  using Clock = std::chrono::steady_clock;
  void accept_one();
  void read_some(Connection& connection);
  void look(Connection& connection);
  void write_some(Connection& connection);
  void refuse(Connection& connection, int status, const std::string& reason);
  bool overdue(const Connection& connection, Clock::time_point now) const;
  void poll_once();
  void work();
  void wake();
  void answer(const std::shared_ptr<Connection>& connection);

  ServerSettings settings_;
  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  int wake_read_ = -1;
  int wake_write_ = -1;

  std::mutex mutex_;  // guards all below, and what is in the connections
  std::condition_variable ready_;
  std::list<std::shared_ptr<Connection>> connections_;
  std::deque<std::shared_ptr<Connection>> queue_;  // with a whole request
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace koridor::serve
