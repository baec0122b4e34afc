#include "selfplay/session/level_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "selfplay/session/session.h"

namespace koridor {

Action chosen_by(const Strength& strength, const Analysis& analysis, Random& random) {
  const bool searches = strength.visits > 0;
  if (searches && strength.temperature <= 0) return analysis.best;
  const auto share = [&](const Candidate& candidate) { return searches ? candidate.policy : candidate.prior; };
  const auto best = std::ranges::max_element(analysis.candidates, {}, share);
  if (strength.temperature <= 0) return best->action;
  std::vector<float> weights;
  for (const Candidate& candidate : analysis.candidates) {
    weights.push_back(std::pow(share(candidate) / share(*best), static_cast<float>(1.0 / strength.temperature)));
  }
  return analysis.candidates[static_cast<std::size_t>(random.weighted(weights))].action;
}

Action choose_at(std::string_view level, Session& session, Random& random, const std::atomic<bool>& stop) {
  const Strength& strength = find_level(level).strength;
  const Analysis& found = session.search({.visits = std::max(strength.visits, 1), .fresh = true, .stop = &stop});
  return chosen_by(strength, found, random);
}

}  // namespace koridor
