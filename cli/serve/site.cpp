#include "cli/serve/site.h"

#include <algorithm>

namespace koridor::serve {

const SiteFile* find_site_file(std::string_view path) {
  if (path == "/") return &site_files().front();
  const auto found = std::ranges::find(site_files(), path, &SiteFile::path);
  return found == site_files().end() ? nullptr : &*found;
}

}  // namespace koridor::serve
