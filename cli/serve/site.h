// The files of the page, which are part of the executable (web/dist, web/engine).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace koridor::serve {

struct SiteFile {
  std::string_view path;  // "/app.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view content;
};

// All that the executable has (embed_site.cmake).
std::span<const SiteFile> embedded_files();

// What `koridor serve` sends; the first is that of "/".
const std::vector<SiteFile>& site_files();
// What `koridor page` writes: the same page with another beginning, the worker and the engine.
const std::vector<SiteFile>& page_files();

// The served file of a request's path; null where there is none.
const SiteFile* find_site_file(std::string_view path);

}  // namespace koridor::serve
