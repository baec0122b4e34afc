#include "selfplay/matches/elo.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "selfplay/matches/interval.h"

namespace koridor {
namespace {

// Inside, ratings are in natural units: a seat wins in proportion to exp(x).
constexpr double kEloPerUnit = 400.0 / std::numbers::ln10;
constexpr double kPriorElo = 4000.0;  // standard deviation of the wide prior

// Ratings that are equal come out as 0 but for the rounding of what was summed up: no games tell such a difference.
double without_noise(double elo) {
  constexpr double kNoise = 1e-6;  // Elo; the fit is no more exact
  return std::abs(elo) < kNoise ? 0.0 : elo;
}

double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// A generation of a run meets few others, so of n players' matrix only a number of entries in proportion to n is not 0:
// runs have thousands of generations, and a full matrix would take gigabytes and hours.
using Matrix = Eigen::SparseMatrix<double>;
using Factors = Eigen::SimplicialLDLT<Matrix>;

// All games of the same players with the same numbers of seats.
struct Contest {
  struct Part {
    int player;
    double head_start;  // of several seats: log(seats)
    double points;
  };
  std::vector<Part> parts;
  double games;
  double dispersion;  // of all games, those of the prior among them

  // The chance of each part to win, [parts].
  std::vector<double> chances(const Eigen::VectorXd& x) const {
    std::vector<double> chances;
    double most = -std::numeric_limits<double>::infinity();
    for (const Part& part : parts) most = std::max(most, x[part.player] + part.head_start);
    double sum = 0;
    for (const Part& part : parts) {
      chances.push_back(std::exp(x[part.player] + part.head_start - most));
      sum += chances.back();
    }
    for (double& chance : chances) chance /= sum;
    return chances;
  }
};

// The log-posterior of the ratings x (x[anchor] == 0), with its slope and negated curvature.
struct Posterior {
  std::vector<Contest> contests;
  double precision;  // of the wide prior

  double value(const Eigen::VectorXd& x) const {
    // Below the smallest number that is not 0: a chance that a line search passes by.
    constexpr double kLeast = 1e-300;
    double total = -0.5 * precision * x.squaredNorm();
    for (const Contest& contest : contests) {
      const std::vector<double> chances = contest.chances(x);
      for (std::size_t i = 0; i < chances.size(); ++i) {
        total += contest.parts[i].points * std::log(std::max(chances[i], kLeast));
      }
    }
    return total;
  }

  Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd slope = -precision * x;
    for (const Contest& contest : contests) {
      const std::vector<double> chances = contest.chances(x);
      for (std::size_t i = 0; i < chances.size(); ++i) {
        slope[contest.parts[i].player] += contest.parts[i].points - contest.games * chances[i];
      }
    }
    return slope;
  }

  // The information I and `share` of the slope's variance M: I + share * M, both with entries at the same places. The
  // lower half. The anchor does not move: its row and column are those of the identity.
  Matrix information(const Eigen::VectorXd& x, int anchor, double share = 0) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (int player = 0; player < x.size(); ++player) {
      entries.emplace_back(player, player, player == anchor ? 1.0 : (1.0 + share) * precision);
    }
    for (const Contest& contest : contests) {
      const std::vector<double> chances = contest.chances(x);
      const double games = contest.games * (1.0 + share * contest.dispersion);
      for (std::size_t i = 0; i < chances.size(); ++i) {
        const int a = contest.parts[i].player;
        if (a == anchor) continue;
        entries.emplace_back(a, a, games * chances[i] * (1.0 - chances[i]));
        for (std::size_t k = 0; k < i; ++k) {
          const int b = contest.parts[k].player;
          if (b == anchor) continue;
          entries.emplace_back(std::max(a, b), std::min(a, b), -games * chances[i] * chances[k]);
        }
      }
    }
    Matrix matrix(x.size(), x.size());
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }
};

// The diagonal of the inverse of L D L^T, column by column from the last (Takahashi, Fagan and Chin 1973):
//   Z_ij = -sum_k L_kj Z_ik,   Z_jj = 1 / D_j - sum_k L_kj Z_kj,   k over the rows below j where L has entries.
// The entries of Z that this needs are where L has entries as well.
Eigen::VectorXd inverse_diagonal(const Factors& factors) {
  const Matrix lower = factors.matrixL().nestedExpression();
  const Eigen::VectorXd pivots = factors.vectorD();
  const auto size = static_cast<int>(lower.cols());
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(size));
  std::vector<std::vector<double>> inverse(static_cast<std::size_t>(size));  // Z where L has entries
  Eigen::VectorXd diagonal(size);
  const auto entry = [&](int i, int k) {
    if (i == k) return diagonal[i];
    const auto column = static_cast<std::size_t>(std::min(i, k));
    const auto found = std::ranges::lower_bound(rows[column], std::max(i, k));
    return inverse[column][static_cast<std::size_t>(found - rows[column].begin())];
  };
  for (int j = size - 1; j >= 0; --j) {
    std::vector<int>& below = rows[static_cast<std::size_t>(j)];
    std::vector<double> factor;
    for (Matrix::InnerIterator at(lower, j); at; ++at) {
      if (at.row() <= j) continue;
      below.push_back(static_cast<int>(at.row()));
      factor.push_back(at.value());
    }
    std::vector<double>& values = inverse[static_cast<std::size_t>(j)];
    diagonal[j] = 1.0 / pivots[j];
    for (std::size_t i = 0; i < below.size(); ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < below.size(); ++k) sum += factor[k] * entry(below[i], below[k]);
      values.push_back(-sum);
      diagonal[j] += factor[i] * sum;
    }
  }
  // The factors are of the matrix with its rows and columns in another order.
  return factors.permutationPinv() * diagonal;
}

