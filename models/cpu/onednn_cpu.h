// This CPU as oneDNN sees it. The environment variable ONEDNN_MAX_CPU_ISA (AVX2, AVX512_CORE, AVX512_CORE_VNNI, ...)
// hides instructions, so that a test can run each path. Only the backend onednn uses this.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "models/cpu/blocked.h"

namespace koridor {

// What oneDNN is fast in. bf16 needs avx512_bf16 or AMX. int8 needs AVX-512 VNNI, AVX VNNI or AMX, or AVX2 alone; with
// AVX-512 and none of these it may be hardly faster than f32.
bool cpu_has_bf16();
bool cpu_has_int8();
// Whether it multiplies bytes and adds four products at once (AVX-512 VNNI, AVX VNNI or AMX).
bool cpu_has_vnni();
bool cpu_has(dnnl::cpu_isa isa);
// The name of the largest instruction set; "portable" if there is none.
std::string cpu_name();

// A layout of activations; with block 0 all channels of a square lie side by side.
struct ActivationLayout {
  dnnl::memory::format_tag tag;
  int block;
};

// The fast layout. It is chosen by instruction set, since a choice by measurement could vary from run to run.
ActivationLayout fast_layout(dnnl::memory::data_type type);
// The same of maps of `channels` channels, a multiple of 16, and `area` squares.
BlockedLayout fast_blocks(dnnl::memory::data_type type, int channels, int area);

}  // namespace koridor
