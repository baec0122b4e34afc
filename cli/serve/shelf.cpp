#include "cli/serve/shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/error.h"

namespace koridor::serve {
namespace {

constexpr std::size_t kMostLoaded = 6;

// The number at the beginning of the text, which is cut off; at most 5 digits.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min<std::size_t>(text.size(), 5), number);
  if (error != std::errc() || number < 0 || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

struct ModelId {
  std::optional<int> file{};
  int run = 0;
  int generation = 0;
};

std::optional<ModelId> parse_id(std::string_view id) {
  if (id.size() < 2) return std::nullopt;
  const char kind = id.front();
  id.remove_prefix(1);
  const auto number = take_number(id);
  if (!number) return std::nullopt;
  if (kind == 'm' && id.empty()) return ModelId{.file = *number};
  if (kind != 'r' || id.size() < 2 || id.front() != 'g') return std::nullopt;
  id.remove_prefix(1);
  const auto generation = take_number(id);
  if (!generation || !id.empty()) return std::nullopt;
  return ModelId{.run = *number, .generation = *generation};
}

}  // namespace

std::vector<std::string> names_of_files(const std::vector<std::string>& files) {
  std::vector<std::string> stems;
  for (const std::string& file : files) stems.push_back(std::filesystem::path(file).stem().string());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    names.push_back(std::ranges::count(stems, stems[i]) == 1 ? stems[i] : files[i]);
  }
  return names;
}

Shelf::Shelf(std::vector<std::string> files, std::vector<LabelledRun> runs)
    : files_(std::move(files)), names_(names_of_files(files_)), runs_(std::move(runs)) {
  for (std::size_t i = 0; i < files_.size(); ++i) infos_.push_back(load(fmt::format("m{}", i))->info);
}

std::vector<ModelEntry> Shelf::entries() {
  std::vector<ModelEntry> entries;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string id = fmt::format("m{}", i);
    entries.push_back({.id = id, .name = name(id), .info = infos_[i]});
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const int models = runs_[i].directory.models();
    if (models == 0) continue;
    const std::string id = fmt::format("r{}g{}", i, models - 1);
    try {
      entries.push_back({.id = id, .name = name(id), .info = load(id)->info});
    } catch (const UserError&) {
      // A damaged model is the run's affair, which says so itself.
    }
  }
  return entries;
}

std::string Shelf::path(const std::string& id) const {
  const auto parsed = parse_id(id);
  if (parsed && parsed->file && *parsed->file < static_cast<int>(files_.size())) {
    return files_[static_cast<std::size_t>(*parsed->file)];
  }
  if (parsed && !parsed->file && parsed->run < static_cast<int>(runs_.size())) {
    const RunDirectory& run = runs_[static_cast<std::size_t>(parsed->run)].directory;
    if (std::filesystem::exists(run.model(parsed->generation))) return run.model(parsed->generation).string();
  }
  throw UserError("there is no model of this id here; /api/info lists them");
}

std::string Shelf::name(const std::string& id) const {
  const std::filesystem::path file(path(id));
  const auto parsed = parse_id(id);
  if (parsed->file) return names_[static_cast<std::size_t>(*parsed->file)];
  return fmt::format("{} {}", runs_[static_cast<std::size_t>(parsed->run)].label, file.stem().string());
}

std::shared_ptr<const Model> Shelf::load(const std::string& id) {
  const std::string file = path(id);
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(loaded_, id, &decltype(loaded_)::value_type::first);
  if (found == loaded_.end()) {
    loaded_.emplace_front(id, std::make_shared<const Model>(load_model(file)));
    found = loaded_.begin();
  }
  loaded_.splice(loaded_.begin(), loaded_, found);
  if (loaded_.size() > kMostLoaded) loaded_.pop_back();
  return loaded_.front().second;
}

}  // namespace koridor::serve
