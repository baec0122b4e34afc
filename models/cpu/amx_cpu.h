// Whether this CPU has a matrix unit for bytes (Intel AMX).
#pragma once

namespace koridor {

// True if the operating system lets this program use it as well. What amx_kernels.h and amx_network.h declare must not
// be called elsewhere.
bool has_amx();

}  // namespace koridor
