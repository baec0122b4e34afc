// See version_test.cpp. What it prints shows how far it came.
#include <cstdio>

#include "core/base/compiled_features.h"
#include "core/base/cpu_features.h"

namespace koridor {
const std::uint64_t kCompiledFeatures = ~std::uint64_t{0};
}  // namespace koridor

namespace {

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = koridor::check_cpu;

const int initialised = std::puts("a static initialiser ran");

}  // namespace

int main() {
  std::puts("main ran");
  return initialised < 0 ? 1 : 0;
}
