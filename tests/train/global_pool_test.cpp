#include "train/learner/global_pool.h"

#include <gtest/gtest.h>

namespace koridor {
namespace {

// The same from LibTorch's own operations.
torch::Tensor reference(const torch::Tensor& x) {
  return at::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
}

// Values and gradients of both, for an input without equal values (equal maxima would share amax's gradient).
void expect_equal(at::ScalarType type, at::MemoryFormat format, double tolerance) {
  torch::manual_seed(1);
  // Each channel a permutation of 0..19 over its 20 squares, which bf16 holds exactly.
  const torch::Tensor input =
      at::rand({30, 20}).argsort(std::int64_t{1}).reshape({3, 10, 4, 5}).sub(8).div(4.0).to(type).contiguous(format);
  const torch::Tensor weight = torch::randn({3, 20});
  const torch::Tensor a = input.detach().clone().set_requires_grad(true);
  const torch::Tensor b = input.detach().to(torch::kFloat).set_requires_grad(true);
  const torch::Tensor pooled = global_pool(a);
  const torch::Tensor wanted = reference(b);
  EXPECT_EQ(pooled.scalar_type(), type);
  EXPECT_TRUE(at::allclose(pooled.to(torch::kFloat), wanted, tolerance, tolerance));
  (pooled.to(torch::kFloat) * weight).sum().backward();
  (wanted * weight).sum().backward();
  EXPECT_TRUE(at::allclose(a.grad().to(torch::kFloat), b.grad(), tolerance, tolerance));
}

TEST(GlobalPool, EqualsLibTorchsOperations) {
  expect_equal(torch::kFloat, at::MemoryFormat::ChannelsLast, 1e-5);
  expect_equal(torch::kFloat, at::MemoryFormat::Contiguous, 1e-5);
  expect_equal(torch::kBFloat16, at::MemoryFormat::ChannelsLast, 2e-2);
}

TEST(GlobalPool, OneOfEqualMaximaTakesTheGradient) {
  const torch::Tensor x = torch::zeros({1, 1, 3, 3}).set_requires_grad(true);
  global_pool(x).select(1, 1).sum().backward();
  EXPECT_EQ(x.grad().sum().item<float>(), 1.0f);
  EXPECT_EQ(x.grad().max().item<float>(), 1.0f);
}

}  // namespace
}  // namespace koridor
