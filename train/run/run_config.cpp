#include "train/run/run_config.h"

#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/sealed_text.h"

namespace koridor {

void save_run_config(const RunDirectory& run, const Config& config) {
  write_file_atomically(run.config(), seal_lines(to_toml(config)));
}

void check_is_run(const RunDirectory& run) {
  if (run.is_there()) return;
  // Of a folder that may not be read nobody knows what it has.
  std::error_code error;
  const bool unknown = std::filesystem::status(run.config(), error).type() == std::filesystem::file_type::none;
  throw UserError(run.root().string() +
                  (unknown ? ": " + error.message() : ": no run directory: it has no config.toml"));
}

Config load_run_config(const RunDirectory& run) {
  const std::string path = run.config().string();
  check_is_run(run);
  const std::string text = read_file(path);
  if (!unseal_lines(text, path).sealed) {
    for (const char* section : {"[run]", "[network]", "[search]", "[selfplay]", "[training]", "[rating]"}) {
      if (text.find(section) == std::string::npos || !text.starts_with("[run]\n") || !text.ends_with('\n')) {
        throw UserError(path + ": damaged: it is cut short or was not written by koridor");
      }
    }
  }
  return parse_config(text, path);
}

}  // namespace koridor
