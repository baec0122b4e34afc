#include "selfplay/session/level_choice.h"

#include <algorithm>
#include <vector>

#include "selfplay/session/session.h"

namespace koridor {

Action chosen_by(const Strength& strength, const Analysis& analysis, Random& random) {
  const bool searches = strength.visits > 0;
  if (searches && strength.temperature <= 0) return analysis.best;
  std::vector<float> shares;
  for (const Candidate& candidate : analysis.candidates)
    shares.push_back(searches ? candidate.policy : candidate.prior);
  return analysis.candidates[draw_share(shares, strength.temperature, random)].action;
}

Action choose_at(std::string_view level, Session& session, Random& random, const std::atomic<bool>& stop) {
  const Strength& strength = find_level(level).strength;
  const Analysis& found = session.search({.visits = std::max(strength.visits, 1), .fresh = true, .stop = &stop});
  return chosen_by(strength, found, random);
}

}  // namespace koridor
