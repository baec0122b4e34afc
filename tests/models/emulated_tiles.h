// The instructions of a matrix unit (Intel AMX) in plain C++, so that models/cpu/amx_kernels.cpp is tested on CPUs that
// have none, and so that tools see what it reads and writes. The compiler includes this file before that source; macros
// alone can replace what <immintrin.h> declares, which is a macro itself.
#pragma once

#include <immintrin.h>

namespace koridor::test {

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: LDTILECFG, TILERELEASE, TILEZERO, TILELOADD,
// TILESTORED, TDPBUSD. The configuration must be eight tiles of 16 rows of 64 bytes. What a CPU would not do ends the
// program: a tile without a configuration, or another configuration.
void load_tile_configuration(const void* configuration);
void release_tiles();
void zero_tile(int tile);
void load_tile(int tile, const void* from, long stride);
void store_tile(int tile, void* to, long stride);
// to += unsigned bytes of `a` times signed bytes of `b`, four products to each sum.
void multiply_tiles(int to, int a, int b);

}  // namespace koridor::test

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#define _tile_loadconfig(configuration) koridor::test::load_tile_configuration(configuration)
#define _tile_release() koridor::test::release_tiles()
#define _tile_zero(tile) koridor::test::zero_tile(tile)
#define _tile_loadd(tile, from, stride) koridor::test::load_tile(tile, from, stride)
#define _tile_stored(tile, to, stride) koridor::test::store_tile(tile, to, stride)
#define _tile_dpbusd(to, a, b) koridor::test::multiply_tiles(to, a, b)
