#include "bench/scale/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bench/temporary_folder.h"
#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/write_all.h"

namespace koridor::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8;
constexpr std::size_t kBlock = std::size_t{1} << 20;

// Writes a small file, gives it a second name, renames it and removes both, as a lease does; the calls made.
int touch_files(const fs::path& folder, int thread) {
  const std::string own = (folder / fmt::format("own-{}", thread)).string();
  const std::string second = own + ".lease";
  const std::string third = own + ".free";
  const int file = ::open(own.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw UserError("cannot write " + own + ": " + std::strerror(errno));
  const bool good = write_all(file, std::string(200, 'x')) == 0;
  ::close(file);
  if (!good || ::link(own.c_str(), second.c_str()) != 0 || ::rename(second.c_str(), third.c_str()) != 0 ||
      ::unlink(own.c_str()) != 0 || ::unlink(third.c_str()) != 0) {
    throw UserError("cannot write, link, rename and remove " + own + ": " + std::strerror(errno));
  }
  return 5;
}

// Operations per second of so many threads.
double operation_rate(const fs::path& folder, int threads, double seconds) {
  std::atomic<long> operations = 0;
  std::atomic<bool> failed = false;
  const auto start = Clock::now();
  {
    std::vector<std::jthread> crew;
    for (int thread = 0; thread < threads; ++thread) {
      crew.emplace_back([&, thread] {
        try {
          // Once at least: a thread may begin late where the cores are busy.
          do {
            operations += touch_files(folder, thread);
          } while (seconds_since(start) < seconds && !failed);
        } catch (const UserError&) {
          failed = true;
        }
      });
    }
  }
  if (failed) touch_files(folder, threads);  // says what is wrong
  return static_cast<double>(operations) / seconds_since(start);
}

double write_rate(const fs::path& folder, double seconds) {
  const std::string path = (folder / "bytes").string();
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const auto fail = [&](int error) {
    if (file >= 0) ::close(file);
    throw UserError("cannot write " + path + ": " + std::strerror(error));
  };
  if (file < 0) fail(errno);
  std::string block(kBlock, '\0');
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(i * 2654435761u >> 13);
  double bytes = 0;
  const auto start = Clock::now();
  while (seconds_since(start) < seconds && bytes < 512e6) {
    if (const int error = write_all(file, block); error != 0) fail(error);
    bytes += static_cast<double>(block.size());
  }
  if (::fsync(file) != 0) fail(errno);
  const double rate = bytes / seconds_since(start);
  ::close(file);
  return rate;
}

}  // namespace

FileSpeed measure_files(const fs::path& folder, double seconds) {
  const TemporaryFolder work(folder);
  FileSpeed speed;
  speed.operation_seconds = 1 / operation_rate(work.path(), 1, seconds / 3);
  speed.operations_per_second = operation_rate(work.path(), kThreads, seconds / 3);
  speed.bytes_per_second = write_rate(work.path(), seconds / 3);
  return speed;
}

}  // namespace koridor::bench
