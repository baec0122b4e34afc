#include "selfplay/matches/yardstick/set.h"

#include <algorithm>

namespace koridor {

const KnownAction* YardstickPosition::find(Action action) const {
  const auto found = std::ranges::lower_bound(known, action, {}, &KnownAction::action);
  return found == known.end() || found->action != action ? nullptr : &*found;
}

int YardstickPosition::keeping() const {
  return static_cast<int>(std::ranges::count_if(known, &KnownAction::keeps));
}

void complete_proven(YardstickPosition& position) {
  std::vector<KnownAction>& known = position.known;
  position.value = std::ranges::max_element(known, {}, &KnownAction::points)->points;
  // A winner hurries and a loser resists.
  const auto haste = [&](const KnownAction& action) {
    return position.value > 0.5f ? -action.distance : action.distance;
  };
  for (KnownAction& action : known) action.keeps = action.points == position.value;
  int most = 0;
  int best = 0;
  for (const KnownAction& action : known) {
    if (!action.keeps) continue;
    if (best == 0 || haste(action) > most) best = 0;
    if (best == 0) most = haste(action);
    if (haste(action) == most) ++best;
  }
  for (KnownAction& action : known) {
    action.target = action.keeps && haste(action) == most ? 1.0f / static_cast<float>(best) : 0.0f;
  }
}

double random_share(std::span<const YardstickPosition> positions) {
  double sum = 0;
  for (const YardstickPosition& position : positions) {
    sum += static_cast<double>(position.keeping()) / static_cast<double>(position.known.size());
  }
  return positions.empty() ? 0 : sum / static_cast<double>(positions.size());
}

}  // namespace koridor
