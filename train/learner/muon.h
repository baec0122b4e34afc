// Muon (Jordan et al. 2024): the step of a weight matrix is its momentum, made orthogonal, so that all directions in
// which the matrix can change are as long:
//     m = 0.95 * m + 0.05 * g;  w -= rate * (decay * w + scale * orthogonal(0.95 * m + 0.05 * g))
// With a scale of 0.2 * sqrt(larger side), steps are about as long as AdamW's at the same learning rate (Liu et al.
// 2025, "Muon is scalable for LLM training"); here Muon bears some four times its rate (train/METHODS.md).
#pragma once

#include <cstddef>
#include <span>

namespace koridor {

// A weight as a row-major matrix [rows, columns] at `offset` of the parameters.
struct HiddenMatrix {
  std::size_t offset = 0;
  int rows = 0;
  int columns = 0;
  float share = 1.0f;  // of the learning rate; decay goes by all of it

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

inline constexpr double kMuonMomentum = 0.95;

// An iteration of Newton and Schulz: x -> linear x + (cubic S + fifth S^2) x, where S = x x^T.
inline constexpr int kNewtonSchulzSteps = 5;
struct NewtonSchulz {
  float linear, cubic, fifth;
};
inline constexpr NewtonSchulz kNewtonSchulz{3.4445f, -4.7750f, 2.0315f};

// What an orthogonal step is multiplied by beside the learning rate: share * 0.2 * sqrt(larger side).
double muon_scale(const HiddenMatrix& matrix);

// Replaces the matrix [rows, columns] by one with the same singular vectors and singular values near 1: between 0.68
// and 1.14, but for those below a hundredth of the root of the sum of all their squares. Zeros stay zeros.
void orthogonalise(std::span<float> matrix, int rows, int columns);

}  // namespace koridor
