#include "cli/engine/uci.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/engine/uci_words.h"
#include "cli/json/start_position.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/version.h"
#include "core/wall/protocol_words.h"
#include "core/words.h"
#include "models/network/fits.h"

namespace koridor::cli {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostMebibytes = 1 << 20;
constexpr int kMostOverhead = 10'000;    // milliseconds
constexpr int kMostLines = 100;          // of MultiPV
constexpr double kReportSeconds = 0.25;  // between two lines `info`
constexpr std::string_view kUsualStart = "startpos";
constexpr std::string_view kStartByHand = "start ";  // and its JSON
constexpr std::array kOptions = {"Threads", "Hash",     "MultiPV", "Ponder",     "Move Overhead",
                                 "Level",   "Notation", "First",   "UCI_Variant"};

using Words = std::span<const std::string>;

// What is said of a position, as lines.
struct PositionTexts {
  std::string board;  // the answer to `d`
  std::string legal;  // the answer to `legal`
};

class Uci final : public Protocol {
 public:
  explicit Uci(Engine& engine) : engine_(engine) {
    const EngineSettings& settings = engine.settings();
    words_.naming = settings.naming.value_or(Naming::standard);
    words_.first = settings.first.value_or(Colour::white);
    use_words();
  }
  ~Uci() override { end_silently(); }
  Uci(const Uci&) = delete;
  Uci& operator=(const Uci&) = delete;

  bool line(const InputLine& line) override;
  void end() override { settle(); }

 private:
  void command(const std::string& name, Words rest);
  [[noreturn]] void refuse_long(const std::string& name);
  void introduce();
  std::function<void()> change_of(const OptionRequest& option);
  std::function<void()> change_of_variant(const std::string& variant);
  void set_position(Words words);
  void go(const GoRequest& request);
  void ponder_hit();
  void search(const GoRequest& request, bool endless);
  SessionLimits limits_of(const GoRequest& request, GameClock& clock) const;
  std::string score_text(const Candidate& candidate, double value) const;
  void tell(const Analysis& analysis);
  void answer(const Analysis& result);

  // The line that names the legal actions.
  std::string legal_text() const {
    std::string text = "legal";
    for (const std::string& action : engine_.session().legal_texts()) text += " " + words_.write(action);
    return text + "\n";
  }

  void say(std::string_view text) { engine_.output().say(text); }
  void complain(std::string_view what) { say(fmt::format("info string {}\n", message_line(what))); }
  // A search that only `stop` or `quit` ends is under way.
  bool endless_under_way() const { return endless_ && engine_.searching(); }
  // To be called before what is searched changes: a search that has an end of its own comes to it, any other one ends.
  void settle() {
    if (endless_) engine_.interrupt();
    engine_.wait();
  }
  void end_silently() {
    silent_.store(true);
    engine_.stop();
    silent_.store(false);
  }
  // Lets the session read and write by the words, in further games as well.
  void use_words() {
    engine_.settings().notation = words_.notation();
    engine_.session().set_notation(words_.notation());
  }
  // The session begins anew.
  void restart() {
    engine_.session().restart();
    engine_.clocks().restart(engine_.session().players());
    engine_.forget_turns();
    start_ = kUsualStart;
    moves_.clear();
    position_error_.clear();
  }

