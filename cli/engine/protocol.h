// A protocol between the engine and the program that drives it: lines in, lines out. Each is one file, and one line of
// the list in protocol.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/engine/engine.h"
#include "cli/engine/lines.h"

namespace koridor::cli {

class Protocol {
 public:
  virtual ~Protocol() = default;
  // Does what a line says, and answers what can be answered at once. False: the program is to end. No line, whatever it
  // holds, makes it throw.
  virtual bool line(const InputLine& line) = 0;
  // The input has ended, or nobody reads any more: finishes what was asked for, as far as the grace lasts
  // (EngineSettings). A search without an end of its own is stopped.
  virtual void end() = 0;
};

struct ProtocolKind {
  std::string_view name;
  // Whether a game of this family ("wall", "go") can be played through it.
  bool (*plays)(std::string_view family);
  // Whether this first line is of this protocol.
  bool (*begins)(std::string_view line);
  std::unique_ptr<Protocol> (*make)(Engine& engine);
  // The options of `koridor engine` that mean nothing in it, each with its dashes and a space behind it.
  std::string_view unused = "";
};

// The names of all protocols, in the order in which they are asked whether a first line is theirs, as in "uci, gtp".
std::string protocol_names();

// Throws UserError where there is no protocol of this name, or the game cannot be played through it.
const ProtocolKind& find_protocol(std::string_view name, std::string_view family);
// The protocol that the first line is of. Every line is of one of them.
const ProtocolKind& protocol_of(std::string_view line, std::string_view family);

// Makes the engine speak it. Throws UserError where an option was given that means nothing in it.
std::unique_ptr<Protocol> make_protocol(const ProtocolKind& kind, Engine& engine);

// Serves until the protocol or the input ends, or nobody reads any more. `name` is empty where the first line that is
// not blank tells the protocol. Throws as make_protocol.
void serve(Engine& engine, LineInput& input, const std::string& name);

}  // namespace koridor::cli
