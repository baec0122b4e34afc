// What the program says to people beside its results (core/base/notice.h), for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/notice.h"

namespace koridor::test {

// Hears the notices for as long as it lives; nothing else may come on stderr.
class Notices {
 public:
  Notices() {
    lines_.clear();
    testing::internal::CaptureStderr();
    read_notices([](std::string_view line) { lines_.emplace_back(line); });
  }
  ~Notices() {
    read_notices(nullptr);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  static inline std::vector<std::string> lines_;
};

}  // namespace koridor::test
