#include "train/run/trainers.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "core/base/error.h"

namespace koridor {
namespace {

constexpr auto kTrainersPollInterval = std::chrono::milliseconds(10);

// A port of this machine at which nobody listens now.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool found = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  const int error = errno;
  ::close(socket);
  if (!found) throw UserError(fmt::format("no port for several trainers: {}", std::strerror(error)));
  return ntohs(address.sin_port);
}

}  // namespace

Trainers::Trainers(int count, const std::vector<std::string>& command, const std::filesystem::path& log,
                   const std::string& input, const std::vector<std::string>& environment) {
  const int port = count > 1 ? free_port() : 0;
  for (int rank = 0; rank < count; ++rank) {
    // One trainer is told as well that it is alone: this process may itself have a place, that of a batch script in a
    // job of Slurm for example.
    std::vector<std::string> variables{"TORCHELASTIC_USE_AGENT_STORE",     "TORCHELASTIC_RESTART_COUNT",
                                       fmt::format("RANK={}", rank),       fmt::format("WORLD_SIZE={}", count),
                                       fmt::format("LOCAL_RANK={}", rank), "MASTER_ADDR=127.0.0.1",
                                       fmt::format("MASTER_PORT={}", port)};
    variables.insert(variables.end(), environment.begin(), environment.end());
    processes_.push_back(std::make_unique<Process>(command, log, input, variables));
  }
}

std::optional<int> Trainers::poll() {
  if (processes_.empty()) return std::nullopt;
  bool all = true;
  for (const auto& process : processes_) {
    const std::optional<int> ended = process->poll();
    all = all && ended;
    if (status_ != 0 || ended.value_or(0) == 0) continue;
    status_ = *ended;
    terminate();  // the others may still be waiting for one that never joined them
  }
  if (!all) return std::nullopt;
  return status_;
}

std::optional<int> Trainers::wait_for(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!poll() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kTrainersPollInterval);
  return poll();
}

void Trainers::terminate() {
  for (const auto& process : processes_) process->terminate();
}

void Trainers::kill() {
  for (const auto& process : processes_) process->kill();
}

}  // namespace koridor
