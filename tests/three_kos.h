// A game of Go that a repetition draws.
#pragma once

namespace koridor::test {

// On go:12x3,japanese: three kos at once, round which both sides go until the position is there for the third time.
inline constexpr const char* kThreeKos =
    "A2 B2 B3 C3 B1 C1 E2 D2 F3 G3 F1 G1 G2 H2 J2 K2 K3 L3 K1 L1 pass M2 "
    "C2 F2 L2 B2 G2 K2 C2 F2 L2 B2 G2 K2";

}  // namespace koridor::test
