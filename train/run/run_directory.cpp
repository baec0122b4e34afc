#include "train/run/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/signs_of_life.h"

namespace koridor {

std::filesystem::path RunDirectory::shards(int generation, int game) const {
  const std::filesystem::path first = root_ / "shards" / label(generation);
  return game == 0 ? first : first / fmt::format("game-{}", game);
}

std::filesystem::path RunDirectory::joined_slots(const std::string& host, std::string device, int threads,
                                                 int game) const {
  std::ranges::replace(device, ':', '-');  // some file systems have no colon in a name
  return status(fmt::format("slots-{}-{}-{}-{}", host, device, threads, game));
}

std::vector<std::filesystem::path> RunDirectory::all_joined_slots(int game) const {
  std::vector<std::filesystem::path> found;
  const std::string end = fmt::format("-{}.json", game);
  for (const std::string& name : names_in(root_ / "status")) {
    // The run's own files have no host and no threads: "slots-1.json".
    const std::filesystem::path file = root_ / "status" / name;
    if (name.starts_with("slots-") && name.ends_with(end) && file != slots(game)) found.push_back(file);
  }
  return found;
}

bool RunDirectory::is_there() const {
  std::error_code error;
  return std::filesystem::exists(config(), error);
}

void RunDirectory::require_there() const {
  if (is_there()) return;
  throw UserError(
      fmt::format("the run directory {} has vanished: {} is not there; once it is back, the same command "
                  "goes on",
                  root_.string(), config().filename().string()));
}

void RunDirectory::remove_stale_temporaries() const {
  namespace fs = std::filesystem;
  koridor::remove_stale_temporaries(root_);
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path() == root_ / "shards") {
      entry.disable_recursion_pending();
    } else if (std::error_code ignored; entry->is_directory(ignored)) {
      koridor::remove_stale_temporaries(entry->path());
    }
  }
  const auto remove_ended = [](const fs::path& file, const nlohmann::json& sign) {
    std::error_code ignored;
    if (state_of(sign) == "ended" || has_ended(writer_of(sign))) fs::remove(file, ignored);
    return true;
  };
  for (const fs::path& signs : {workers(), trainers()}) for_each_sign(signs, names_in(signs), remove_ended);
}

int RunDirectory::models() const {
  int models = 0;
  while (std::filesystem::exists(model(models))) ++models;
  return models;
}

std::optional<std::filesystem::path> RunDirectory::newest_model() const {
  const int count = models();
  return count > 0 ? std::optional(model(count - 1)) : std::nullopt;
}

std::optional<int> RunDirectory::missing_model() const {
  // The folder is listed first: the trainer, which may be at work, makes the models in their order.
  std::set<int> there;
  constexpr std::string_view kEnding = ".koridor";
  for (const std::string& name : names_in(root_ / "models")) {
    if (!name.ends_with(kEnding)) continue;
    const std::string_view stem = std::string_view(name).substr(0, name.size() - kEnding.size());
    if (const auto generation = generation_of(stem)) there.insert(*generation);
  }
  if (there.empty()) return std::nullopt;
  for (int generation = 0; generation < *there.rbegin(); ++generation) {
    // A listing may miss one that was being renamed.
    if (!there.contains(generation) && !std::filesystem::exists(model(generation))) return generation;
  }
  return std::nullopt;
}

std::string RunDirectory::label(int generation) {
  return fmt::format("gen-{:04}", generation);
}

std::optional<int> RunDirectory::generation_of(std::string_view text) {
  constexpr std::string_view kStart = "gen-";
  if (!text.starts_with(kStart)) return std::nullopt;
  int generation = -1;
  std::from_chars(text.data() + kStart.size(), text.data() + text.size(), generation);
  return generation >= 0 && label(generation) == text ? std::optional(generation) : std::nullopt;
}

}  // namespace koridor
