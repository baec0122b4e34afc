// The sequential probability ratio test (Wald 1945): a match goes on until it is clear which of two hypotheses on the
// Elo difference holds, H0: elo0 or H1: elo1. It needs far fewer games than a match of fixed length where the truth is
// far from both.
//
// The likelihood ratio is the generalised one (Van den Bergh, "A practical introduction to the GSPRT", 2020): each
// hypothesis only says what the mean score of a group is, and of all distributions of scores with this mean it is
// judged by the one under which the observed groups are most likely.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "selfplay/matches/group_scores.h"

namespace koridor {

struct SprtSettings {
  double elo0 = 0;      // H0, in Elo, as elo_difference() in elo.h
  double elo1 = 10;     // H1, above elo0
  double alpha = 0.05;  // chance to accept H1 where H0 holds, in (0, 0.5)
  double beta = 0.05;   // chance to accept H0 where H1 holds, in (0, 0.5)
  friend bool operator==(const SprtSettings&, const SprtSettings&) = default;
};

// Reads "elo0=0,elo1=10,alpha=0.05,beta=0.05"; what is left out is as above. `where` names it in errors ("--sprt").
// Throws UserError for anything else.
SprtSettings read_sprt(std::string_view text, std::string_view where);
std::string sprt_text(SprtSettings settings);

enum class SprtVerdict : std::uint8_t { undecided, accept_h0, accept_h1 };

// "undecided", "H0 accepted", "H1 accepted".
std::string verdict_text(SprtVerdict verdict);

struct SprtState {
  double llr = 0;    // log-likelihood ratio of H1 to H0
  double lower = 0;  // H0 is accepted at or below it: log(beta / (1 - alpha))
  double upper = 0;  // H1 is accepted at or above it: log((1 - beta) / alpha)
  SprtVerdict verdict = SprtVerdict::undecided;
};

// How the test stands after these groups.
SprtState sprt_state(const GroupScores& groups, const SprtSettings& settings);

}  // namespace koridor
