// The instructions that this build was compiled for and those that this CPU has.
#pragma once

#include <cstdint>

namespace koridor {

// Extensions of x86-64 that a compiler uses by itself, and the matrix units.
enum class CpuFeature : std::uint8_t {
  sse3,
  ssse3,
  sse4_1,
  sse4_2,
  sse4a,
  popcnt,
  lzcnt,
  movbe,
  bmi,
  bmi2,
  fma4,
  xop,
  f16c,
  fma,
  avx,
  avx2,
  avx_vnni,
  avx512f,
  avx512cd,
  avx512bw,
  avx512dq,
  avx512vl,
  avx512er,
  avx512ifma,
  avx512vbmi,
  avx512_vbmi2,
  avx512_vnni,
  avx512_bitalg,
  avx512_vpopcntdq,
  avx512_bf16,
  avx512_fp16,
  amx_tile,
  amx_int8,
  amx_bf16,
};
inline constexpr int kCpuFeatures = static_cast<int>(CpuFeature::amx_bf16) + 1;

constexpr std::uint64_t feature_bit(CpuFeature feature) {
  return std::uint64_t{1} << static_cast<int>(feature);
}

// Sets of features, a bit each. On other architectures than x86-64 they are empty.
std::uint64_t compiled_features();
std::uint64_t machine_features();  // that the CPU has and the operating system has switched on
bool machine_has(CpuFeature feature);

// As the Linux kernel writes it in /proc/cpuinfo.
const char* cpu_feature_name(CpuFeature feature);

// Ends the program with one line and exit code 2 if the CPU lacks something that the build was compiled for, instead of
// an illegal instruction later. It must be the first that runs, even before the libraries are initialised, since these
// call the program's copies of inline functions; so the source of an executable's main() holds
//     [[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = koridor::check_cpu;
// It uses nothing of the C library but write and _exit.
void check_cpu(int count, char** arguments, char** environment);

}  // namespace koridor
