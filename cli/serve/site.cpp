#include "cli/serve/site.h"

#include <algorithm>

namespace koridor::serve {
namespace {

constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kStaticIndex = "/page.html";  // written as index.html

std::vector<SiteFile> choose_served() {
  std::vector<SiteFile> files;
  for (const std::string_view path :
       {kIndex, std::string_view("/app.js"), std::string_view("/app.css"), std::string_view("/icon.svg")}) {
    files.push_back(*std::ranges::find(embedded_files(), path, &SiteFile::path));
  }
  return files;
}

std::vector<SiteFile> choose_static() {
  std::vector<SiteFile> files;
  for (const SiteFile& file : embedded_files()) {
    if (file.path == kIndex) continue;
    files.push_back(file);
    if (file.path == kStaticIndex) files.back().path = kIndex;
  }
  return files;
}

}  // namespace

const std::vector<SiteFile>& site_files() {
  static const std::vector<SiteFile> files = choose_served();
  return files;
}

const std::vector<SiteFile>& page_files() {
  static const std::vector<SiteFile> files = choose_static();
  return files;
}

const SiteFile* find_site_file(std::string_view path) {
  if (path == "/") return &site_files().front();
  const auto found = std::ranges::find(site_files(), path, &SiteFile::path);
  return found == site_files().end() ? nullptr : &*found;
}

}  // namespace koridor::serve
