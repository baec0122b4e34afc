#include "selfplay/matches/adjudication.h"

#include <cmath>

#include "core/base/setting_words.h"

namespace koridor {

ResignRule read_resign_rule(std::string_view text, std::string_view where, const ResignRule& usual) {
  ResignRule rule = usual;
  SettingList list;
  list.begin_section("resign");
  list.number("value", &rule.value, 0, 0.5, "points that a player expects at most");
  list.number("turns", &rule.turns, 1, 1000, "turns of the player in a row");
  list.number("play_on", &rule.play_on, 0, 1, "share of the games that are played on");
  read_setting_words(list, text, where);
  return rule;
}

DrawRule read_draw_rule(std::string_view text, std::string_view where) {
  DrawRule rule;
  SettingList list;
  list.begin_section("draw");
  list.number("plies", &rule.plies, 0, 100000, "plies from which on turns are counted");
  list.number("within", &rule.within, 0, 1, "points around an even score");
  list.number("turns", &rule.turns, 1, 1000, "turns of all players in a row");
  read_setting_words(list, text, where);
  return rule;
}

void Adjudicator::new_game(bool play_on) {
  play_on_ = play_on;
  would_resign_ = -1;
  lost_turns_ = {};
  even_turns_ = 0;
}

std::optional<Adjudicator::Verdict> Adjudicator::judge(int seat, int ply, std::optional<float> value,
                                                       const std::optional<Outcome>& proven) {
  if (rules_->proven && proven) return Verdict{{.kind = EndReason::Kind::proven}, *proven};
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
  turns = value && *value <= rule.value ? turns + 1 : 0;
  if (turns < rule.turns) return false;
  if (play_on_) would_resign_ = seat;
  return !play_on_;
}

bool Adjudicator::drawn(int ply, std::optional<float> value) {
  if (!rules_->draw || ply < rules_->draw->plies) return false;
  const bool even = !value || std::abs(*value - 1.0 / players_) <= rules_->draw->within;
  even_turns_ = even ? even_turns_ + 1 : 0;
  return even_turns_ >= rules_->draw->turns;
}

}  // namespace koridor
