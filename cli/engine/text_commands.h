// Protocols shaped like GTP (Farnebaeck, "Specification of the Go Text Protocol, version 2, draft 2"): a line is
// "[id] command [arguments]", its answer "=[id] result" or "?[id] error" and an empty line.
//
// Control characters are left out of a line, a tab counts as a space, and what follows "#" is a comment. Commands are
// answered in their order. One that comes while a search analyses ends it; one that comes while a move is searched
// waits for the move, unless it is `quit` or the comment "# interrupt" (a convention of GoGui), which ends the search
// at once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/engine/engine.h"
#include "cli/engine/protocol.h"

namespace koridor::cli {

// The answer to one command. A copy may be kept until a search has ended. Exactly one of success, failure and finish is
// called.
class Reply {
 public:
  Reply(Output& output, std::string id) : output_(&output), id_(std::move(id)) {}

  void success(std::string_view text = "") const;
  void failure(std::string_view text) const;

  // An answer that comes in parts: "=[id]" and its lines, until finish().
  void begin() const;
  void line(std::string_view text) const;
  void finish() const;

 private:
  Output* output_;
  std::string id_;
};

// A line in its parts.
struct TextCommand {
  std::string id;    // a number as it was written; may be empty
  std::string name;  // as it was written
  std::vector<std::string> arguments;
  bool interrupt = false;  // the line is the comment "# interrupt"
};
// Nothing for a line without a command.
std::optional<TextCommand> parse_text_command(std::string_view line);

class TextProtocol : public Protocol {
 public:
  using Arguments = std::span<const std::string>;
  // Does the command and answers it, at once or later; throws UserError for `failure` with its message.
  using Handler = std::function<void(Arguments arguments, const Reply& reply)>;

  bool line(const InputLine& line) final;
  void end() final;

  Engine& engine() { return engine_; }
  Session& session() { return engine_.session(); }

  void add(std::string name, Handler handler) { commands_[std::move(name)] = std::move(handler); }
  // A command whose answer is known at once: the result, which may be empty.
  void add_text(std::string name, std::function<std::string(Arguments)> answer);

  // Starts a search. `until_command`: the next command ends it; else the next command waits for its end.
  void search(const SessionLimits& limits, SearchListener listener, bool until_command);

 protected:
  // Knows the commands protocol_version, name, version, known_command, list_commands and quit.
  explicit TextProtocol(Engine& engine);

 private:
  void settle(const std::string& command);

  Engine& engine_;
  std::map<std::string, Handler, std::less<>> commands_;
  bool until_command_ = false;
};

// Whether a word is digits alone, at least one.
bool is_number(std::string_view word);

// The most of what a command counts: moves, squares, stones.
constexpr int kMostCount = 1'000'000;
// The whole number in [least, most] that an argument is. Throws UserError("syntax error: "x" is no WHAT, ...") where it
// is none.
int number_argument(std::string_view text, int least, int most, std::string_view what);

// Throws UserError("syntax error: ...") unless the number of arguments lies in [least, most].
void require_arguments(TextProtocol::Arguments arguments, std::size_t least, std::size_t most, std::string_view usage);

}  // namespace koridor::cli
