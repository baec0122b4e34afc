#include "selfplay/matches/levels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/search/softmax.h"

namespace koridor {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Level& level : levels()) all.push_back(level.name);
  return all;
}

}  // namespace

const std::vector<Level>& levels() {
  static const std::vector<Level> all = {
      {"beginner", {.visits = 0, .temperature = 4.0}},  //
      {"easy", {.visits = 0, .temperature = 2.5}},      //
      {"casual", {.visits = 0, .temperature = 1.5}},    //
      {"medium", {.visits = 0, .temperature = 0.8}},    //
      {"hard", {.visits = 4, .temperature = 0}},        //
      {"expert", {.visits = 32, .temperature = 0}},     //
      {"full", {.visits = 400, .temperature = 0}},
  };
  return all;
}

const Level& find_level(std::string_view name) {
  const auto found = std::ranges::find(levels(), name, &Level::name);
  if (found == levels().end()) throw UserError(unknown_word("level", name, names()));
  return *found;
}

std::size_t draw_share(std::span<float> shares, double temperature, Random& random) {
  const auto best = std::ranges::max_element(shares);
  if (temperature <= 0) return static_cast<std::size_t>(best - shares.begin());
  const float top = *best;
  for (float& share : shares) share = std::pow(share / top, inverse_temperature(temperature));
  return static_cast<std::size_t>(random.weighted(shares));
}

bool is_full(const Level& level) {
  return level.name == levels().back().name;
}

std::string level_names() {
  return fmt::format("{}", fmt::join(names(), ", "));
}

}  // namespace koridor
