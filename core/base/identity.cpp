#include "core/base/identity.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/base/sealed_text.h"

namespace koridor {
namespace {

constexpr std::size_t kLongestHost = 40;

std::string content_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// When the process began; nothing where there is none, or only what its parent has not waited for yet.
std::optional<std::uint64_t> start_of(const std::string& process) {
  const std::string line = content_of("/proc/" + process + "/stat");
  const std::size_t name_end = line.rfind(')');  // a program's name may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(line.substr(name_end + 1));
  constexpr int kStart = 19;  // words from the state to the start
  std::string state, word;
  words >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int i = 0; i < kStart; ++i) words >> word;
  std::istringstream number(word);
  std::uint64_t start = 0;
  return number >> start ? std::optional(start) : std::nullopt;
}

std::string find_machine() {
  std::error_code ignored;
  // Processes of two containers on one machine do not see each other.
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  return text_checksum(content_of("/proc/sys/kernel/random/boot_id") + space.string());
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  std::string host(name.data());
  for (char& letter : host) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  }
  return host.empty() ? "unknown" : host.substr(0, kLongestHost);
}

const std::string& machine_name() {
  static const std::string name = find_machine();
  return name;
}

ProcessIdentity this_process() {
  return {host_name(), machine_name(), ::getpid(), start_of("self").value_or(0)};
}

bool has_ended(const ProcessIdentity& process) {
  if (process.pid <= 0 || process.machine != machine_name()) return false;
  const std::string number = std::to_string(process.pid);
  const std::optional<std::uint64_t> start = start_of(number);
  // A kernel may show a user nothing of other users' processes.
  if (!start && content_of("/proc/" + number + "/stat").empty()) return ::kill(process.pid, 0) != 0 && errno == ESRCH;
  return !start || (process.start != 0 && *start != process.start);
}

}  // namespace koridor
