// An HTTP server for one page on one machine, of Boost.Beast, which this header does not show, since it compiles
// slowly.
// One thread has all connections, a few others answer requests. Everything that a stranger could make grow has a bound:
// connections, bytes of a request, the time that it takes to send it, bytes that wait for a slow reader.
//
//   HttpServer server({.address = "127.0.0.1", .port = 8080}, [](const HttpRequest& request, Reply& reply) {
//     reply.send({.body = "{}"});
//   });
//   server.run(stop);   // until the flag is set
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/serve/http.h"

namespace koridor::serve {

struct ServerSettings {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, in numbers
  int port = 0;                       // 0: any that is free
  int threads = 6;                    // that answer requests
  int connections = 64;
  HttpLimits limits{};
  double request_seconds = 10;  // from a request's first byte to its last
  double idle_seconds = 60;     // between two requests of a connection
  double write_seconds = 20;    // without a byte that goes out
};

class Connection;
class Sockets;

// The answer to one request. It may be used until the handler returns, on the handler's thread.
class Reply {
 public:
  Reply(std::shared_ptr<Connection> connection, bool head, bool keep_alive);
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
  // Tells requests that are being answered that nobody reads them, and waits for their handlers.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // As browsers write it: the shortest form, without the brackets of IPv6 and without a scope.
  std::string address() const;
  // Serves until `stop` is set, which it looks at five times a second.
  void run(const std::atomic<bool>& stop);

 private:
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace koridor::serve
