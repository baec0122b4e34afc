#include "train/learner/ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "train/learner/nccl_sum.h"
#include "train/learner/torch_compat.h"

namespace koridor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRanksPoll = std::chrono::milliseconds(20);

// Processes that are started together meet within this time.
constexpr auto kQuiet = std::chrono::seconds(15);

// How long the first, which holds what they meet by, stays after a stop, so that the others read of it.
constexpr auto kLinger = std::chrono::milliseconds(500);

// The address of this machine from which the host can be reached at the port; nothing where nobody answers there.
// LibTorch would wait by itself, but noisily and deaf to signals.
std::optional<std::string> address_towards(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int socket = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) continue;
    ::connect(socket, address->ai_addr, address->ai_addrlen);
    pollfd connected{socket, POLLOUT, 0};
    ::poll(&connected, 1, 1000);
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    sockaddr_storage own{};
    size = sizeof own;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size);
    ::close(socket);
    char text[NI_MAXHOST];
    if ((connected.revents & POLLOUT) != 0 && error == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
      return text;
    }
  }
  return std::nullopt;
}

// Throws UserError where the name has no address; of one that cannot be asked for now nobody knows. LibTorch would ask
// for it again and again, likewise.
void require_address(const std::string& host) {
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (error == 0) return ::freeaddrinfo(found);
  if (error == EAI_AGAIN) return;
  throw UserError(fmt::format("MASTER_ADDR={}: this names no machine: {}", host, ::gai_strerror(error)));
}

// The wait for the other processes.
class Meeting {
 public:
  Meeting(const RankPlace& place, const std::atomic<bool>& stop) : place_(place), stop_(stop) {}

  // Waits until arrived(); false where the stop was set first. Once it has lasted long a line says so. Throws UserError
  // after kPatience.
  bool wait_until(const std::function<bool()>& arrived) {
    for (const auto end = Clock::now() + Ranks::kPatience; !arrived(); std::this_thread::sleep_for(kRanksPoll)) {
      if (stop_) return false;
      if (!told_ && Clock::now() - began_ >= kQuiet) {
        print_message(fmt::format("koridor-trainer {} of {}", place_.rank + 1, place_.size),
                      fmt::format("waits for the other trainers at {}, port {}", place_.host, place_.port));
        told_ = true;
      }
      if (Clock::now() < end) continue;
      throw UserError(fmt::format(
          "waited {} s for the other trainers at {}, port {}: are all of them started, and can that port be reached?",
          Ranks::kPatience.count(), place_.host, place_.port));
    }
    return true;
  }

 private:
  const RankPlace& place_;
  const std::atomic<bool>& stop_;
  Clock::time_point began_ = Clock::now();
  bool told_ = false;
};

using Store = c10::intrusive_ptr<c10d::Store>;

Store open_store(const RankPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.rank == 0 && !place.served;
  options.waitWorkers = false;
  options.timeout = Ranks::kSilence;
  try {
    const Store store = c10::make_intrusive<c10d::TCPStore>(place.host, options);
    return c10::make_intrusive<c10d::PrefixStore>(fmt::format("koridor/{}", place.attempt), store);
  } catch (const std::exception& error) {
    throw UserError(
        fmt::format("cannot meet the other trainers at {}, port {}: {}", place.host, place.port, first_line(error)));
  }
}

}  // namespace

struct Ranks::Impl {
  Store store;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> hosts;
  std::unique_ptr<NcclSum> gpus;

  // Calls act(), which waits for the other processes.
  template <class Act>
  static void together(Act&& act) {
    try {
      act();
    } catch (const std::exception& error) {
      throw RankLost(fmt::format(
          "another trainer has ended or does not answer ({}); start all of them again, and the training goes on",
          first_line(error)));
    }
  }
};

Ranks::Ranks(const RankPlace& place) : place_(place), impl_(std::make_unique<Impl>()) {}
Ranks::~Ranks() = default;

