// A source of its own: a test that emulates the matrix unit brings its own has_amx(), and none is linked twice.
#include "models/cpu/amx_cpu.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "models/cpu/onednn_cpu.h"

namespace koridor {

bool has_amx() {
  constexpr long kAskForPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of Linux's asm/prctl.h
  constexpr long kTileData = 18;              // XFEATURE_XTILEDATA
  static const bool has =
      cpu_has(dnnl::cpu_isa::avx512_core_amx) && syscall(SYS_arch_prctl, kAskForPermission, kTileData) == 0;
  return has;
}

}  // namespace koridor
