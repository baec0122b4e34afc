// koridor export: ONNX files computed by Debian's python3-onnx and numpy (tests/models/onnx_reference.py), TorchScript,
// test vectors; and what the command refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/random_positions.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/learned_rules.h"
#include "models/network/model_file.h"
#include "tests/cli/command.h"

namespace koridor {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kTolerance = 1e-4;

// A random model of the game with biases and, where it is asked for, heads that only train; calibrated on random
// positions. Every second block pools.
std::string write_model(const std::string& name, const test::TemporaryFolder& folder, bool calibrated = true,
                        const std::vector<Head>& more = {}) {
  ModelInfo info;
  info.network = {
      .blocks = 3, .channels = 16, .pool_every = 2, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  const std::string path = (folder / "model.koridor").string();
  std::visit(
      [&](const auto& game) {
        const EncodingShape shape = game.encoding(info.features);
        info.game = game.name();
        info.family = game.family();
        info.encoding_version = shape.version;
        info.signature = signature(shape);
        info.signature.heads.insert(info.signature.heads.end(), more.begin(), more.end());
        Model model = random_model(info, 7);
        for (auto& [tensor, values] : model.tensors) {
          if (!tensor.ends_with(".bias")) continue;
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.05f * static_cast<float>(i % 5) - 0.1f;
        }
        if (calibrated) {
          const EncodedPositions positions = random_positions(game, info.features, 64, 3);
          calibrate_for_backends(model, shape, {positions.size, positions.planes, positions.scalars});
        }
        save_model(path, model);
      },
      parse_game(name));
  return path;
}

// `koridor export`, which must succeed.
void export_model(const std::string& arguments) {
  const test::CommandResult result = test::koridor("export " + arguments);
  ASSERT_EQ(result.status, 0) << arguments << "\n" << result.output;
}

json reference(const std::string& onnx, const std::string& vectors, const std::string& output = "") {
  const test::CommandResult result =
      test::run(std::string(KORIDOR_PYTHON) + " " + shell_word(KORIDOR_SOURCES "/tests/models/onnx_reference.py") +
                " " + onnx + " " + vectors + " " + output);
  EXPECT_EQ(result.status, 0) << result.output;
  return result.status == 0 ? json::parse(result.output) : json();
}

bool has_reference() {
  return test::run(std::string(KORIDOR_PYTHON) + " -c 'import numpy, onnx'").status == 0;
}

class OnnxFile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_reference()) GTEST_SKIP() << "there is no python3-onnx: scripts/setup installs it";
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  test::TemporaryFolder folder_;
};

TEST_P(OnnxFile, ComputesWhatOurEvaluatorDoes) {
  const std::string model = write_model(GetParam(), folder_);
  export_model(model + " --format vectors --positions 40 --out " + path("v"));
  export_model(model + " --format onnx --out " + path("dynamic.onnx"));
  export_model(model + " --format onnx --board fixed --batch 40 --out " + path("fixed.onnx"));
  export_model(model + " --format onnx --precision int8 --out " + path("int8.onnx"));
  for (const char* file : {"dynamic.onnx", "fixed.onnx"}) {
    const json result = reference(path(file), path("v"));
    ASSERT_EQ(result["positions"], 40);
    EXPECT_LT(result["policy"], kTolerance) << file;
    EXPECT_LT(result["value"], kTolerance) << file;
    EXPECT_LT(result["auxiliary"], kTolerance) << file;
  }
  const json int8 = reference(path("int8.onnx"), path("v"));
  EXPECT_GT(int8["value"], 0.0) << "it is not in int8";
  EXPECT_LT(int8["value"], 0.05);
  EXPECT_LT(int8["policy"], 0.3);
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, OnnxFile,
                         testing::Values("quoridor:5x5,walls=3", "quoridor4:5x5,walls=2", "blockade:7x8", "go:5x5"));

using OnnxContent = OnnxFile;
INSTANTIATE_TEST_SUITE_P(Go, OnnxContent, testing::Values("go:5x4"));

