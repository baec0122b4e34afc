// The address space that LibTorch needs. Its OpenBLAS asks for memory in a loop that never ends where a limit
// (`ulimit -v`, `ulimit -d`) refuses it, while the library is loaded.
#pragma once

#include <string>

namespace koridor {

// Bytes to load LibTorch and train a small network with it: a base, and more per core for the threads' buffers.
inline constexpr unsigned long long kLibTorchBase = 1536ull << 20;
inline constexpr unsigned long long kLibTorchPerCore = 64ull << 20;

// Writes a line into `line`, of `size` bytes, that says which limit of this process is too low for LibTorch; false
// where none is. It makes system calls only, so it may be called before the program's libraries are initialised.
bool too_little_for_libtorch(char* line, unsigned long size);

// The same as a text, empty where no limit is too low.
std::string libtorch_shortage();

}  // namespace koridor
