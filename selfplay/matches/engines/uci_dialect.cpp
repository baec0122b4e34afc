#include "selfplay/matches/engines/uci_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/search/pace.h"

namespace koridor {
namespace {

constexpr const char* kVariant = "UCI_Variant";  // the option that names the game

Exchange tell(std::string line) {
  return {.line = std::move(line)};
}

Exchange ask(std::string line, std::string word) {
  return {.line = std::move(line), .reply = Exchange::Reply::word, .word = std::move(word)};
}

Exchange set_option(const std::string& name, const std::string& value) {
  return tell(fmt::format("setoption name {} value {}", name, value));
}

// Of a time that is told to the engine.
long milliseconds(double seconds) {
  return static_cast<long>(std::max(1.0, std::floor(seconds * 1000)));
}

}  // namespace

std::vector<Exchange> UciDialect::introduce() const {
  return {};  // start() asks each process
}

void UciDialect::learn(const Exchange& asked, std::string_view reply, EngineFeatures& features) const {
  if (asked.line != "uci") return;
  std::istringstream lines{std::string(reply)};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kOption = "option name ";
    if (line.starts_with(kOption)) {
      const std::string rest = line.substr(kOption.size());
      features.options.insert(rest.substr(0, rest.find(" type ")));
    }
  }
}

std::vector<Exchange> UciDialect::start(const EngineFeatures&) const {
  std::vector<Exchange> result = {ask("uci", "uciok")};
  for (const auto& [name, value] : description_->options) result.push_back(set_option(name, value));
  for (const std::string& line : description_->commands) result.push_back(tell(line));
  result.push_back(ask("isready", "readyok"));
  return result;
}

std::vector<Exchange> UciDialect::new_game(std::span<const EngineMove> moves, const TimeControl&,
                                           const EngineFeatures& features) {
  moves_.clear();
  for (const EngineMove& move : moves) moves_ += " " + move.text;
  std::vector<Exchange> result;
  if (features.options.contains(kVariant)) result.push_back(set_option(kVariant, game_->variant));
  result.push_back(tell("ucinewgame"));
  result.push_back(ask("isready", "readyok"));
  return result;
}

std::vector<Exchange> UciDialect::play(const EngineMove& move, bool, const EngineFeatures&) {
  moves_ += " " + move.text;
  return {};
}

std::vector<Exchange> UciDialect::choose(const EngineTurn& turn, const EngineFeatures&) const {
  Exchange go = ask("go" + limits(turn), "bestmove");
  go.chooses = true;
  return {tell("position startpos" + (moves_.empty() ? "" : " moves" + moves_)), std::move(go)};
}

std::string UciDialect::limits(const EngineTurn& turn) const {
  std::string text;
  if (description_->visits) text += fmt::format(" nodes {}", *description_->visits);
  const double margin = turn.margin;
  if (turn.clocks.empty()) {
    if (description_->seconds > 0) return text + fmt::format(" movetime {}", milliseconds(description_->seconds));
    return text.empty() ? fmt::format(" nodes {}", description_->usual_visits) : text;
  }
  const GameClock& own = turn.clocks[static_cast<std::size_t>(turn.seat)];
  if (!std::isfinite(own.main_left()) || own.in_byo_yomi()) {
    // A time for this action alone, as a period of byo-yomi is.
    double seconds = own.most();
    if (own.in_byo_yomi()) seconds = std::min(seconds, own.period_left() / std::max(1, own.stones_left()));
    return text + fmt::format(" movetime {}", milliseconds(without_margin(seconds, margin)));
  }
  // With more than two players the only clock that can be told is the mover's.
  const bool alone = game_->players > 2;
  for (int seat = 0; seat < (alone ? 1 : 2); ++seat) {
    const char letter = alone || description_->words.colour(seat) == Colour::white ? 'w' : 'b';
    const GameClock& clock = alone ? own : turn.clocks[static_cast<std::size_t>(seat)];
    const double left = std::isfinite(clock.main_left()) ? clock.main_left() : clock.most();
    text += fmt::format(" {}time {}", letter, milliseconds(without_margin(left, margin)));
    if (clock.control().increment > 0) {
      text += fmt::format(" {}inc {}", letter, milliseconds(clock.control().increment));
    }
  }
  if (own.moves_to_go() > 0) text += fmt::format(" movestogo {}", own.moves_to_go());
  if (own.control().move > 0) text += fmt::format(" movetime {}", milliseconds(without_margin(own.most(), margin)));
  return text;
}

std::optional<float> UciDialect::value(std::string_view line) const {
  std::istringstream words{std::string(line)};
  std::string word;
  if (!(words >> word) || word != "info") return std::nullopt;
  while (words >> word && word != "pv" && word != "string") {
    if (word == "multipv") {
      if (words >> word && word != "1") return std::nullopt;  // of another action than the best
    } else if (word == "score") {
      std::string unit;
      double number = 0;
      if (!(words >> unit >> number)) return std::nullopt;
      if (unit == "mate") return number > 0 ? 1.0f : 0.0f;
      if (unit == "cp") return static_cast<float>(1 / (1 + std::pow(10.0, -number / 400)));
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string UciDialect::choice(std::string_view reply) const {
  std::istringstream words{std::string(reply)};
  std::string word;
  words >> word >> word;
  return words ? word : "";
}

}  // namespace koridor
