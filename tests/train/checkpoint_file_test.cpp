// The checkpoint as LibTorch reads it, which is also how `torch.load` in Python reads it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "tests/temporary_folder.h"
#include "train/learner/checkpoint.h"
#include "train/learner/torch_compat.h"

namespace koridor {
namespace {

TEST(CheckpointFile, IsOneOfLibTorchsOwn) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "checkpoint.pt";
  Checkpoint checkpoint;
  checkpoint.learner.weights.parameters = {1.0f, 2.5f};
  save_checkpoint(path, checkpoint);
  const std::string bytes = read_file(path);
  const c10::IValue value = torch::pickle_load(std::vector<char>(bytes.begin(), bytes.end()));
  const auto dictionary = value.toGenericDict();
  EXPECT_EQ(dictionary.at("parameters").toTensor()[1].item<float>(), 2.5f);
  EXPECT_EQ(dictionary.at("meta").toTensor().scalar_type(), torch::kUInt8);
}

}  // namespace
}  // namespace koridor
