// Rating files of a run: a table that can be printed, or one line of UserError that names the file.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/fuzz/fuzz_tools.h"
#include "train/run/config.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  static const RunDirectory run("/dev/shm/koridor-fuzz-" + std::to_string(::getpid()) + "-run");
  static const Config config = parse_config("[run]\ngame = \"quoridor:3x3,walls=1\"\n", "fuzz");
  std::filesystem::create_directories(run.model(0).parent_path());
  std::filesystem::create_directories(run.rating(0).parent_path());
  std::ofstream(run.model(0)) << "";
  std::ofstream(run.rating(0), std::ios::binary) << std::string_view(reinterpret_cast<const char*>(data), size);
  try {
    fuzz::require(!Ratings(run, config).table_text().empty());
  } catch (const UserError& error) {
    fuzz::require(*error.what() != '\0');
  }
  std::filesystem::remove_all(run.root());
  return 0;
}