TEST_P(OnnxContent, SaysWhatAFrontEndHasToKnow) {
  const std::string model = write_model(GetParam(), folder_);
  export_model(model + " --format vectors --positions 2 --out " + path("v"));
  export_model(model + " --format onnx --board fixed --out " + path("m.onnx"));
  const json metadata = reference(path("m.onnx"), path("v"))["metadata"];
  EXPECT_EQ(metadata["format"], "koridor-onnx-1");
  EXPECT_EQ(metadata["game"], "go:5x4");
  EXPECT_EQ(metadata["board"], "5x4");
  EXPECT_EQ(metadata["precision"], "f32");
  EXPECT_EQ(json::parse(metadata["planes"].get<std::string>())[6], "ko");
  EXPECT_EQ(json::parse(metadata["scalars"].get<std::string>()).size(), 15u);
  EXPECT_EQ(json::parse(metadata["rules"].get<std::string>())["columns"], "5");
  EXPECT_THAT(metadata["action_order"].get<std::string>(), HasSubstr("20: pass"));
  EXPECT_EQ(metadata["model_checksum"], load_model(model).info.checksum);
}

// The vectors are of a network that was taught both rules and has the folded weights, so that they show it the scalars
// of the position as they are.
TEST_P(OnnxContent, TakesNoNoticeOfRulesThatItNeverMet) {
  const std::string path_of_model = write_model(GetParam(), folder_);
  export_model(path_of_model + " --format onnx --out " + path("m.onnx"));
  Model folded = load_model(path_of_model);
  fold_learned_rules(folded);
  folded.info.games = {GetParam(), GetParam() + ",chinese"};
  save_model(path("folded.koridor"), folded);
  export_model(path("folded.koridor") + " --format vectors --game " + GetParam() + ",chinese --positions 20 --out " +
               path("v"));
  const json result = reference(path("m.onnx"), path("v"));
  EXPECT_LT(result["policy"], kTolerance);
  EXPECT_LT(result["value"], kTolerance);
}

TEST_P(OnnxContent, HasTheHeadsThatOnlyTrainWhereTheyAreAskedFor) {
  const std::string model = write_model(GetParam(), folder_, true,
                                        {{"ownership", Extent::squares, Activation::sigmoid, 1},
                                         {"places", Extent::squares, Activation::softmax, 2},
                                         {"horizons", Extent::outcome, Activation::softmax, 3}});
  export_model(model + " --format vectors --positions 3 --out " + path("v"));
  export_model(model + " --format onnx --heads all --out " + path("all.onnx"));
  EXPECT_EQ(reference(path("all.onnx"), path("v"), "ownership")["shape"], json({3, 1, 4, 5}));
  const json places = reference(path("all.onnx"), path("v"), "places");
  EXPECT_EQ(places["shape"], json({3, 2, 20}));
  EXPECT_NEAR(places["sum"].get<double>(), 6.0, 1e-4);
  const json horizons = reference(path("all.onnx"), path("v"), "horizons");
  EXPECT_EQ(horizons["shape"], json({3, 3, 3}));
  EXPECT_NEAR(horizons["sum"].get<double>(), 9.0, 1e-4);
}

TEST(Export, TheSameModelGivesTheSameBytes) {
  const test::TemporaryFolder folder;
  const std::string model = write_model("quoridor:3x3,walls=1", folder);
  for (const char* format : {"onnx", "vectors", "koridor"}) {
    const std::string out = (folder / "out").string();
    export_model(model + " --format " + format + " --out " + out);
    const std::string first = read_file(out);
    export_model(model + " --format " + format + " --out " + out);
    EXPECT_EQ(read_file(out), first) << format;
  }
  EXPECT_EQ(read_file((folder / "out").string()), read_file(model));  // the last one
}

