#include "selfplay/matches/yardstick/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <variant>

namespace koridor {
namespace {

constexpr int kBands = 4;
constexpr int kStretches = 5;

std::string span_name(int low, int high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

// Bands of equal width over [1, total - 1], at most kBands of them, each of two numbers or more where there are as
// many; with those at both ends apart.
std::string band_name(int left, int total) {
  if (left == 0) return "none";
  if (left == total) return "opening";
  const int width = std::max(2, (total - 1 + kBands - 1) / kBands);
  const int low = (left - 1) / width * width + 1;
  return span_name(low, std::min(low + width - 1, total - 1));
}

int walls_left(const wall::State& state) {
  return std::accumulate(state.walls_left.begin(), state.walls_left.end(), 0);
}

}  // namespace

std::vector<Phase> phases_of(const AnyGame& any, std::span<const YardstickPosition> positions) {
  std::size_t longest = 0;
  for (const YardstickPosition& position : positions) longest = std::max(longest, position.actions.size());
  const int width = static_cast<int>(longest) / kStretches + 1;
  std::vector<std::pair<int, Phase>> phases;  // with their place in the order
  std::visit(
      [&]<Game G>(const G& game) {
        for (std::size_t i = 0; i < positions.size(); ++i) {
          int place = 0;
          std::string name;
          if constexpr (std::is_same_v<G, wall::WallGame>) {
            typename G::State state = game.initial_state();
            const int total = walls_left(state);
            for (const Action action : positions[i].actions) game.apply(state, action);
            place = total - walls_left(state);
            name = band_name(total - place, total);
          } else {
            place = static_cast<int>(positions[i].actions.size());
            const int low = place / width * width;
            name = span_name(low, low + width - 1);
          }
          auto phase = std::ranges::find(phases, name, [](const auto& known) { return known.second.name; });
          if (phase == phases.end()) phase = phases.insert(phase, {place, {.name = name, .positions = {}}});
          phase->first = std::min(phase->first, place);
          phase->second.positions.push_back(i);
        }
      },
      any);
  std::ranges::sort(phases, {}, [](const auto& known) { return known.first; });
  std::vector<Phase> result;
  for (auto& phase : phases) result.push_back(std::move(phase.second));
  return result;
}

std::string phase_unit(const AnyGame& game) {
  return std::holds_alternative<wall::WallGame>(game) ? "walls left" : "plies";
}

}  // namespace koridor
