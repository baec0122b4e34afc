// Configurations: TOML and, behind a byte 0, settings as of --set, one per line. Either one line of UserError, or a
// configuration that is the same when written and read again.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "tests/fuzz/fuzz_tools.h"
#include "train/run/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  const std::string toml(text.substr(0, end));
  std::vector<std::string> settings;
  if (end != std::string_view::npos) {
    std::istringstream lines{std::string(text.substr(end + 1))};
    for (std::string line; std::getline(lines, line);) settings.push_back(line);
  }
  std::string written;
  try {
    const Config config = parse_config(toml, "fuzz", settings);
    fuzz::require(!config_summary(config).empty());
    written = to_toml(config);
    const Config again = parse_config(written, "written");
    fuzz::require(to_toml(again) == written);
    fuzz::require(config_hash(again) == config_hash(config));
    fuzz::require(first_frozen_difference(again, config).empty());
  } catch (const UserError& error) {
    fuzz::require(*error.what() != '\0');
    fuzz::require(written.empty());  // what was read can be written and read
  }
  return 0;
}
