// A port of this machine at which nobody listens.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <random>

namespace koridor {

// Below those that the kernel gives to connections (32768 and above by default): one of these may be another test's, or
// the asker's own, a moment later.
inline int free_port() {
  std::random_device random;
  for (;;) {
    const int port = 10000 + static_cast<int>(random() % 20000);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    if (free) return port;
  }
}

}  // namespace koridor
