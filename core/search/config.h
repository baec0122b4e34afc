// What can be set about a search. Read from the [search] section of a configuration.
#pragma once

#include <cstdint>
#include <string_view>

namespace koridor {

enum class Algorithm : std::uint8_t {
  puct,    // AlphaZero's selection rule with first-play-urgency and Dirichlet root noise
  gumbel,  // Gumbel AlphaZero: sequential halving at the root, completed Q-values (Danihelka et al. 2022)
};

struct SearchConfig {
  Algorithm algorithm = Algorithm::gumbel;

  // PUCT: c(N) = c_puct + log((1 + N + c_puct_base) / c_puct_base), AlphaZero's schedule.
  float c_puct = 1.25f;
  float c_puct_base = 19652.0f;
  float fpu_reduction = 0.2f;         // an unvisited child's value: its parent's less this times sqrt(visited prior)
  float root_noise_fraction = 0.25f;  // share of Dirichlet noise in the root's priors
  float root_noise_total = 10.83f;    // concentration of the whole noise; each legal action gets an equal part

  // Gumbel.
  int gumbel_considered = 16;  // root actions that enter sequential halving
  float gumbel_c_visit = 50.0f;
  float gumbel_c_scale = 1.0f;
};

// For playing to win. Self-play learns best with the values above (Danihelka's), whose targets are sharp; a game is
// played better with fewer root actions and less trust in the values of a few visits. On 5x5 at 64 visits that gained
// three points in a hundred against every baseline (at 0.1 and at 1 it was worse, from 0.2 to 0.4 about equal).
inline SearchConfig match_search(Algorithm algorithm) {
  SearchConfig config;
  config.algorithm = algorithm;
  config.gumbel_considered = 8;
  config.gumbel_c_scale = 0.3f;
  return config;
}

// One search's budget.
struct SearchBudget {
  int visits = 64;  // simulations of this search, >= 1; visits kept from the last move count (PUCT) or not (Gumbel)
  bool explore = false;  // root noise (Dirichlet or Gumbel); off in matches
};

}  // namespace koridor