std::unique_ptr<Ranks> Ranks::join(const RankPlace& place, const std::atomic<bool>& stop) {
  std::unique_ptr<Ranks> ranks(new Ranks(place));
  if (ranks->alone()) return ranks;
  require_address(place.host);
  ::signal(SIGPIPE, SIG_IGN);  // Gloo writes to connections that the other side may have closed
  Store& store = ranks->impl_->store;
  if (place.rank == 0 && !place.served) {
    if (address_towards(place.host, place.port)) {
      throw UserError(fmt::format("port {} of {} is taken: set MASTER_PORT to another", place.port, place.host));
    }
    store = open_store(place);
  }
  Meeting meeting(place, stop);
  std::optional<std::string> address;
  const auto answered = [&] { return (address = address_towards(place.host, place.port)).has_value(); };
  if (!meeting.wait_until(answered)) return nullptr;
  if (store == nullptr) store = open_store(place);
  try {
    if (store->add(fmt::format("rank/{}", place.rank), 1) > 1) {
      throw UserError(
          fmt::format("there are two trainers with rank {} at {}, port {}", place.rank, place.host, place.port));
    }
    store->add("here", 1);
    const auto stopped = [&] { return store->add("stop", 0) > 0; };
    const auto all_here = [&] { return stopped() || store->add("here", 0) >= place.size; };
    if (!meeting.wait_until(all_here)) store->add("stop", 1);
    if (stopped()) {
      if (place.rank == 0) std::this_thread::sleep_for(kLinger);
      return nullptr;
    }
    const auto options = c10d::ProcessGroupGloo::Options::create(kSilence);
    const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
    options->devices.push_back(interface != nullptr ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                                    : c10d::ProcessGroupGloo::createDeviceForHostname(*address));
    ranks->impl_->hosts = c10::make_intrusive<c10d::ProcessGroupGloo>(store, place.rank, place.size, options);
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError(fmt::format("cannot join the other trainers: {}", first_line(error)));
  }
  return ranks;
}

void Ranks::add_up(std::span<float> numbers) {
  at::Tensor tensor = torch::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, torch::kFloat);
  add_up(tensor);
}

void Ranks::add_up(at::Tensor& numbers) {
  if (alone()) return;
  if (numbers.is_cuda() && impl_->gpus != nullptr) {
    Impl::together([&] { impl_->gpus->add_up(numbers); });
    return;
  }
  std::vector<at::Tensor> on_host{numbers.cpu()};
  Impl::together([&] { impl_->hosts->allreduce(on_host)->wait(); });
  if (!numbers.is_cpu()) numbers.copy_(on_host[0]);
}

void Ranks::broadcast(std::string& bytes) {
  if (alone()) return;
  std::int64_t count = static_cast<std::int64_t>(bytes.size());
  const auto send = [this](void* data, std::int64_t size, at::ScalarType type) {
    std::vector<at::Tensor> tensors{torch::from_blob(data, {size}, type)};
    Impl::together([&] { impl_->hosts->broadcast(tensors)->wait(); });
  };
  send(&count, 1, torch::kLong);
  bytes.resize(static_cast<std::size_t>(count));
  if (count > 0) send(bytes.data(), count, torch::kByte);
}

bool Ranks::any(bool mine) {
  float count = mine ? 1.0f : 0.0f;
  add_up({&count, 1});
  return count > 0.0f;
}

std::vector<std::uint64_t> Ranks::gather(std::uint64_t number) {
  // Every process fills places of its own with 16 bits each, which floats hold.
  constexpr std::size_t kPieces = 4;
  const auto own = static_cast<std::size_t>(place_.rank);
  std::vector<float> pieces(kPieces * static_cast<std::size_t>(size()));
  for (std::size_t i = 0; i < kPieces; ++i) {
    pieces[kPieces * own + i] = static_cast<float>(number >> (16 * i) & 0xFFFF);
  }
  add_up(pieces);
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(size()));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    numbers[i / kPieces] |= static_cast<std::uint64_t>(pieces[i]) << (16 * (i % kPieces));
  }
  return numbers;
}

void Ranks::require_equal(std::uint64_t number, const std::string& what) {
  const std::vector<std::uint64_t> numbers = gather(number);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] == numbers[0]) continue;
    throw UserError(fmt::format("{}: trainer {} of {} has others than the first", what, i + 1, size()));
  }
}

bool Ranks::use_gpu(int gpu) {
  std::vector<std::uint64_t> gpus = gather(gpu < 0 ? 0 : gpu_identity(gpu));
  std::ranges::sort(gpus);
  const bool all = gpus.front() != 0;
  const bool shared = std::ranges::adjacent_find(gpus) != gpus.end();
  if (!alone() && all && !shared) impl_->gpus = make_nccl_sum(impl_->store, place_.rank, size(), kSilence);
  return all && shared;
}

void Ranks::side_by_side(const std::function<void()>& work) {
  if (alone()) return work();
  std::promise<void> done;
  std::exception_ptr lost;
  {
    std::jthread beat([this, &lost, ended = done.get_future()](const std::stop_token& given_up) {
      try {
        float count = 0;
        while (count < static_cast<float>(size())) {
          const bool over = ended.wait_for(kRanksPoll) == std::future_status::ready;
          if (given_up.stop_requested()) return;
          count = over ? 1.0f : 0.0f;
          add_up({&count, 1});
        }
      } catch (...) {
        lost = std::current_exception();
      }
    });
    work();
    done.set_value();
    beat.join();  // its destructor would ask it to give up
  }
  if (lost) std::rethrow_exception(lost);
}

}  // namespace koridor
