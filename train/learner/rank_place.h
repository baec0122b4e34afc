// Which of the processes that train one network together this one is, as whoever started them says in the environment.
#pragma once

#include <string>

namespace koridor {

struct RankPlace {
  int rank = 0;         // in [0, size)
  int size = 1;         // the number of processes
  int local = 0;        // the number of this process on its machine: which GPU it takes
  std::string host{};   // where rank 0 runs, a name or an address ...
  int port = 0;         // ... and a port there, at which the processes find each other
  bool served = false;  // something else answers at that port already, and rank 0 must not
  int attempt = 0;      // counts the starts of processes that meet at the same port
};

// The place from torchrun's variables RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT or, in a step of srun,
// from Slurm's SLURM_PROCID, SLURM_NTASKS and SLURM_LOCALID, which MASTER_ADDR and MASTER_PORT may go with: by default
// rank 0 is on the first machine of the step, and the port follows from the numbers of job and step. Without these
// variables a process is alone. Throws UserError that names the variable which is missing or wrong.
RankPlace place_in_environment();

}  // namespace koridor
