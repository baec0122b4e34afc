// The backend torch as a module: loaded or not in one clear line, the same numbers as the reference, one device for
// many threads. On the CPU; what needs a GPU runs where LibTorch finds one.
#include "models/torch/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/cpu_features.h"
#include "models/server/evaluation_server.h"
#include "tests/error_of.h"
#include "tests/models/network_fixture.h"
#include "tests/text_of.h"

namespace koridor {
namespace {

using test::board;
using test::largest_difference;
using test::model_for;
using test::Positions;
using testing::HasSubstr;

const EncodingShape kShape = board(9, 9, 17);
const NetworkConfig kNetwork{3, 32, 2, 16, 16, 32};

// The module is not beside the tests.
[[maybe_unused]] const int kModuleIsNamed = ::setenv("KORIDOR_TORCH_MODULE", KORIDOR_TORCH_MODULE, 1);

bool torch_is_loaded() {
  return text_of("/proc/self/maps").find("libtorch") != std::string::npos;
}

// First in this file: once a module is loaded it stays.
TEST(TorchModule, IsNamedWhereItIsMissingOrNoModule) {
  const auto load = [] { torch_devices(parse_device("auto")); };
  ::setenv("KORIDOR_TORCH_MODULE", "/nowhere/koridor-torch.so", 1);
  EXPECT_THAT(line_of_error(load), HasSubstr("the backend torch needs /nowhere/koridor-torch.so, which is not there"));
  const auto path = std::filesystem::path(testing::TempDir()) / "no-module.so";
  std::ofstream(path) << "text\n";
  ::setenv("KORIDOR_TORCH_MODULE", path.c_str(), 1);
  EXPECT_THAT(line_of_error(load), HasSubstr("cannot load " + path.string()));
  std::filesystem::remove(path);
  ::setenv("KORIDOR_TORCH_MODULE", KORIDOR_OTHER_MODULE, 1);
  EXPECT_THAT(line_of_error(load),
              testing::AllOf(HasSubstr("was built from other sources"), HasSubstr("that: sources of another day")));
  EXPECT_FALSE(torch_is_loaded()) << "who does not ask for it starts without LibTorch";
  ::setenv("KORIDOR_TORCH_MODULE", KORIDOR_TORCH_MODULE, 1);
  EXPECT_EQ(line_of_error(load), "no error");
  EXPECT_TRUE(torch_is_loaded());
}

// Whole batches of threads are joined up to 1,024 rows, and each thread may have two under way.
TEST(TorchModule, SizesAGpusBatchesByTheRowsOfItsThreads) {
  struct Case {
    ThreadBatches batches;
    std::size_t gpus;
    int rows, places;
  };
  for (const auto& [batches, gpus, rows, places] :
       {Case{{.threads = 4, .rows = 32}, 1, 128, 4}, Case{{.threads = 5, .rows = 32}, 2, 96, 4},
        Case{{.threads = 16, .rows = 256}, 1, 1024, 10}, Case{{.threads = 16, .rows = 96}, 1, 960, 6},
        Case{{.threads = 2, .rows = 3000}, 1, 3000, 6}}) {
    const GpuBatches actual = gpu_batches(batches, gpus);
    EXPECT_EQ(actual.rows, rows) << batches.threads << " x " << batches.rows;
    EXPECT_EQ(actual.places, places) << batches.threads << " x " << batches.rows;
  }
}

TEST(TorchModule, KnowsTheDevicesThereAre) {
  EXPECT_EQ(torch_devices(parse_device("cpu")), std::vector<int>{kCpu});
  EXPECT_THAT(line_of_error([] { torch_devices(parse_device("gpu")); }),
              HasSubstr("the devices are auto, cpu, cuda, cuda:NUMBER"));
  EXPECT_THAT(line_of_error([] { torch_devices(parse_device("cuda:")); }), HasSubstr("unknown device 'cuda:'"));
  EXPECT_THAT(line_of_error([] { torch_devices(parse_device("cuda:1x")); }), HasSubstr("unknown device"));
  EXPECT_THAT(line_of_error([] { torch_devices(parse_device("cuda:99")); }),
              HasSubstr("device cuda:99: LibTorch finds "));
  const std::vector<int> found = torch_devices(parse_device("auto"));
  if (found.front() == kCpu) {
    EXPECT_THAT(line_of_error([] { torch_devices(parse_device("cuda")); }), HasSubstr("LibTorch finds no GPU here"));
  } else {
    EXPECT_EQ(torch_devices(parse_device("cuda")), found);
  }
}

TEST(Torch, AgreesWithTheReference) {
  const Model model = model_for(kShape, kNetwork);
  Positions expected(kShape, 40);
  expected.evaluate(*make_evaluator(model, kShape, {"eigen", "f32"}, 40, "test"));
  for (const char* device : {"cpu", "auto"}) {
    Positions actual(kShape, 40);
    actual.evaluate(*make_evaluator(model, kShape, {"torch", "f32", device}, 40, "test"));
    EXPECT_LT(largest_difference(expected.policy, actual.policy), 1e-4) << device;
    EXPECT_LT(largest_difference(expected.value, actual.value), 1e-4) << device;
    EXPECT_LT(largest_difference(expected.auxiliary, actual.auxiliary), 1e-4) << device;
  }
}

// Else the CPU would emulate them without a word, slower than f32.
TEST(Torch, Bf16OnACpuWithoutItIsRefused) {
  if (machine_has(CpuFeature::avx512_bf16)) GTEST_SKIP() << "this CPU has bf16";
  const Model model = model_for(kShape, kNetwork);
  EXPECT_EQ(line_of_error([&] {
              make_evaluator(model, kShape, {"torch", "bf16", "cpu"}, 1, "test");
            }),
            "this CPU has no bf16 instructions (avx512_bf16): use precision f32 or auto");
}

TEST(Torch, HalfPrecisionIsNear) {
  if (torch_devices(parse_device("auto")).front() == kCpu) GTEST_SKIP() << "no GPU";
  const Model model = model_for(kShape, kNetwork);
  Positions expected(kShape, 40), actual(kShape, 40);
  expected.evaluate(*make_evaluator(model, kShape, {"eigen", "f32"}, 40, "test"));
  actual.evaluate(*make_evaluator(model, kShape, {"torch", "auto", "cuda"}, 40, "test"));
  EXPECT_LT(largest_difference(expected.policy, actual.policy), 0.05);
  EXPECT_LT(largest_difference(expected.value, actual.value), 0.02);
}

// What self-play relies on: whatever batch a row comes in, its results are the same.
TEST(Torch, AGpusResultsDoNotDependOnTheBatch) {
  if (torch_devices(parse_device("auto")).front() == kCpu) GTEST_SKIP() << "no GPU";
  const Model model = model_for(kShape, kNetwork);
  const auto evaluator = make_evaluator(model, kShape, {"torch", "auto", "cuda"}, 256, "test");
  EXPECT_THAT(evaluator->describe(), testing::Not(HasSubstr("results vary")));
  Positions expected(kShape, 256);
  expected.evaluate(*evaluator);
  for (const int size : {1, 7, 32, 100, 128, 200}) {
    Positions actual(kShape, 256);
    for (int first = 0; first < 256; first += size) actual.evaluate(*evaluator, first, std::min(size, 256 - first));
    EXPECT_EQ(actual.policy, expected.policy) << size;
    EXPECT_EQ(actual.value, expected.value) << size;
  }
}

TEST(Torch, ThreadsGetTheSameResultsFromAFactory) {
  const auto model = std::make_shared<const Model>(model_for(kShape, kNetwork));
  const EvaluatorFactory factory =
      make_evaluator_factory(model, {"torch", "f32", "auto"}, "test", {.threads = 3, .rows = 8});
  const auto first = factory(kShape, 16);
  const auto second = factory(kShape, 16);
  EXPECT_EQ(first->describe(), second->describe());
  Positions a(kShape, 40), b(kShape, 40);
  a.evaluate(*first);
  b.evaluate(*second);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.value, b.value);
}

}  // namespace
}  // namespace koridor
