#include "selfplay/matches/adjudication.h"

#include <cmath>
#include <string>

#include "core/base/setting_words.h"

namespace koridor {

namespace {

// The rule of the section `name` whose settings `describe` lists: what the text says of it, else as it is.
template <class Rule, class Describe>
Rule read_rule(Rule rule, const char* name, std::string_view text, std::string_view where, const Describe& describe) {
  SettingList list;
  list.begin_section(name);
  describe(list, rule);
  read_setting_words(list, text, where);
  return rule;
}

}  // namespace

ResignRule read_resign_rule(std::string_view text, std::string_view where, const ResignRule& usual) {
  std::string words(text);
  if (!words.empty() && words.find('=') == std::string::npos) words.insert(0, "value=");
  return read_rule(usual, "resign", words, where, [](SettingList& list, ResignRule& rule) {
    list.number("value", &rule.value, 0, 0.5, "points that a player expects at most");
    list.number("turns", &rule.turns, 1, 1000, "turns of the player in a row");
    list.number("play_on", &rule.play_on, 0, 1, "share of the games that are played on");
  });
}

DrawRule read_draw_rule(std::string_view text, std::string_view where) {
  return read_rule(DrawRule{}, "draw", text, where, [](SettingList& list, DrawRule& rule) {
    list.number("plies", &rule.plies, 0, 100000, "plies from which on turns are counted");
    list.number("within", &rule.within, 0, 1, "points around an even score");
    list.number("turns", &rule.turns, 1, 1000, "turns in a row of all players that expect something");
  });
}

void Adjudicator::new_game(bool play_on) {
  play_on_ = play_on;
  would_resign_ = -1;
  lost_turns_ = {};
  even_turns_ = 0;
  last_seat_ = last_ply_ = -1;
}

std::optional<Adjudicator::Verdict> Adjudicator::judge(int seat, int ply, std::optional<float> value,
                                                       const std::optional<Outcome>& proven) {
  if (rules_->proven && proven) return Verdict{{.kind = EndReason::Kind::proven}, *proven};
  const bool same_turn = two_plies_ && seat == last_seat_ && ply == last_ply_ + 1;
  if (ply <= last_ply_) {
    lost_turns_ = {};
    even_turns_ = 0;
  }
  last_seat_ = seat;
  last_ply_ = ply;
  if (same_turn) return std::nullopt;
  if (resigns(seat, value)) {
    const EndReason reason{.kind = EndReason::Kind::forfeit, .seat = seat, .forfeit = {Forfeit::Kind::resign}};
    return Verdict{reason, forfeited_by(seat, players_)};
  }
  if (drawn(ply, value)) return Verdict{{.kind = EndReason::Kind::draw_rule}, Outcome::drawn(players_)};
  return std::nullopt;
}

bool Adjudicator::resigns(int seat, std::optional<float> value) {
  if (!rules_->resign || would_resign_ >= 0) return false;
  const ResignRule& rule = *rules_->resign;
  int& turns = lost_turns_[static_cast<std::size_t>(seat)];
  turns = value && rule.value > 0 && *value <= rule.value ? turns + 1 : 0;
  if (turns < rule.turns) return false;
  if (play_on_) would_resign_ = seat;
  return !play_on_;
}

bool Adjudicator::drawn(int ply, std::optional<float> value) {
  if (!rules_->draw || ply < rules_->draw->plies || !value) return false;
  const bool even = std::abs(*value - 1.0 / players_) <= rules_->draw->within;
  even_turns_ = even ? even_turns_ + 1 : 0;
  return even_turns_ >= rules_->draw->turns;
}

}  // namespace koridor
