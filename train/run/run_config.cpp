#include "train/run/run_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/sealed_text.h"

namespace koridor {

void save_run_config(const RunDirectory& run, const Config& config) {
  write_file_atomically(run.config(), seal_lines(to_toml(config)));
}

namespace {

// The runs among the entries of a folder, in rising order, those of a comparison's recipes too; none where it cannot be
// read.
std::vector<std::string> runs_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> runs;
  for (const std::string& name : names_in(folder, error)) {
    if (RunDirectory(folder / name).is_there()) {
      runs.push_back((folder / name).string());
      continue;
    }
    std::error_code of_entry;
    for (const std::string& seed : names_in(folder / name, of_entry)) {
      const std::filesystem::path entry = folder / name / seed;
      if (seed.starts_with("seed-") && RunDirectory(entry).is_there()) runs.push_back(entry.string());
    }
  }
  return runs;
}

}  // namespace

void check_is_run(const RunDirectory& run) {
  if (run.is_there()) return;
  // Of a folder that may not be read nobody knows what it has.
  std::error_code error;
  const bool unknown = std::filesystem::status(run.config(), error).type() == std::filesystem::file_type::none;
  if (unknown) throw UserError(fmt::format("{}: {}", run.root().string(), error.message()));
  const std::string what = fmt::format("{}: no run directory: ", run.root().string());
  if (!std::filesystem::exists(run.root(), error)) {
    const RunDirectory usual("runs" / run.root());
    const bool meant = run.root().is_relative() && usual.is_there();
    throw UserError(what + "there is no such folder" +
                    (meant ? fmt::format("; did you mean {}?", usual.root().string()) : ""));
  }
  constexpr std::size_t kMost = 10;
  std::vector<std::string> runs = runs_in(run.root());
  if (runs.empty()) throw UserError(what + "it has no config.toml");
  if (runs.size() > kMost) {
    runs.resize(kMost);
    runs.push_back("...");
  }
  throw UserError(fmt::format("{}it holds runs: {}", what, fmt::join(runs, ", ")));
}

void require_goes_on(const RunDirectory& run, const Config& kept, const Config& given) {
  const std::string difference = first_frozen_difference(kept, given);
  if (difference.empty()) return;
  throw UserError(fmt::format("the run directory {} belongs to another configuration: {}; give another --run",
                              run.root().string(), difference));
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
