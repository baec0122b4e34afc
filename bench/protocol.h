// How soon does `koridor engine` answer, and what does a protocol add to a move? `koridor bench protocol` prints what
// this measures.
#pragma once

#include <string>

#include "core/base/table.h"
#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::bench {

struct ProtocolTask {
  AnyGame game;
  Model model;
  std::string program;  // the path of `koridor`
  int visits = 64;      // of a move
};

// Shows the table "protocol" with a row for each protocol that serves the game: the time from the start of `koridor
// engine` to its first answer, beside that of `koridor --version`; the time of a command that does nothing; and the
// time of a move over the protocol beside the same search in this process, one thread each, in turn. Wall time; each is
// the median of several. Throws UserError where the engine does not answer, or plays other moves.
void bench_protocol(const ProtocolTask& task, TableWriter& out);

}  // namespace koridor::bench
