// Who a process is, for others that may run on other machines.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace koridor {

struct ProcessIdentity {
  std::string host;         // the machine's name: letters, digits and '-'
  std::string machine;      // the same for processes that one kernel shows each other, 16 hexadecimal digits
  pid_t pid = 0;            // its number there
  std::uint64_t start = 0;  // when it began, in the kernel's ticks: numbers of processes are used again
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// This process. Made anew by each call, since a forked child is another one.
ProcessIdentity this_process();

// The machine's name with '-' in place of what might mean something in a file's name.
std::string host_name();

// ProcessIdentity::machine of this process.
const std::string& machine_name();

// Whether this kernel knows that the process has ended. False where it runs on another machine: nobody here can tell.
bool has_ended(const ProcessIdentity& process);

}  // namespace koridor
