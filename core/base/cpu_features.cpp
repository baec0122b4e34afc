// Compiled for the base architecture, whatever the other sources are compiled for, and without any inline function of a
// header: the linker keeps one copy of such a function, which may be that of a source compiled for this machine.
#include "core/base/cpu_features.h"

#include <unistd.h>

#include "core/base/compiled_features.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace koridor {

#ifdef __x86_64__
namespace {

enum Register { eax, ebx, ecx, edx };

// The registers that the operating system must save for a feature to be of use, as bits of XCR0.
enum State : unsigned { none = 0, ymm = 0x6, zmm = 0xE6, tiles = 0x60000 };

struct Row {
  const char* name;
  unsigned leaf, subleaf;  // of cpuid
  Register where;
  int bit;
  State state;
};

// In the order of CpuFeature.
constexpr Row kRows[] = {
    {"pni", 1, 0, ecx, 0, none},
    {"ssse3", 1, 0, ecx, 9, none},
    {"sse4_1", 1, 0, ecx, 19, none},
    {"sse4_2", 1, 0, ecx, 20, none},
    {"sse4a", 0x80000001, 0, ecx, 6, none},
    {"popcnt", 1, 0, ecx, 23, none},
    {"abm", 0x80000001, 0, ecx, 5, none},
    {"movbe", 1, 0, ecx, 22, none},
    {"bmi1", 7, 0, ebx, 3, none},
    {"bmi2", 7, 0, ebx, 8, none},
    {"fma4", 0x80000001, 0, ecx, 16, ymm},
    {"xop", 0x80000001, 0, ecx, 11, ymm},
    {"f16c", 1, 0, ecx, 29, ymm},
    {"fma", 1, 0, ecx, 12, ymm},
    {"avx", 1, 0, ecx, 28, ymm},
    {"avx2", 7, 0, ebx, 5, ymm},
    {"avx_vnni", 7, 1, eax, 4, ymm},
    {"avx512f", 7, 0, ebx, 16, zmm},
    {"avx512cd", 7, 0, ebx, 28, zmm},
    {"avx512bw", 7, 0, ebx, 30, zmm},
    {"avx512dq", 7, 0, ebx, 17, zmm},
    {"avx512vl", 7, 0, ebx, 31, zmm},
    {"avx512er", 7, 0, ebx, 27, zmm},
    {"avx512ifma", 7, 0, ebx, 21, zmm},
    {"avx512vbmi", 7, 0, ecx, 1, zmm},
    {"avx512_vbmi2", 7, 0, ecx, 6, zmm},
    {"avx512_vnni", 7, 0, ecx, 11, zmm},
    {"avx512_bitalg", 7, 0, ecx, 12, zmm},
    {"avx512_vpopcntdq", 7, 0, ecx, 14, zmm},
    {"avx512_bf16", 7, 1, eax, 5, zmm},
    {"avx512_fp16", 7, 0, edx, 23, zmm},
    {"amx_tile", 7, 0, edx, 24, tiles},
    {"amx_int8", 7, 0, edx, 25, tiles},
    {"amx_bf16", 7, 0, edx, 22, tiles},
};
static_assert(sizeof kRows / sizeof kRows[0] == kCpuFeatures);

unsigned saved_states() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  if ((c >> 27 & 1) == 0) return 0;  // no xgetbv
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool has(const Row& row, unsigned states) {
  unsigned registers[4] = {};
  if (__get_cpuid_count(row.leaf, row.subleaf, &registers[0], &registers[1], &registers[2], &registers[3]) == 0) {
    return false;
  }
  return (registers[row.where] >> row.bit & 1) != 0 && (states & row.state) == row.state;
}

}  // namespace

std::uint64_t machine_features() {
  const unsigned states = saved_states();
  std::uint64_t set = 0;
  for (int feature = 0; feature < kCpuFeatures; ++feature) {
    if (has(kRows[feature], states)) set |= std::uint64_t{1} << feature;
  }
  return set;
}

const char* cpu_feature_name(CpuFeature feature) {
  return kRows[static_cast<int>(feature)].name;
}
#else
std::uint64_t machine_features() {
  return 0;
}

const char* cpu_feature_name(CpuFeature) {
  return "";
}
#endif

bool machine_has(CpuFeature feature) {
  return (machine_features() >> static_cast<int>(feature) & 1) != 0;
}

std::uint64_t compiled_features() {
  return kCompiledFeatures;
}

namespace {

// Of a path.
const char* last_part(const char* path) {
  const char* part = path == nullptr ? "koridor" : path;
  for (const char* at = part; *at != '\0'; ++at) {
    if (*at == '/') part = at + 1;
  }
  return part;
}

// A line of text in memory of its own.
struct Line {
  char text[1024] = {};
  unsigned size = 0;

  void add(const char* words) {
    for (; *words != '\0' && size < sizeof text; ++words) text[size++] = *words;
  }
};

}  // namespace

void check_cpu(int, char** arguments, char**) {
  const std::uint64_t missing = kCompiledFeatures & ~machine_features();
  if (missing == 0) return;
  Line line;
  line.add(last_part(arguments[0]));
  line.add(": this CPU lacks instructions that this build was compiled for (");
  bool first = true;
  for (int feature = 0; feature < kCpuFeatures; ++feature) {
    if ((missing >> feature & 1) == 0) continue;
    if (!first) line.add(" ");
    first = false;
    line.add(cpu_feature_name(static_cast<CpuFeature>(feature)));
  }
  line.add("): build it on this machine, or with cmake -DKORIDOR_NATIVE=OFF for every CPU\n");
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.text, line.size);
  ::_exit(2);
}

}  // namespace koridor
