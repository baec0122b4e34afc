// The page as a folder of static files for any host: the page, the engine as WebAssembly, models as compact files, and
// page.json, which names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace koridor::serve {

struct WrittenFile {
  std::string name;  // "models/m0.koridor"
  std::uintmax_t bytes;
  std::string about{};  // of a model: its name, game and precision
};

// Writes the page with the models of these files. A folder that an earlier call has written is brought up to date.
// Throws UserError for a file that is no model, and for a folder that holds anything else, unless `force` is set;
// nothing is written then.
std::vector<WrittenFile> write_page(const std::filesystem::path& folder, const std::vector<std::string>& models,
                                    bool force);

}  // namespace koridor::serve
