// The files of the page, which are part of the executable (web/dist).
#pragma once

#include <span>
#include <string_view>

namespace koridor::serve {

struct SiteFile {
  std::string_view path;  // "/app.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view content;
};

// All files; the first is that of "/".
std::span<const SiteFile> site_files();

// The file of a request's path; null where there is none.
const SiteFile* find_site_file(std::string_view path);

}  // namespace koridor::serve
