// The calibration in a model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/models/model_file_fixture.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ModelFile, KeepsTheCalibration) {
  const Model model = test::calibrated(small_model(), test::board(5, 5));
  save_model(path_, model);
  const Model loaded = load_model(path_);
  EXPECT_FALSE(loaded.calibration.empty());
  EXPECT_EQ(loaded.calibration, model.calibration);
  EXPECT_EQ(loaded.tensors, model.tensors);
}

TEST_F(ModelFile, RefusesACalibrationThatDoesNotFit) {
  const auto refused = [&](const auto& change) {
    Model model = test::calibrated(small_model(), test::board(5, 5));
    change(model.calibration);
    return error_of([&] { save_model(path_, model); });
  };
  EXPECT_THAT(refused([](Calibration& of) { of.ranges.pop_back(); }), HasSubstr("the sizes of its calibration"));
  EXPECT_THAT(refused([](Calibration& of) { of.planes.pop_back(); }), HasSubstr("the sizes of its calibration"));
  EXPECT_THAT(refused([](Calibration& of) { of.scalars.pop_back(); }), HasSubstr("the sizes of its calibration"));
  EXPECT_THAT(refused([](Calibration& of) { of.rows = 0; }), HasSubstr("the sizes of its calibration"));
  EXPECT_THAT(refused([](Calibration& of) { of.ranges[1] = -1.0f; }),
              HasSubstr("is -1, which is no number from 1e-15"));
  EXPECT_THAT(refused([](Calibration& of) { of.ranges[1] = 1e-44f; }), HasSubstr("which is no number from 1e-15"));
  EXPECT_THAT(refused([](Calibration& of) { of.scalars[0] = INFINITY; }), HasSubstr("not a finite number"));
}

TEST_F(ModelFile, RefusesACalibrationWithoutItsPositions) {
  const auto with = [&](const char* name, const std::vector<int>& shape) {
    return refusal(rewritten([&](nlohmann::json& header) {
      header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, 0}}};
    }));
  };
  EXPECT_THAT(with("calibration.ranges", {5}),
              HasSubstr("tensor calibration.planes has no shape [positions, 11, rows"));
  EXPECT_THAT(with("calibration.planes", {1, 11, 5, 5}),
              HasSubstr("tensor calibration.planes is none of this network's"));
}

// A small file must not ask for much work: every position of the calibration is evaluated as the model is loaded.
TEST_F(ModelFile, RefusesACalibrationOnHugeBoards) {
  const auto with = [&](const std::vector<int>& shape) {
    return refusal(rewritten([&](nlohmann::json& header) {
      header["calibration.ranges"] = {{"dtype", "F32"}, {"shape", {5}}, {"data_offsets", {0, 0}}};
      header["calibration.planes"] = {{"dtype", "U8"}, {"shape", shape}, {"data_offsets", {0, 0}}};
    }));
  };
  const std::string most = "expected at most 32 on 19x19";
  EXPECT_THAT(with({1, 11, 1024, 1024}), AllOf(HasSubstr("1 positions on 1024x1024"), HasSubstr(most)));
  EXPECT_THAT(with({33, 11, 5, 5}), HasSubstr(most));
  EXPECT_THAT(with({32, 11, 19, 19}), Not(HasSubstr(most)));
}

}  // namespace
}  // namespace koridor
