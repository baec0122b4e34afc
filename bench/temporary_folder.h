// A folder for a measurement, removed with everything in it.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor::bench {

class TemporaryFolder {
 public:
  // Makes it below `parent`. Throws UserError where that fails.
  explicit TemporaryFolder(const std::filesystem::path& parent = temporary_folder())
      : path_(parent / fmt::format("koridor-bench-{}", ::getpid())) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) throw UserError(fmt::format("cannot make the folder {}: {}", path_.string(), error.message()));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace koridor::bench
