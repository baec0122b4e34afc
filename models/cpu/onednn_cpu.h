// What this CPU offers to oneDNN, as oneDNN sees it: its environment variable ONEDNN_MAX_CPU_ISA (AVX2, AVX512_CORE,
// AVX512_CORE_VNNI, ...) makes a CPU look smaller, so that a test can run each path. Used by the backend onednn only.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>

namespace koridor {

// bf16: avx512_bf16 or AMX. int8: instructions that multiply bytes and add four products at once (AVX-512 or AVX VNNI,
// or AMX); without them oneDNN's int8 is hardly faster than f32, but works.
bool cpu_has_bf16();
bool cpu_has_int8();
bool cpu_has(dnnl::cpu_isa isa);
// The largest instruction set by its name, "portable" where there is none.
std::string cpu_name();

// A layout of activations; block 0: all channels of a square side by side.
struct ActivationLayout {
  dnnl::memory::format_tag tag;
  int block;
};

// Which one is fast, by instruction set and not by measurement: the choice must not vary from run to run.
ActivationLayout fast_layout(dnnl::memory::data_type type);

}  // namespace koridor
