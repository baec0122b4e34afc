// What WebAssembly needs besides koridor.h (web/engine): a search's reports, as a call that the page's side imports.
#include "library/koridor.h"

extern "C" {

// What web/engine/index.js gives; anything but 0 ends the search.
__attribute__((import_module("koridor"), import_name("report"))) int32_t koridor_wasm_report(
    const koridor_analysis* so_far);

// For koridor_limits.progress.
__attribute__((export_name("koridor_wasm_progress")))
int32_t (*koridor_wasm_progress(void))(void*, const koridor_analysis*) {
  return [](void*, const koridor_analysis* so_far) { return koridor_wasm_report(so_far); };
}
}
