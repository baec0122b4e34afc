#include "selfplay/matches/sprt.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/base/setting_words.h"
#include "selfplay/matches/elo.h"

namespace koridor {
namespace {

SettingList settings_of(SprtSettings& settings) {
  constexpr double kMostElo = 2000;
  SettingList list;
  list.begin_section("sprt");
  list.number("elo0", &settings.elo0, -kMostElo, kMostElo, "Elo difference of H0");
  list.number("elo1", &settings.elo1, -kMostElo, kMostElo, "Elo difference of H1");
  list.number("alpha", &settings.alpha, 1e-6, 0.499, "chance to accept H1 where H0 holds");
  list.number("beta", &settings.beta, 1e-6, 0.499, "chance to accept H0 where H1 holds");
  return list;
}

using Entry = GroupScores::Entry;

// The factor t of the most likely distribution with mean `mean`: each score a has the share that it has in the sample,
// divided by 1 + t (a - mean) (Van den Bergh, as above, proposition 1.1). The scores lie on both sides of the mean.
double tilt(std::span<const Entry> entries, double mean) {
  double low = -1 / (entries.back().score - mean);
  double high = 1 / (mean - entries.front().score);
  for (int step = 0; step < 100; ++step) {
    const double t = (low + high) / 2;
    double excess = 0;  // falls as t rises
    for (const Entry& entry : entries) excess += entry.groups * (entry.score - mean) / (1 + t * (entry.score - mean));
    (excess > 0 ? low : high) = t;
  }
  return (low + high) / 2;
}

// The log-likelihood ratio of "the mean is score1" to "the mean is score0".
double log_likelihood_ratio(const GroupScores& groups, double score0, double score1) {
  // A little weight on the extremes keeps the ratio finite where one of them was never seen.
  constexpr double kTrace = 1e-3;
  GroupScores sample = groups;
  sample.add(0, kTrace);
  sample.add(1, kTrace);
  const std::vector<Entry> entries = sample.entries();
  const double tilt0 = tilt(entries, score0);
  const double tilt1 = tilt(entries, score1);
  double ratio = 0;
  for (const Entry& entry : entries) {
    ratio += entry.groups * (std::log1p(tilt0 * (entry.score - score0)) - std::log1p(tilt1 * (entry.score - score1)));
  }
  return ratio;
}

}  // namespace

SprtSettings read_sprt(std::string_view text, std::string_view where) {
  SprtSettings settings;
  read_setting_words(settings_of(settings), text, where);
  if (settings.elo1 <= settings.elo0) {
    throw UserError(fmt::format("{}: elo1={} must be greater than elo0={}", where, settings.elo1, settings.elo0));
  }
  return settings;
}

std::string sprt_text(SprtSettings settings) {
  return setting_words(settings_of(settings));
}

std::string verdict_text(SprtVerdict verdict) {
  switch (verdict) {
    case SprtVerdict::accept_h0:
      return "H0 accepted";
    case SprtVerdict::accept_h1:
      return "H1 accepted";
    case SprtVerdict::undecided:
      break;
  }
  return "undecided";
}

SprtState sprt_state(const GroupScores& groups, const SprtSettings& settings) {
  SprtState state{.lower = std::log(settings.beta / (1 - settings.alpha)),
                  .upper = std::log((1 - settings.beta) / settings.alpha)};
  if (groups.groups() <= 0) return state;
  const double score0 = expected_score(settings.elo0, groups.players());
  const double score1 = expected_score(settings.elo1, groups.players());
  state.llr = log_likelihood_ratio(groups, score0, score1);
  if (state.llr <= state.lower) state.verdict = SprtVerdict::accept_h0;
  if (state.llr >= state.upper) state.verdict = SprtVerdict::accept_h1;
  return state;
}

}  // namespace koridor
