// Game records and their text.
#include <fmt/format.h>

#include <cstdlib>

#include "core/base/text.h"
#include "core/go/sgf.h"

namespace koridor::go {
namespace {

// A property's value: ']' and '\\' are escaped, control bytes other than line ends become spaces.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ']' || c == '\\') out += '\\';
    out += is_control(c) && c != '\n' ? ' ' : c;
  }
  return out;
}

std::string sgf_point(const Rules& rules, int action) {
  return {static_cast<char>('a' + action % rules.columns), static_cast<char>('a' + action / rules.columns)};
}

// The rules without size, handicap and komi, which have properties of their own.
std::string ruleset_text(Rules rules) {
  rules.handicap = 0;
  rules.columns = rules.rows = Rules{}.rows;
  // With the ruleset's own komi, whatever it is, the name has no komi.
  for (const std::string& name : ruleset_names()) {
    Rules base;
    set_word(base, name);
    rules.half_points_of_komi = base.half_points_of_komi;
    const std::string variant = variant_name(rules);
    if (variant.find("komi=") != std::string::npos) continue;
    const std::size_t colon = variant.find(':');
    if (colon == std::string::npos) return name;
    const std::string words = variant.substr(colon + 1);
    return words.find('=') < words.find(',') ? "tromp-taylor," + words : words;
  }
  return "tromp-taylor";
}

// As much as readers take for hundredths (sgf_reader.cpp) has a decimal, which shows that it is in points.
std::string written_komi(int half_points) {
  const std::string text = komi_text(half_points);
  return half_points > 400 && text.find('.') == std::string::npos ? text + ".0" : text;
}

}  // namespace

Position<GoGame> Record::end() const {
  Position<GoGame> position(game);
  position.state = start;
  for (const Action action : actions) position.apply(game, action);
  return position;
}

std::string sgf_result(const GoGame& game, const Position<GoGame>& position) {
  const Outcome outcome = game.outcome(position.state, position.history);
  if (!outcome.over()) return "";
  if (outcome.kind == Outcome::Kind::draw) return "0";
  return fmt::format("{}+{}", outcome.winner == 0 ? "B" : "W", komi_text(std::abs(game.half_points(position.state))));
}

std::string write_sgf(const Record& record) {
  const GoGame& game = record.game;
  const Rules& rules = game.rules();
  std::string out = "(;FF[4]GM[1]CA[UTF-8]AP[Koridor]";
  out += rules.columns == rules.rows ? fmt::format("SZ[{}]", rules.rows)
                                     : fmt::format("SZ[{}:{}]", rules.columns, rules.rows);
  out += fmt::format("RU[{}]KM[{}]", escaped(ruleset_text(rules)), written_komi(rules.half_points_of_komi));
  // HA says that the stones of the rule stand there, which readers put down where AB names none.
  if (rules.handicap > 0 && record.start == game.initial_state()) out += fmt::format("HA[{}]", rules.handicap);
  const auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}[{}]", name, escaped(value));
  };
  text("PB", record.black);
  text("PW", record.white);
  text("RE", record.result);
  text("GC", record.comment);

  bool any = false;
  for (int colour = 0; colour < 2; ++colour) {
    std::string points;
    for (int action = 0; action < game.num_actions() - 1; ++action) {
      if (!record.start.has_stone(colour, game.geometry().point[static_cast<std::size_t>(action)])) continue;
      points += fmt::format("[{}]", sgf_point(rules, action));
    }
    if (!points.empty()) out += (colour == 0 ? "AB" : "AW") + points;
    any = any || !points.empty();
  }
  int player = record.start.player;
  if (any || player != 0) out += player == 0 ? "PL[B]" : "PL[W]";
  for (std::size_t i = 0; i < record.actions.size(); ++i, player ^= 1) {
    if (i % 10 == 0) out += "\n";
    const int action = index(record.actions[i]);
    out += fmt::format(";{}[{}]", player == 0 ? "B" : "W",
                       action == game.num_actions() - 1 ? "" : sgf_point(rules, action));
  }
  return out + ")\n";
}

}  // namespace koridor::go
