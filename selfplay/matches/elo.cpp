#include "selfplay/matches/elo.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <tuple>

namespace koridor {
namespace {

// Inside, ratings are in natural units: p = 1 / (1 + exp(-(x_a - x_b - log(players - 1)))).
constexpr double kEloPerUnit = 400.0 / std::numbers::ln10;
constexpr double kPriorElo = 4000.0;  // standard deviation of the wide prior
constexpr double kNormal95 = 1.959963984540054;

double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// log(1 / (1 + exp(-x))) without overflow.
double log_logistic(double x) {
  return x > 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

// A generation of a run meets few others, so of n players' matrix only a number of entries in proportion to n is not 0:
// runs have thousands of generations, and a full matrix would take gigabytes and hours.
using Matrix = Eigen::SparseMatrix<double>;
using Factors = Eigen::SimplicialLDLT<Matrix>;

struct Pair {
  int a;
  int b;
  double head_start;  // of b, which has more seats: log(players - 1)
  double games;
  double score;  // of a
};

// The log-posterior of the ratings x (x[anchor] == 0), with its slope and negated curvature.
struct Posterior {
  std::vector<Pair> pairs;
  double precision;  // of the wide prior

  double value(const Eigen::VectorXd& x) const {
    double total = -0.5 * precision * x.squaredNorm();
    for (const Pair& pair : pairs) {
      const double d = x[pair.a] - x[pair.b] - pair.head_start;
      total += pair.score * log_logistic(d) + (pair.games - pair.score) * log_logistic(-d);
    }
    return total;
  }

  Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd slope = -precision * x;
    for (const Pair& pair : pairs) {
      const double excess = pair.score - pair.games * logistic(x[pair.a] - x[pair.b] - pair.head_start);
      slope[pair.a] += excess;
      slope[pair.b] -= excess;
    }
    return slope;
  }

  // The lower half. The anchor does not move: its row and column are those of the identity.
  Matrix information(const Eigen::VectorXd& x, int anchor) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (int player = 0; player < x.size(); ++player) {
      entries.emplace_back(player, player, player == anchor ? 1.0 : precision);
    }
    for (const Pair& pair : pairs) {
      const double p = logistic(x[pair.a] - x[pair.b] - pair.head_start);
      const double weight = pair.games * p * (1.0 - p);
      if (pair.a != anchor) entries.emplace_back(pair.a, pair.a, weight);
      if (pair.b != anchor) entries.emplace_back(pair.b, pair.b, weight);
      if (pair.a != anchor && pair.b != anchor) {
        entries.emplace_back(std::max(pair.a, pair.b), std::min(pair.a, pair.b), -weight);
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

}  // namespace

double expected_score(double elo_difference, int players) {
  return logistic(elo_difference / kEloPerUnit - std::log(players - 1));
}

double elo_difference(double score, int players) {
  return kEloPerUnit * (std::log(score / (1.0 - score)) + std::log(players - 1));
}

std::vector<Rating> rate_players(int players, std::span<const MatchScore> scores, const RatingOptions& options) {
  if (players < 1 || options.anchor < 0 || options.anchor >= players) {
    throw std::invalid_argument("rate_players: no such anchor");
  }
  std::vector<Rating> ratings(static_cast<std::size_t>(players));
  // One entry for all games of one kind between two players, however often they met: the prior counts once per entry.
  struct Sum {
    double games = 0;
    double points = 0;
  };
  std::map<std::tuple<int, int, int>, Sum> sums;
  for (const MatchScore& score : scores) {
    const bool valid = score.a >= 0 && score.a < players && score.b >= 0 && score.b < players && score.a != score.b &&
                       score.wins >= 0 && score.draws >= 0 && score.losses >= 0 && score.players >= 2;
    if (!valid) throw std::invalid_argument("rate_players: a result names no two players or has a negative count");
    const double total = score.wins + score.draws + score.losses;
    const double won = score.wins + score.draws / score.players;
    // With two players it does not matter who is called a.
    const bool swap = score.players == 2 && score.a > score.b;
    Sum& sum = sums[{swap ? score.b : score.a, swap ? score.a : score.b, score.players}];
    sum.games += total;
    sum.points += swap ? total - won : won;
    ratings[static_cast<std::size_t>(score.a)].games += total;
    ratings[static_cast<std::size_t>(score.b)].games += total;
  }

  Posterior posterior{{}, std::pow(kEloPerUnit / kPriorElo, 2)};
  for (const auto& [who, sum] : sums) {
    if (sum.games <= 0) continue;
    const auto& [a, b, seats] = who;
    posterior.pairs.push_back(
        {a, b, std::log(seats - 1), sum.games + options.prior_games, sum.points + options.prior_games / seats});
  }

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

  const Eigen::VectorXd variance = inverse_diagonal(Factors(posterior.information(x, options.anchor)));
  for (int player = 0; player < players; ++player) {
    Rating& rating = ratings[static_cast<std::size_t>(player)];
    rating.elo = options.anchor_elo + kEloPerUnit * x[player];
    rating.error95 = player == options.anchor ? 0.0 : kNormal95 * kEloPerUnit * std::sqrt(variance[player]);
  }
  return ratings;
}

}  // namespace koridor