  Engine& engine_;
  WallWords words_;
  int lines_ = 1;                     // MultiPV
  std::string start_{kUsualStart};    // where the moves begin, as it was given
  std::vector<std::string> moves_;    // of the session, as they were given
  std::string position_error_;        // why there is no position to search; empty: there is one
  PositionTexts searched_;            // of the position that was searched last
  GoRequest pondered_;                // what was asked for beside `ponder`
  bool endless_ = false;              // the last search ends by `stop` alone
  bool ponders_ = false;              // the last search was asked for by `go ponder`
  bool by_own_clock_ = false;         // the last search is limited by --clock
  bool own_length_ = false;           // the last search has said its number of visits, whatever the level
  std::atomic<bool> silent_ = false;  // the end of the search is not answered
};

// What is in the rest of the line nobody knows.
void Uci::refuse_long(const std::string& name) {
  const std::string why = fmt::format("a line has at most {} bytes", LineInput::kLongest);
  if (name == "position") position_error_ = why;
  throw UserError(why);
}

bool Uci::line(const InputLine& line) {
  const std::vector<std::string> words = uci_words(line.text);
  if (words.empty()) return true;
  if (words[0] == "quit") return false;
  try {
    if (line.cut) refuse_long(words[0]);
    command(words[0], Words(words).subspan(1));
  } catch (const std::exception& error) {
    complain(error_text(error));
    // A controller waits for an answer, after the one to an earlier `go`. A search without an end, whose answer is
    // still to come, goes on.
    if (words[0] == "go" && !endless_under_way()) {
      engine_.wait();
      say("bestmove (none)\n");
    }
  }
  return true;
}

void Uci::command(const std::string& name, Words rest) {
  if (name == "isready") {
    say("readyok\n");
  } else if (name == "stop") {
    engine_.stop();
  } else if (name == "ponderhit") {
    ponder_hit();
  } else if (name == "debug") {
    // Nothing more would be said.
  } else if (name == "uci") {
    introduce();
  } else if (name == "d") {
    say(engine_.searching() ? searched_.board : engine_.session().board(false));
  } else if (name == "legal") {
    say(engine_.searching() ? searched_.legal : legal_text());
  } else if (name == "setoption") {
    // What is wrong in itself has been found by then, and ends no search.
    if (const auto change = change_of(parse_option(rest))) {
      settle();
      change();
    }
  } else if (name == "ucinewgame") {
    settle();
    restart();
  } else if (name == "position") {
    set_position(rest);
  } else if (name == "go") {
    const GoRequest request = parse_go(rest);
    settle();
    go(request);
  } else {
    complain("unknown command: " + in_quotes(name));
  }
}

void Uci::introduce() {
  const EngineSettings& settings = engine_.settings();
  std::string text = fmt::format("id name Koridor {}\nid author the Koridor project\n", this_build().version);
  const auto option = [&](std::string_view name, const std::string& rest) {
    text += fmt::format("option name {} type {}\n", name, rest);
  };
  // In the order of kOptions.
  option("Threads", fmt::format("spin default {} min 0 max {}", settings.thinker.threads, kMostThreads));
  option("Hash", fmt::format("spin default {} min 1 max {}", settings.thinker.memory_mebibytes, kMostMebibytes));
  option("MultiPV", fmt::format("spin default {} min 1 max {}", lines_, kMostLines));
  option("Ponder", "check default false");
  option("Move Overhead", fmt::format("spin default {:.0f} min 0 max {}", 1000 * settings.margin, kMostOverhead));
  std::string choices;
  for (const Level& level : levels()) choices += " var " + level.name;
  option("Level", "combo default " + (settings.level.empty() ? levels().back().name : settings.level) + choices);
  option("Notation", fmt::format("combo default {} var standard var modern var qtp", naming_name(words_.naming)));
  option("First", fmt::format("combo default {} var white var black", colour_name(words_.first)));
  option("UCI_Variant", "string default " + name_of(settings.game));
  say(text + "uciok\n");
}

// What the option changes, to be done while nothing is searched; null where it changes nothing. Throws UserError where
// it is wrong.
std::function<void()> Uci::change_of(const OptionRequest& option) {
  const std::string& value = option.value;
  if (option.name == "threads") {
    return [this, threads = uci_number(value, 0, kMostThreads, "Threads")] {
      ThinkerSettings thinker = engine_.settings().thinker;
      thinker.threads = threads;
      engine_.renew(std::move(thinker));
    };
  }
  if (option.name == "hash") {
    return [this, mebibytes = uci_number(value, 1, kMostMebibytes, "Hash")] {
      ThinkerSettings thinker = engine_.settings().thinker;
      thinker.memory_mebibytes = mebibytes;
      engine_.renew(std::move(thinker));
    };
  }
  if (option.name == "multipv") {
    return [this, lines = uci_number(value, 1, kMostLines, "MultiPV")] { lines_ = lines; };
  }
  if (option.name == "ponder") return {};
  if (option.name == "move overhead") {
    return [this, milliseconds = uci_number(value, 0, kMostOverhead, "Move Overhead")] {
      engine_.settings().margin = milliseconds / 1000.0;
    };
  }
  if (option.name == "level") {
    return [this, name = find_level(value).name] { engine_.settings().set_level(name); };
  }
  WallWords words = words_;
  if (option.name == "notation") {
    words.naming = parse_naming(value);
  } else if (option.name == "first") {
    const auto colour = parse_colour(value);
    if (!colour) throw UserError(fmt::format("First is {}; it must be white or black", in_quotes(value)));
    words.first = *colour;
  } else if (option.name == "uci_variant") {
    return change_of_variant(value);
  } else {
    throw UserError(
        fmt::format("unknown option: {}; the options are {}", in_quotes(option.name), fmt::join(kOptions, ", ")));
  }
  return [this, words] {
    words_ = words;
    use_words();
    restart();
  };
}

std::function<void()> Uci::change_of_variant(const std::string& variant) {
  const AnyGame game = parse_game(variant);
  if (!std::holds_alternative<wall::WallGame>(game)) throw UserError(in_quotes(variant) + " is no wall game");
  const ThinkerSettings& thinker = engine_.settings().thinker;
  require_fits(thinker.model->info, game, thinker.name);
  return [this, game] {
    if (name_of(game) != engine_.session().variant()) engine_.set_game(game);
    restart();
  };
}

void Uci::set_position(Words words) {
  const auto end_of_start = std::ranges::find(words, "moves");
  const std::string start = fmt::format("{}", fmt::join(words.begin(), end_of_start, " "));
  std::optional<AnyPosition> by_hand;
  if (start != kUsualStart) {
    position_error_ = "position: write position startpos or position start {...}, and moves ACTION... behind it";
    if (!start.starts_with(kStartByHand)) throw UserError(position_error_);
    try {
      const auto json = nlohmann::json::parse(start.substr(kStartByHand.size()), nullptr, false);
      by_hand = read_start(engine_.session().game(), json);
    } catch (const UserError& error) {
      position_error_ = fmt::format("position: {}", error.what());
      throw UserError(position_error_);
    }
  }
  settle();
  const Words moves(end_of_start == words.end() ? end_of_start : end_of_start + 1, words.end());
  position_error_.clear();
  Session& session = engine_.session();
  if (start != start_) {
    restart();
    if (by_hand) session.start_from(*by_hand);
    start_ = start;
  }
  const auto [kept, given] = std::ranges::mismatch(moves_, moves);
  // The game does not go on from where it was: moves were taken back, or it is another one.
  if (kept != moves_.end()) engine_.clocks().restart(session.players());
  moves_.erase(kept, moves_.end());
  session.go_to(static_cast<int>(moves_.size()));
  for (const std::string& move : moves.subspan(moves_.size())) {
    if (const auto refusal = session.play(words_.read(move))) {
      const std::string reason = words_.write_walls(refusal->text());
      position_error_ = fmt::format("position: move {}, {}: {}", moves_.size() + 1, in_quotes(move), reason);
      throw UserError(position_error_);
    }
    moves_.push_back(move);
  }
}

void Uci::go(const GoRequest& request) {
  const bool over = engine_.session().outcome().over();
  if (over || !position_error_.empty()) {
    complain(over ? "the game is over" : "there is no position to search: " + position_error_);
    say("bestmove (none)\n");
    return;
  }
  pondered_ = request;
  ponders_ = request.ponder;
  search(request, request.ponder || request.infinite);
}

// The opponent has played what was pondered about: from now on the limits count. The tree is kept.
void Uci::ponder_hit() {
  if (!engine_.searching() || !ponders_) throw UserError("ponderhit: nothing is pondered");
  end_silently();
  ponders_ = false;
  search(pondered_, pondered_.infinite);
}

void Uci::search(const GoRequest& request, bool endless) {
  GameClock clock;
  SessionLimits limits = limits_of(request, clock);
  if (endless) limits = {.visits = 0, .infinite = true};
  endless_ = endless;
  by_own_clock_ = limits.clock != nullptr && limits.clock != &clock;
  own_length_ = request.visits > 0;
  limits.lines = lines_;
  limits.report_seconds = kReportSeconds;
  searched_ = {engine_.session().board(false), legal_text()};
  const auto done = [this](const Analysis* result, const std::string& error) {
    if (silent_.load()) return;
    if (result == nullptr) {
      complain(error);
      say("bestmove (none)\n");
      return;
    }
    tell(*result);
    if (by_own_clock_) engine_.clocks().of(result->seat).spend(result->seconds);
    answer(*result);
  };
  engine_.search(limits, {.progress = [this](const Analysis& analysis) { tell(analysis); }, .done = done});
}

// `clock` is filled where the request says one.
SessionLimits Uci::limits_of(const GoRequest& request, GameClock& clock) const {
  const EngineSettings& settings = engine_.settings();
  const Session& session = engine_.session();
  const int seat = session.seat_to_move();
  if (!request.limited() || (settings.policy_only && request.visits == 0)) return engine_.move_limits(seat);
  // What the options say stays an upper limit, but for that of visits where the request names its own.
  SessionLimits limits{.visits = request.visits > 0 ? request.visits : settings.visits,
                       .seconds = settings.seconds,
                       .fresh = settings.limited,
                       .margin = settings.margin};
  const std::size_t side = session.players() == 2 && words_.colour(seat) == Colour::black ? 1 : 0;
  // `movetime` is a time by which the answer must be there, as those of a clock are.
  if (request.times[side]) {
    clock =
        GameClock::remaining(*request.times[side], request.increments[side], request.moves_to_go, request.move_seconds);
  } else {
    clock = GameClock({.move = request.move_seconds});
  }
  if (!clock.unlimited()) limits.clock = &clock;
  // The other side's time alone limits nothing.
  if (limits.visits == 0 && limits.clock == nullptr) return engine_.move_limits(seat);
  return limits;
}

// `score cp N`, or of a proven value `score mate N` in own turns.
std::string Uci::score_text(const Candidate& candidate, double value) const {
  if (!candidate.proven || (value > 0 && value < 1)) return fmt::format("score cp {}", score_of(value));
  const Session& session = engine_.session();
  const int turns =
      own_turns(std::get<wall::WallGame>(session.game()), std::get<Position<wall::WallGame>>(session.position()),
                candidate.actions, candidate.plies);
  return fmt::format("score mate {}", value > 0 ? turns : -turns);
}

void Uci::tell(const Analysis& analysis) {
  const double rate = analysis.visits / std::max(analysis.seconds, 1e-6);
  std::string text;
  for (std::size_t i = 0; i < analysis.candidates.size() && i < static_cast<std::size_t>(lines_); ++i) {
    const Candidate& candidate = analysis.candidates[i];
    const bool known = candidate.known();
    if (i > 0 && !known) break;  // nor is any after it
    const double value = known ? candidate.value : analysis.values[static_cast<std::size_t>(analysis.seat)];
    text += fmt::format("info depth {:.0f} seldepth {} multipv {} {} nodes {} nps {:.0f} time {:.0f} pv",
                        analysis.mean_depth, analysis.largest_depth, i + 1, score_text(candidate, value),
                        analysis.nodes, rate, analysis.seconds * 1000);
    for (const std::string& action : candidate.line) text += " " + words_.write(action);
    text += "\n";
  }
  say(text);
}

void Uci::answer(const Analysis& result) {
  // A search without an end is no turn of a game.
  if (!endless_ && engine_.resigns(result.seat, engine_.session().ply(), result)) {
    say("bestmove resign\n");
    return;
  }
  const bool searched = own_length_ && engine_.settings().policy_only;  // by a level that never searches
  const Action action = searched ? result.best : engine_.choose(result);
  std::string text = "bestmove " + words_.write(engine_.session().text(action));
  // A line of play is known of the best action only, and only that one is worth pondering about.
  if (action == result.best && result.line.size() > 1) text += " ponder " + words_.write(result.line[1]);
  say(text + "\n");
}

}  // namespace

std::unique_ptr<Protocol> make_uci(Engine& engine) {
  return std::make_unique<Uci>(engine);
}

bool is_uci(std::string_view line) {
  constexpr std::array<std::string_view, 6> kFirst = {"uci", "isready", "setoption", "ucinewgame", "position", "go"};
  const std::vector<std::string> words = uci_words(line);
  return !words.empty() && std::ranges::find(kFirst, words[0]) != kFirst.end();
}

}  // namespace koridor::cli
