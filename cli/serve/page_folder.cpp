#include "cli/serve/page_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "cli/serve/shelf.h"
#include "cli/serve/site.h"
#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/version.h"
#include "models/network/compact_model.h"

namespace koridor::serve {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kList = "page.json";
constexpr std::uintmax_t kLargestList = 1 << 20;

std::string model_file(std::size_t number) {
  return fmt::format("models/m{}.koridor", number);
}

// What page.json of the folder says; null where there is none of ours.
json read_list(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kList)) return {};
  json list = json::parse(read_file(folder / kList, kLargestList), nullptr, false);
  const bool ours =
      list.is_object() && list.contains("koridor") && list.contains("models") && list["models"].is_array();
  return ours ? std::move(list) : json();
}

// Of the page's own files. Addresses end with it, so that no browser takes a file that it keeps of another version.
std::string page_stamp() {
  Checksum hash(0);
  for (const SiteFile& file : page_files()) hash.add(file.content);
  return fmt::format("{:016x}", hash.value());
}

// The first file of the page, with addresses that end with the stamp.
std::string stamped_index(std::string_view index, const std::string& stamp) {
  std::string text(index);
  for (const std::string_view name : {"app.js\"", "app.css\"", "icon.svg\""}) {
    const std::size_t at = text.find(name);
    if (at != std::string::npos) text.insert(at + name.size() - 1, "?" + stamp);
  }
  return text;
}

Model load_for_page(const std::string& path) {
  if (fs::is_directory(path)) {
    throw UserError(path + ": a page takes model files; those of a run are in its folder models");
  }
  return load_model(path);
}

}  // namespace

std::vector<WrittenFile> write_page(const fs::path& folder, const std::vector<std::string>& models, bool force) {
  if (folder.empty()) throw UserError("--out: the name of the folder is empty");
  if (fs::exists(folder) && !fs::is_directory(folder)) throw UserError(folder.string() + ": this is no folder");
  const json before = fs::exists(folder) ? read_list(folder) : json();
  if (!force && before.is_null() && fs::exists(folder) && !fs::is_empty(folder)) {
    throw UserError(folder.string() +
                    ": this folder holds files that koridor page has not written; name a new one, or add --force");
  }
  std::vector<Model> loaded;
  for (const std::string& path : models) loaded.push_back(load_for_page(path));
  const std::vector<std::string> names = names_of_files(models);

  const std::string stamp = page_stamp();
  json list{{"koridor", this_build().version}, {"stamp", stamp}, {"models", json::array()}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    list["models"].push_back({{"name", names[i]}, {"file", model_file(i)}});
  }
  const auto write_list = [&] { write_file_atomically(folder / kList, json_text(list, 1) + "\n"); };
  // In a new folder a list comes first, so that one that was left half written is known as ours. Else the one that is
  // there stays until all that the new one names is there, too.
  if (before.is_null()) write_list();
  const std::size_t old_models = before.is_null() ? 0 : before["models"].size();
  for (std::size_t i = models.size(); i < old_models; ++i) fs::remove(folder / model_file(i));

  std::vector<WrittenFile> written;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const fs::path file = folder / model_file(i);
    save_compact_model(file.string(), loaded[i]);
    list["models"][i]["file"] = model_file(i) + "?" + file_hash(file);
    written.push_back(
        {.name = model_file(i),
         .bytes = fs::file_size(file),
         .about = fmt::format("{}: {}, {}", names[i], loaded[i].info.game,
                              loaded[i].calibration.empty() ? "f32, as it was never calibrated" : "int8")});
  }
  const auto write = [&](const SiteFile& file, std::string_view content) {
    const std::string name(file.path.substr(1));
    write_file_atomically(folder / name, content);
    written.push_back({.name = name, .bytes = content.size()});
  };
  for (const SiteFile& file : std::span(page_files()).subspan(1)) write(file, file.content);
  write_list();
  write(page_files().front(), stamped_index(page_files().front().content, stamp));
  written.insert(written.begin(), {.name = kList, .bytes = fs::file_size(folder / kList)});
  return written;
}

}  // namespace koridor::serve
