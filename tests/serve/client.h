// A client that sends bytes to a server of this process and reads what comes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace koridor::serve::test {

class Client {
 public:
  // `room`: bytes that the system keeps for the client until it reads them; 0: as many as the system likes.
  explicit Client(int port, int room = 0) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (room > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // Whether read() ended since the server closed the connection, and not for want of patience.
  bool closed() const { return closed_; }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // Waits until the first bytes have come, which stay to be read.
  void wait_for_bytes() const {
    char byte = 0;
    recv(socket_, &byte, 1, MSG_PEEK);
  }
  // What has come when the text holds `end`, or all until the server closes.
  std::string read(std::string_view end = {}) {
    char bytes[4096];
    while (end.empty() || text_.find(end) == std::string::npos) {
      const ssize_t got = recv(socket_, bytes, sizeof(bytes), 0);
      closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
      if (got <= 0) break;
      text_.append(bytes, static_cast<std::size_t>(got));
    }
    return std::exchange(text_, {});
  }

 private:
  int socket_;
  bool connected_ = false;
  bool closed_ = false;
  std::string text_;
};

}  // namespace koridor::serve::test
