// One thread multiplies, so that results do not depend on the number of threads.
#define EIGEN_DONT_PARALLELIZE
#include "train/learner/muon.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace koridor {

double muon_scale(const HiddenMatrix& matrix) {
  return matrix.share * 0.2 * std::sqrt(static_cast<double>(std::max(matrix.rows, matrix.columns)));
}

void orthogonalise(std::span<float> matrix, int rows, int columns) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix> given(matrix.data(), rows, columns);
  const float norm = given.norm();
  if (norm == 0.0f) return;
  Matrix x = rows <= columns ? Matrix(given) : Matrix(given.transpose());
  x /= norm;
  Matrix square(x.rows(), x.rows());
  Matrix polynomial(x.rows(), x.rows());
  Matrix next(x.rows(), x.cols());
  const auto& [linear, cubic, fifth] = kNewtonSchulz;
  for (int i = 0; i < kNewtonSchulzSteps; ++i) {
    square.noalias() = x * x.transpose();
    polynomial.noalias() = square * square;
    polynomial = cubic * square + fifth * polynomial;
    next.noalias() = polynomial * x;
    x = linear * x + next;
  }
  if (rows <= columns) {
    given = x;
  } else {
    given = x.transpose();
  }
}

}  // namespace koridor