TEST(Export, ACompactModelIsSmallerAndIsReadAsAnyOther) {
  const test::TemporaryFolder folder;
  const std::string model = write_model("quoridor:5x5,walls=3", folder);
  export_model(model + " --format koridor --precision int8");  // beside the model
  const std::string compact = (folder / "model.int8.koridor").string();
  EXPECT_LT(std::filesystem::file_size(compact), std::filesystem::file_size(model) * 2 / 3);
  const Model exact = load_model(model);
  const Model rounded = load_model(compact);
  for (const auto& [name, values] : exact.tensors) {
    float largest = 0.0f, difference = 0.0f;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::abs(values[i]));
      difference = std::max(difference, std::abs(values[i] - rounded.tensors.at(name)[i]));
    }
    EXPECT_LE(difference, largest / 250.0f) << name;
  }
  EXPECT_EQ(rounded.calibration.planes, exact.calibration.planes);

  EXPECT_THAT(test::koridor("inspect " + compact).output, HasSubstr("compact: the weights of convolutions as bytes"));
  EXPECT_THAT(test::koridor("inspect " + model).output, Not(HasSubstr("compact")));
  const json card = json::parse(test::koridor("inspect --json " + compact).output)["models"][0];
  EXPECT_EQ(card["compact"], true);
  EXPECT_EQ(card["checksum"], rounded.info.checksum);
  EXPECT_EQ(test::koridor("evaluate " + compact + " --precision int8").status, 0);
  // A network that is not calibrated, as a page may want it too.
  export_model(write_model("quoridor:3x3,walls=1", folder, false) + " --format koridor --precision int8");
  EXPECT_EQ(load_model(compact).info.game, "quoridor:3x3,walls=1");
}

TEST(Export, RefusesWhatItCannotWrite) {
  const test::TemporaryFolder folder;
  const std::string model = write_model("quoridor:3x3,walls=1", folder, false);
  const std::string go_on = "export " + model + " --out " + (folder / "out").string() + " --format ";
  for (const char* format : {"onnx", "vectors"}) {
    test::expect_refused(go_on + format + " --precision int8",
                         "model.koridor: it has no calibration, which int8 needs");
  }
  test::expect_refused(go_on + "onnx --game go:5x5", "family");
  test::expect_refused(go_on + "onnx --batch 0", "0 is no batch");
  test::expect_refused(go_on + "onnx --seed 3", "--seed is not for --format onnx");
  test::expect_refused(go_on + "koridor --board fixed", "--board is not for --format koridor");
  test::expect_refused(go_on + "torchscript --precision int8", "it is for onnx, koridor and vectors\n");
  Model far = load_model(write_model("quoridor:3x3,walls=1", folder, true));
  for (float& range : far.calibration.ranges) range *= 0.001f;
  const std::string path = (folder / "far.koridor").string();
  save_model(path, far);
  for (const std::string format : {"onnx", "vectors"}) {
    const std::string out = (folder / ("far." + format)).string();
    test::expect_refused("export " + path + " --format " + format + " --precision int8 --out " + out,
                         "far.koridor: its int8 is too far from f32");
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  test::expect_refused(go_on + "pickle", "--format");
  test::expect_refused("export " + (folder / "none").string() + " --format onnx", "none");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  test::expect_refused("export " + model + " --format koridor --precision f32 --out " + model,
                       "which is read and would be lost; name another file");
}

#ifdef KORIDOR_HAS_TRAINER
TEST(Export, TorchScriptIsComputedByLibTorchAsByUs) {
  const test::TemporaryFolder folder;
  const std::string model = write_model("quoridor4:5x5,walls=2", folder);
  const std::string out = (folder / "model.pt").string();
  const test::CommandResult result = test::koridor("export " + model + " --format torchscript --out " + out);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("loaded again"), HasSubstr("on 256 positions")));
  EXPECT_EQ(read_file(out).substr(0, 2), "PK");  // TorchScript files are ZIP archives
  const std::filesystem::directory_iterator files(std::filesystem::path(out).parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "only the model and its export are there";
  test::expect_refused("export " + model + " --format torchscript --precision int8", "--precision is not for");
}
#endif

}  // namespace
}  // namespace koridor
