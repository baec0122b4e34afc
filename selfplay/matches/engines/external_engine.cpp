#include "selfplay/matches/engines/external_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/search/pace.h"
#include "core/words.h"

namespace koridor {
namespace {

constexpr int kLines = 1000;  // that are read in one step
constexpr std::size_t kLongestReply = 1 << 20;
constexpr double kFading = 0.8;  // of late_, per action

// A command for a message: short, and with nothing a terminal would act on.
std::string quoted(const Exchange& exchange) {
  return "\"" + printable(shortened(exchange.line, 60)) + "\"";
}

// Whether an engine with this fault is of no use any more.
bool ends_process(Forfeit::Kind kind) {
  return kind != Forfeit::Kind::resign && kind != Forfeit::Kind::illegal;
}

// The digits of a command's number, which replies may repeat.
std::string_view without_number(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return text.substr(std::min(end, text.size()));
}

}  // namespace

ExternalEngine::ExternalEngine(std::shared_ptr<const EngineSetup> setup)
    : setup_(std::move(setup)), dialect_(make_dialect(setup_->description, setup_->game)) {
  const std::string& log = setup_->description.log;
  if (log.empty()) return;
  log_.open(log, std::ios::app);
  if (!log_) throw UserError(fmt::format("player \"{}\": cannot write {}", setup_->description.name, log));
}

ExternalEngine::~ExternalEngine() {
  if (process_ && !fault_) process_->send("quit");
}

void ExternalEngine::introduce(EngineFeatures& features) {
  features_ = &features;
  start();
  add(dialect_->introduce(), 0);
}

void ExternalEngine::new_game(std::span<const EngineMove> moves, const TimeControl& time) {
  const bool thinks = !exchanges_.empty() && exchanges_.back().chooses;
  if (thinks || (fault_ && ends_process(fault_->kind))) end_process();
  fault_.reset();
  choice_.clear();
  again_.clear();
  leftover_ = process_.has_value() && game_ > 0;
  ++game_;
  if (!process_) start();
  add(dialect_->new_game(moves, time, setup_->features), game_);
}

void ExternalEngine::end_process() {
  if (process_) process_->kill();
  process_.reset();
  exchanges_.clear();
  sent_ = false;
  in_reply_ = false;
  refused_ = false;
  reply_.clear();
}

void ExternalEngine::start_again() {
  leftover_ = false;
  end_process();
  fault_.reset();
  start();
  add(std::exchange(again_, {}), game_);
}

void ExternalEngine::play(const EngineMove& move, bool its_own) {
  add(dialect_->play(move, its_own, setup_->features), game_);
}

void ExternalEngine::choose(const EngineTurn& turn) {
  choice_.clear();
  value_.reset();
  turn_ = std::chrono::steady_clock::now();
  limit_ = turn.clocks.empty() ? std::numeric_limits<double>::infinity()
                               : turn.clocks[static_cast<std::size_t>(turn.seat)].most();
  late_ *= kFading;
  const double margin = std::max(setup_->description.margin, 2 * late_);
  told_ = without_margin(limit_, margin);
  EngineTurn told = turn;
  told.margin = margin;
  add(dialect_->choose(told, setup_->features), game_);
}

void ExternalEngine::start() {
  try {
    process_.emplace(setup_->description.command, setup_->description.directory);
  } catch (const UserError& error) {
    fail(Forfeit::Kind::crash, error.what());
    return;
  }
  add(dialect_->start(setup_->features), 0);
}

void ExternalEngine::add(std::vector<Exchange> exchanges, int game) {
  if (fault_) return;
  if (leftover_) again_.insert(again_.end(), exchanges.begin(), exchanges.end());
  for (Exchange& exchange : exchanges) exchanges_.push_back({std::move(exchange), game});
  send();
}

void ExternalEngine::send() {
  while (!sent_ && !exchanges_.empty()) {
    note('>', exchanges_.front().line);
    process_->send(exchanges_.front().line);
    asked_ = std::chrono::steady_clock::now();
    if (exchanges_.front().reply == Exchange::Reply::none) {
      exchanges_.pop_front();
    } else {
      sent_ = true;
    }
  }
}

ExternalEngine::Status ExternalEngine::step() {
  for (int line = 0; line < kLines && !fault_ && sent_; ++line) {
    const std::optional<std::string> received = process_->receive();
    if (received) {
      note('<', *received);
      receive(*received);
      continue;
    }
    if (process_->flooded()) {
      fail(Forfeit::Kind::garbage, fmt::format("a line of more than {} bytes", EngineProcess::kLongestLine));
    } else if (process_->ended()) {
      if (!process_->gone()) return Status::busy;
      fail(Forfeit::Kind::crash,
           fmt::format("{}, asked {}", printable(shortened(process_->last_words(), 200)), quoted(exchanges_.front())));
    }
    break;
  }
  // Also where lines keep coming: an engine that never ceases to write must not have all the time it wants.
  if (sent_ && !fault_) watch_time();
  if (fault_ && leftover_ && ends_process(fault_->kind)) start_again();
  return fault_ ? Status::failed : sent_ ? Status::busy : Status::ready;
}

void ExternalEngine::watch_time() {
  const EngineDescription& description = setup_->description;
  const Exchange& exchange = exchanges_.front();
  // The clock runs for all that is asked in a turn, and not for the action alone.
  const bool timed = exchanges_.back().chooses && std::isfinite(limit_);
  const double seconds = seconds_since(timed ? turn_ : asked_);
  if (timed && seconds > limit_) {
    late_ = std::max(late_, seconds - told_);
    fail(Forfeit::Kind::time, fmt::format("no answer to {} within the {:.3g} s that it had", quoted(exchange), limit_));
  }
  const double patience = description.patience + (exchange.chooses ? description.seconds : 0);
  if (!timed && seconds > patience) {
    fail(Forfeit::Kind::hang, fmt::format("no answer to {} within {:g} s", quoted(exchange), patience));
  }
}

void ExternalEngine::receive(std::string_view line) {
  if (reply_.size() + line.size() > kLongestReply) {
    fail(Forfeit::Kind::garbage,
         fmt::format("more than {} bytes in reply to {}", kLongestReply, quoted(exchanges_.front())));
  } else if (exchanges_.front().reply == Exchange::Reply::block) {
    receive_block(line);
  } else {
    receive_word(line);
  }
}

void ExternalEngine::receive_block(std::string_view line) {
  const bool empty = trimmed(line).empty();
  if (in_reply_) {
    if (empty) {
      finish_reply();
    } else {
      reply_ += '\n';
      reply_ += line;
    }
    return;
  }
  if (empty) return;
  if (line.front() != '=' && line.front() != '?') {
    fail(Forfeit::Kind::garbage, fmt::format("{} in reply to {}", in_quotes(line), quoted(exchanges_.front())));
    return;
  }
  in_reply_ = true;
  refused_ = line.front() == '?';
  reply_ = trimmed(without_number(line.substr(1)));
}

void ExternalEngine::receive_word(std::string_view line) {
  line = trimmed(line);
  const bool last = line.substr(0, line.find_first_of(" \t")) == exchanges_.front().word;
  if (last || !exchanges_.front().chooses) {
    reply_ += line;
    reply_ += '\n';
  } else if (const auto value = dialect_->value(line)) {
    value_ = value;  // what comes before an action says how the engine thinks, and is not kept
  }
  if (last) finish_reply();
}

void ExternalEngine::finish_reply() {
  const Due exchange = std::move(exchanges_.front());
  const std::string reply = std::move(reply_);
  exchanges_.pop_front();
  reply_.clear();
  sent_ = false;
  in_reply_ = false;
  const bool refused = std::exchange(refused_, false);
  if (exchange.game == game_) {
    leftover_ = false;
    again_.clear();
  }
  // What was refused after the last action of an earlier game changes nothing in this one.
  const bool earlier = exchange.game != 0 && exchange.game != game_;
  if (refused && exchange.needed && !earlier) {
    fail(Forfeit::Kind::garbage, fmt::format("it refused {}: {}", quoted(exchange), printable(shortened(reply, 200))));
    return;
  }
  if (features_ != nullptr && !refused) dialect_->learn(exchange, reply, *features_);
  // They are shared by all of the program's processes from now on: one that is started again tells nothing new.
  if (exchanges_.empty()) features_ = nullptr;
  if (exchange.chooses) {
    late_ = std::max(late_, seconds_since(turn_) - told_);
    choice_ = dialect_->choice(reply);
  }
  send();
}

void ExternalEngine::note(char direction, std::string_view line) {
  if (log_.is_open()) log_ << fmt::format("{} {} {}\n", process_->number(), direction, printable(line)) << std::flush;
}

void ExternalEngine::fail(Forfeit::Kind kind, std::string detail) {
  fault_ = Forfeit{.kind = kind, .detail = std::move(detail)};
  if (ends_process(kind) && process_) process_->kill();
}

}  // namespace koridor
