// An engine as a child process: lines go to its standard input, and lines come from its standard output. No call waits
// for the engine. What it writes to standard error is drained, and the last line of it kept for error messages.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace koridor {

class EngineProcess {
 public:
  // An engine that writes more than this without an end of line has ended, as far as receive() is concerned.
  static constexpr std::size_t kLongestLine = 1 << 16;

  // How long an engine may take to end after its output was closed, or its input.
  static constexpr std::chrono::milliseconds kGoodbye{500};

  // Starts the command by the shell, in `directory` (empty: this program's), in a process group of its own, which ends
  // with this program, however that ends. Throws UserError where there is no such directory, or no process can be
  // started. A command that does not exist shows as a process that ends at once.
  EngineProcess(const std::string& command, const std::filesystem::path& directory);
  // Closes its input, and kills the group as soon as it has ended, after kGoodbye at the latest.
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // Sends the line, which must not contain an end of line. What the pipe does not take yet is sent by later calls.
  void send(std::string_view line);
  // The next complete line without its end; nothing where none has come yet. Bytes are given as they came.
  std::optional<std::string> receive();
  // Whether nothing more can be received: its output was closed, and all its lines were taken. A last line without an
  // end is given as a line.
  bool ended() const { return output_ended_ && output_.empty(); }
  int number() const { return pid_; }        // the system's
  bool flooded() const { return flooded_; }  // it wrote a line that is too long
  // To be asked after ended(): whether it has ended as a process too, or has had kGoodbye for it.
  bool gone();
  // How it ended, for a person: "status 127: sh: 1: gnug: not found", "signal 11". To be asked after gone().
  std::string last_words();
  void kill();  // the whole group, at once

 private:
  // A descriptor that closes itself.
  class Pipe {
   public:
    ~Pipe() { close(); }
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int file = -1;
    void close();
  };

  void flush();
  void read_output();
  void read_errors();
  bool exited();

  pid_t pid_ = -1;
  pid_t guard_ = -1;  // ends the group when this program has ended
  std::optional<int> status_;
  Pipe to_engine_;
  Pipe from_engine_;
  Pipe errors_;
  std::string unsent_;
  std::string output_;        // received and not yet taken
  std::size_t searched_ = 0;  // of output_: no end of line before it
  bool output_ended_ = false;
  std::chrono::steady_clock::time_point output_end_{};
  bool flooded_ = false;
  std::string error_line_;       // the line of standard error that is being written
  std::string last_error_line_;  // the last one that is not empty
};

}  // namespace koridor
