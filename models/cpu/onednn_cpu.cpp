#include "models/cpu/onednn_cpu.h"

#include <array>
#include <utility>

namespace koridor {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

// The codes of oneDNN's instruction sets are sets of bits.
bool cpu_has(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

bool cpu_has_bf16() {
  return cpu_has(dnnl::cpu_isa::avx512_core_bf16);
}

bool cpu_has_int8() {
  return cpu_has_vnni() || (cpu_has(dnnl::cpu_isa::avx2) && !cpu_has(dnnl::cpu_isa::avx512_core));
}

bool cpu_has_vnni() {
  return cpu_has(dnnl::cpu_isa::avx512_core_vnni) || cpu_has(dnnl::cpu_isa::avx2_vnni);
}

std::string cpu_name() {
  constexpr std::array<std::pair<dnnl::cpu_isa, const char*>, 7> kNames = {
      {{dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
       {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16"},
       {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
       {dnnl::cpu_isa::avx512_core, "avx512_core"},
       {dnnl::cpu_isa::avx2_vnni, "avx2_vnni"},
       {dnnl::cpu_isa::avx2, "avx2"},
       {dnnl::cpu_isa::avx, "avx"}}};
  for (const auto& [isa, name] : kNames) {
    if (cpu_has(isa)) return name;
  }
  return "portable";
}

ActivationLayout fast_layout(Type type) {
  // oneDNN has fast int8 convolutions in this layout only.
  if (type == Type::u8) return {Tag::nhwc, 0};
  if (type == Type::bf16 && cpu_has(dnnl::cpu_isa::avx512_core_amx)) return {Tag::nhwc, 0};
  if (cpu_has(dnnl::cpu_isa::avx512_core)) return {Tag::nChw16c, 16};
  if (cpu_has(dnnl::cpu_isa::avx2)) return {Tag::nChw8c, 8};
  return {Tag::nhwc, 0};
}

BlockedLayout fast_blocks(Type type, int channels, int area) {
  const int block = fast_layout(type).block;
  return {channels, block == 0 ? channels : block, area};
}

}  // namespace koridor
