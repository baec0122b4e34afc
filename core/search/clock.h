// Time for a game: what each player gets (TimeControl), as people write it, and what one player has left (GameClock).
// Nothing here reads a clock of the machine: a referee measures how long an action took and says so by spend().
//
//   GameClock clock(parse_time_control("60+0.6"));
//   ...
//   if (!clock.spend(seconds)) ...                // the player has lost on time
//
// All times are in seconds.
#pragma once

#include <limits>
#include <span>
#include <string_view>

namespace koridor {

// What each player gets. A value of 0 is not set; with no time set at all nothing is limited.
//
//   60+0.6           main time, and an increment after each action (Fischer)
//   0.1/move         for each action; what is left of it is lost
//   10/move,300/game both limits at once (tournaments)
//   5m+5x30s         Japanese byo-yomi: after the main time 5 periods, of which an action uses up whole ones only
//   5m+25/300s       Canadian byo-yomi: after the main time again and again 300 s for 25 actions
//   40/5m            5 minutes for each 40 actions, perhaps with an increment (40/5m+1); what is left is kept
//
// Times are numbers with ms, s (or nothing), m, min or h behind them, in [0.001, 1,000,000] s; "300", "300/game" and
// "5m" are the same. A limit per action goes with any of the others.
struct TimeControl {
  double main = 0;       // for the game, or for each session
  double increment = 0;  // added after each action that used main time
  int session = 0;       // actions per session, after which `main` is added again; 0: one session, the game
  double move = 0;       // for each action at most
  double period = 0;     // of byo-yomi, which begins where main time is used up
  int periods = 0;       // of Japanese byo-yomi
  int stones = 0;        // of Canadian byo-yomi: actions within each period

  static constexpr double kShortest = 0.001;
  static constexpr double kLongest = 1e6;
  static constexpr int kMostActions = 10'000;  // per session or period, and the most periods

  bool none() const { return main <= 0 && move <= 0 && period <= 0; }
  friend bool operator==(const TimeControl&, const TimeControl&) = default;
};

// Reads a time control as shown above, or "none". Throws UserError that says what is wrong and how they are written.
TimeControl parse_time_control(std::string_view text);

// What one player has left. A clock without a time control limits nothing.
class GameClock {
 public:
  explicit GameClock(const TimeControl& control = {});

  // The clock that a protocol reports before each action (as UCI does): so much is left for all actions, or for the
  // next `moves_to_go` of them if that is not 0, and at most `move` for the next one if that is not 0. Negative times
  // are as good as none left.
  static GameClock remaining(double seconds, double increment = 0, int moves_to_go = 0, double move = 0);

  const TimeControl& control() const { return control_; }
  bool unlimited() const { return control_.none(); }

  // The player has taken so long for an action. False where it has overstepped, which is the end of its game.
  bool spend(double seconds);
  // The longest that the action to be played now may take; infinite where nothing limits it.
  double most() const;

  // What is left of the main time; infinite where there is none and no byo-yomi either (a limit per action alone).
  double main_left() const { return main_left_; }
  // Actions to be played before main time is added again; 0: there are no sessions.
  int moves_to_go() const { return moves_to_go_; }
  // Whether the main time is used up and byo-yomi runs. What follows is 0 where the control has no byo-yomi.
  bool in_byo_yomi() const { return control_.period > 0 && main_left_ <= 0; }
  double period_left() const { return period_left_; }  // of the period that runs, or of the first
  int periods_left() const { return periods_left_; }   // Japanese: that one included
  int stones_left() const { return stones_left_; }     // Canadian: actions to be played within that one

  // A protocol's word goes before what spend() has counted (GTP's time_left): what is left of the main time, >= 0 ...
  void set_main_left(double seconds);
  // ... or, the main time being used up, what is left of the byo-yomi period and how many periods (Japanese, this one
  // included) or stones (Canadian) are left, >= 1. A control without byo-yomi takes it as so much time for so many
  // actions.
  void set_byo_yomi_left(double seconds, int count);

 private:
  bool spend_main(double seconds);
  bool spend_byo_yomi(double seconds);
  void begin_period();

  TimeControl control_;
  double main_left_ = std::numeric_limits<double>::infinity();
  int moves_to_go_ = 0;
  double period_left_ = 0;
  int periods_left_ = 0;
  int stones_left_ = 0;
};

// The clocks of all seats of a game, in seat order; empty where nobody has one.
using GameClocks = std::span<const GameClock>;

}  // namespace koridor
