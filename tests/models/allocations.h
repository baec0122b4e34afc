// Counts a thread's calls of operator new and delete. The test program that links allocations.cpp counts them all.
#pragma once

namespace koridor::test {

struct Allocations {
  long made = 0;
  long live = 0;  // made and not yet given back
};
Allocations allocations();  // of the calling thread so far

}  // namespace koridor::test
