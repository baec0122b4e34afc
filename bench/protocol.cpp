#include "bench/protocol.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "bench/measure.h"
#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/write_all.h"
#include "core/words.h"
#include "selfplay/session/session.h"

namespace koridor::bench {
namespace {

constexpr int kStarts = 7;      // processes that are started; odd
constexpr int kCommands = 201;  // that do nothing; odd
constexpr int kMostMoves = 41;  // of a game; odd

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return seconds_since(begin);
}

// A program whose answers are waited for.
class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments) {
    std::array<int, 2> in{-1, -1};
    std::array<int, 2> out{-1, -1};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      const std::string why = std::strerror(errno);
      for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
      throw UserError("no pipe to the engine: " + why);
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const int error = ::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (error != 0) {
      ::close(to_);
      ::close(from_);
      throw UserError(fmt::format("{}: it cannot be started: {}", arguments[0], std::strerror(error)));
    }
  }
  ~Conversation() {
    ::close(to_);
    ::close(from_);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Says the lines, and returns what is answered until `end` has come.
  std::string ask(const std::string& lines, const std::string& end) {
    if (write_all(to_, lines) != 0) {
      require_not_stopped();  // Ctrl-C ends the engine, too
      throw UserError("the engine has ended");
    }
    std::string answer;
    while (answer.find(end) == std::string::npos) {
      std::array<char, 4096> buffer{};
      const ssize_t count = ::read(from_, buffer.data(), buffer.size());
      if (count <= 0) require_not_stopped();
      if (count <= 0) throw UserError(fmt::format("the engine has ended; its last words were {}", in_quotes(answer)));
      answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return answer;
  }
  void read_all() {
    std::array<char, 4096> buffer{};
    while (::read(from_, buffer.data(), buffer.size()) > 0) {
    }
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// A protocol as the side speaks it that asks for moves.
struct Speech {
  std::string name;
  std::string idle;      // a command that does nothing
  std::string idle_end;  // what its answer ends with
  // Asks for the move of this seat after these actions, and returns it.
  std::function<std::string(Conversation&, const std::vector<std::string>& moves, int seat, int visits)> move;
};

std::string words_behind(const std::string& answer, const std::string& word) {
  const std::size_t begin = answer.find(word) + word.size();
  return answer.substr(begin, answer.find('\n', begin) - begin);
}

// GTP's shape: the engine plays the move itself.
Speech text_speech(const std::string& name) {
  return {.name = name,
          .idle = "name\n",
          .idle_end = "\n\n",
          .move = [name](Conversation& engine, const std::vector<std::string>&, int seat, int) {
            const std::string player = name == "qtp" ? std::to_string(seat + 1) : seat == 0 ? "black" : "white";
            return words_behind(engine.ask("genmove " + player + "\n", "\n\n"), "= ");
          }};
}

Speech uci_speech() {
  return {.name = "uci",
          .idle = "isready\n",
          .idle_end = "readyok\n",
          .move = [](Conversation& engine, const std::vector<std::string>& moves, int, int visits) {
            std::string lines = "position startpos moves";
            for (const std::string& move : moves) lines += " " + move;
            std::string answer = engine.ask(fmt::format("{}\ngo nodes {}\n", lines, visits), "bestmove ");
            if (!answer.ends_with('\n')) answer += engine.ask("", "\n");
            const std::string best = words_behind(answer, "bestmove ");
            return best.substr(0, best.find(' '));
          }};
}

std::vector<Speech> speeches(const Session& session) {
  if (session.family() == "go") return {text_speech("gtp")};
  return {text_speech("qtp"), uci_speech()};
}

struct MoveTimes {
  double alone = 0;     // seconds of a search in this process
  double protocol = 0;  // and over the protocol
  double added = 0;     // median of the differences of the same moves
};

MoveTimes time_moves(const ProtocolTask& task, const std::shared_ptr<const Model>& model, const Speech& speech,
                     Conversation& engine) {
  Session session(task.game, {.thinker = {.model = model, .name = "the model", .threads = 1}});
  std::vector<std::string> moves;
  std::vector<double> alone;
  std::vector<double> told;
  std::vector<double> added;
  while (session.ply() < kMostMoves && !session.outcome().over()) {
    require_not_stopped();
    std::string own;
    const int seat = session.seat_to_move();
    alone.push_back(seconds_of([&] { own = session.search({.visits = task.visits}).best_text; }));
    std::string theirs;
    told.push_back(seconds_of([&] { theirs = speech.move(engine, moves, seat, task.visits); }));
    added.push_back(told.back() - alone.back());
    const Action best = session.analysis()->best;
    if (session.play(theirs) || session.moves().back().action != best) {
      throw UserError(fmt::format("over {} the engine plays {} instead of {}", speech.name, in_quotes(theirs), own));
    }
    moves.push_back(own);
  }
  return {median(alone), median(told), median(added)};
}

double time_start(const std::vector<std::string>& arguments, const std::function<void(Conversation&)>& until) {
  std::vector<double> seconds;
  for (int i = 0; i < kStarts; ++i) {
    require_not_stopped();
    std::unique_ptr<Conversation> program;
    seconds.push_back(seconds_of([&] {
      program = std::make_unique<Conversation>(arguments);
      until(*program);
    }));
  }
  return median(seconds);
}

Table protocol_table() {
  using enum ColumnType;
  return {"protocol",
          {{"protocol", text},
           {"game", text},
           {"first_answer", number, "s"},
           {"program_start", number, "s"},
           {"command", number, "s"},
           {"move_alone", number, "s"},
           {"move", number, "s"},
           {"added", number, "s"}},
          [](const TableRow& row) {
            return fmt::format(
                "  {:<4} first answer {:.1f} ms (the program alone {:.1f} ms), a command {:.3f} ms, a move {:.3f} ms "
                "(in process {:.3f} ms): {:+.3f} ms\n",
                row.text("protocol"), 1e3 * row.number("first_answer"), 1e3 * row.number("program_start"),
                1e3 * row.number("command"), 1e3 * row.number("move"), 1e3 * row.number("move_alone"),
                1e3 * row.number("added"));
          }};
}

}  // namespace

void bench_protocol(const ProtocolTask& task, TableWriter& out) {
  ::signal(SIGPIPE, SIG_IGN);  // an engine that has ended is an error to report
  const auto model = std::make_shared<const Model>(task.model);
  const TemporaryPath file("bench", ".koridor");
  save_model(file.path().string(), task.model);
  const Session session(task.game);
  out.begin(protocol_table());
  const double start = time_start({task.program, "--version"}, [](Conversation& program) { program.read_all(); });
  for (const Speech& speech : speeches(session)) {
    std::vector<std::string> arguments = {task.program,
                                          "engine",
                                          session.variant(),
                                          "--model",
                                          file.path().string(),
                                          "--protocol",
                                          speech.name,
                                          "--threads",
                                          "1",
                                          "--visits",
                                          std::to_string(task.visits)};
    if (speech.name == "qtp") arguments.insert(arguments.end(), {"--notation", "standard"});
    const double first = time_start(arguments, [&](Conversation& engine) { engine.ask(speech.idle, speech.idle_end); });
    Conversation engine(arguments);
    std::vector<double> commands;
    for (int i = 0; i < kCommands; ++i) {
      require_not_stopped();
      commands.push_back(seconds_of([&] { engine.ask(speech.idle, speech.idle_end); }));
    }
    const MoveTimes moves = time_moves(task, model, speech, engine);
    out.row({speech.name, session.variant(), first, start, median(commands), moves.alone, moves.protocol, moves.added});
  }
}

}  // namespace koridor::bench