// The diagonal of the sandwich I^-1 M I^-1. That is the derivative of -(I + h M)^-1 by h at 0, so that no more entries
// of an inverse are needed than L has. The error of the difference quotient is of order h^2, that of rounding of order
// 1 / h.
Eigen::VectorXd sandwich_diagonal(const Posterior& posterior, const Eigen::VectorXd& x, int anchor) {
  constexpr double kStep = 1e-5;
  const auto at = [&](double share) { return inverse_diagonal(Factors(posterior.information(x, anchor, share))); };
  return (at(-kStep) - at(kStep)) / (2 * kStep);
}

// One contest for all games of the same players and seats, however often they met: the prior counts once for each.
// Adds the games to those of `ratings`. Throws std::invalid_argument.
std::vector<Contest> merged_contests(std::span<const ContestScore> scores, double prior_games,
                                     std::vector<Rating>& ratings) {
  struct Sum {
    std::vector<double> points;  // [parts]
    double dispersed_games = 0;  // times their dispersion
  };
  std::map<std::vector<std::pair<int, int>>, Sum> sums;  // by (player, seats) of the parts
  for (const ContestScore& score : scores) {
    std::vector<ContestScore::Part> parts = score.parts;
    std::ranges::sort(parts, {}, &ContestScore::Part::player);
    bool valid = parts.size() >= 2;
    std::vector<std::pair<int, int>> who;
    double games = 0;
    for (const ContestScore::Part& part : parts) {
      valid = valid && part.player >= 0 && part.player < std::ssize(ratings) && part.seats >= 1 && part.points >= 0;
      valid = valid && (who.empty() || who.back().first != part.player);
      who.emplace_back(part.player, part.seats);
      games += part.points;
    }
    valid = valid && score.dispersion >= 0;
    if (!valid) throw std::invalid_argument("fit_contests: a result names no two players or has a negative count");
    Sum& sum = sums[who];
    sum.points.resize(parts.size());
    sum.dispersed_games += games * score.dispersion;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sum.points[i] += parts[i].points;
      ratings[static_cast<std::size_t>(parts[i].player)].games += games;
    }
  }
  std::vector<Contest> contests;
  for (const auto& [who, sum] : sums) {
    const double games = std::accumulate(sum.points.begin(), sum.points.end(), 0.0);
    if (games <= 0) continue;
    int seats = 0;
    for (const auto& part : who) seats += part.second;
    const double all = games + prior_games;
    Contest contest{.parts = {}, .games = all, .dispersion = (sum.dispersed_games + prior_games) / all};
    for (std::size_t i = 0; i < who.size(); ++i) {
      const double drawn = prior_games * who[i].second / seats;
      contest.parts.push_back({who[i].first, std::log(who[i].second), sum.points[i] + drawn});
    }
    contests.push_back(std::move(contest));
  }
  return contests;
}

}  // namespace

double expected_score(double elo_difference, int players) {
  return logistic(elo_difference / kEloPerUnit - std::log(players - 1));
}

double elo_difference(double score, int players) {
  return without_noise(kEloPerUnit * (std::log(score / (1.0 - score)) + std::log(players - 1)));
}

RatingFit fit_contests(int players, std::span<const ContestScore> scores, const RatingOptions& options) {
  if (players < 1 || options.anchor < 0 || options.anchor >= players) {
    throw std::invalid_argument("fit_contests: no such anchor");
  }
  std::vector<Rating> ratings(static_cast<std::size_t>(players));
  const Posterior posterior{merged_contests(scores, options.prior_games, ratings),
                            std::pow(kEloPerUnit / kPriorElo, 2)};

  Eigen::VectorXd x = Eigen::VectorXd::Zero(players);
  double value = posterior.value(x);
  for (int iteration = 0; iteration < 200; ++iteration) {
    Eigen::VectorXd slope = posterior.gradient(x);
    slope[options.anchor] = 0;
    if (slope.lpNorm<Eigen::Infinity>() < 1e-10) break;
    const Eigen::VectorXd direction = Factors(posterior.information(x, options.anchor)).solve(slope);
    // A full step may overshoot far from the maximum: halve it until it climbs.
    double step = 1.0;
    double next = posterior.value(x + direction);
    while (!(next > value) && step > 1e-6) {
      step *= 0.5;
      next = posterior.value(x + step * direction);
    }
    if (!(next > value)) break;
    x += step * direction;
    value = next;
  }

  const Matrix information = posterior.information(x, options.anchor);
  const Matrix spread = posterior.information(x, options.anchor, 1.0) - information;
  const auto factors = std::make_shared<const Factors>(information);
  const Eigen::VectorXd variance = sandwich_diagonal(posterior, x, options.anchor);
  for (int player = 0; player < players; ++player) {
    Rating& rating = ratings[static_cast<std::size_t>(player)];
    rating.elo = without_noise(options.anchor_elo + kEloPerUnit * x[player]);
    rating.error95 = player == options.anchor ? 0.0 : kNormal95 * kEloPerUnit * std::sqrt(variance[player]);
  }
  const auto error95_of_sum = [factors, spread, anchor = options.anchor](std::span<const double> weights) {
    Eigen::VectorXd weight = Eigen::Map<const Eigen::VectorXd>(weights.data(), std::ssize(weights));
    weight[anchor] = 0;  // its rating is fixed, so it has no error
    const Eigen::VectorXd solved = factors->solve(weight);
    return kNormal95 * kEloPerUnit * std::sqrt(solved.dot(spread.selfadjointView<Eigen::Lower>() * solved));
  };
  return {std::move(ratings), error95_of_sum};
}

std::vector<Rating> rate_contests(int players, std::span<const ContestScore> scores, const RatingOptions& options) {
  return fit_contests(players, scores, options).ratings;
}

}  // namespace koridor
