// A folder for a measurement, removed with everything in it.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor::bench {

class TemporaryFolder {
 public:
  // Makes it below `parent`. Throws UserError where that fails.
  explicit TemporaryFolder(const std::filesystem::path& parent = temporary_folder()) : place_("bench", "", parent) {
    std::error_code error;
    std::filesystem::create_directories(path(), error);
    if (error) throw UserError(fmt::format("cannot make the folder {}: {}", path().string(), error.message()));
  }
  const std::filesystem::path& path() const { return place_.path(); }

 private:
  TemporaryPath place_;
};

}  // namespace koridor::bench
