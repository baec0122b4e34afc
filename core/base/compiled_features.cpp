// Compiled with the options of all other sources, so that the compiler's own macros tell what these are compiled for.
#include "core/base/compiled_features.h"

#include "core/base/cpu_features.h"

namespace koridor {

// clang-format off
const std::uint64_t kCompiledFeatures = 0
#ifdef __SSE3__
                                        | feature_bit(CpuFeature::sse3)
#endif
#ifdef __SSSE3__
                                        | feature_bit(CpuFeature::ssse3)
#endif
#ifdef __SSE4_1__
                                        | feature_bit(CpuFeature::sse4_1)
#endif
#ifdef __SSE4_2__
                                        | feature_bit(CpuFeature::sse4_2)
#endif
#ifdef __SSE4A__
                                        | feature_bit(CpuFeature::sse4a)
#endif
#ifdef __POPCNT__
                                        | feature_bit(CpuFeature::popcnt)
#endif
#ifdef __LZCNT__
                                        | feature_bit(CpuFeature::lzcnt)
#endif
#ifdef __MOVBE__
                                        | feature_bit(CpuFeature::movbe)
#endif
#ifdef __BMI__
                                        | feature_bit(CpuFeature::bmi)
#endif
#ifdef __BMI2__
                                        | feature_bit(CpuFeature::bmi2)
#endif
#ifdef __FMA4__
                                        | feature_bit(CpuFeature::fma4)
#endif
#ifdef __XOP__
                                        | feature_bit(CpuFeature::xop)
#endif
#ifdef __F16C__
                                        | feature_bit(CpuFeature::f16c)
#endif
#ifdef __FMA__
                                        | feature_bit(CpuFeature::fma)
#endif
#ifdef __AVX__
                                        | feature_bit(CpuFeature::avx)
#endif
#ifdef __AVX2__
                                        | feature_bit(CpuFeature::avx2)
#endif
#ifdef __AVXVNNI__
                                        | feature_bit(CpuFeature::avx_vnni)
#endif
#ifdef __AVX512F__
                                        | feature_bit(CpuFeature::avx512f)
#endif
#ifdef __AVX512CD__
                                        | feature_bit(CpuFeature::avx512cd)
#endif
#ifdef __AVX512BW__
                                        | feature_bit(CpuFeature::avx512bw)
#endif
#ifdef __AVX512DQ__
                                        | feature_bit(CpuFeature::avx512dq)
#endif
#ifdef __AVX512VL__
                                        | feature_bit(CpuFeature::avx512vl)
#endif
#ifdef __AVX512ER__
                                        | feature_bit(CpuFeature::avx512er)
#endif
#ifdef __AVX512IFMA__
                                        | feature_bit(CpuFeature::avx512ifma)
#endif
#ifdef __AVX512VBMI__
                                        | feature_bit(CpuFeature::avx512vbmi)
#endif
#ifdef __AVX512VBMI2__
                                        | feature_bit(CpuFeature::avx512_vbmi2)
#endif
#ifdef __AVX512VNNI__
                                        | feature_bit(CpuFeature::avx512_vnni)
#endif
#ifdef __AVX512BITALG__
                                        | feature_bit(CpuFeature::avx512_bitalg)
#endif
#ifdef __AVX512VPOPCNTDQ__
                                        | feature_bit(CpuFeature::avx512_vpopcntdq)
#endif
#ifdef __AVX512BF16__
                                        | feature_bit(CpuFeature::avx512_bf16)
#endif
#ifdef __AVX512FP16__
                                        | feature_bit(CpuFeature::avx512_fp16)
#endif
#ifdef __AMX_TILE__
                                        | feature_bit(CpuFeature::amx_tile)
#endif
#ifdef __AMX_INT8__
                                        | feature_bit(CpuFeature::amx_int8)
#endif
#ifdef __AMX_BF16__
                                        | feature_bit(CpuFeature::amx_bf16)
#endif
    ;
// clang-format on

}  // namespace koridor
