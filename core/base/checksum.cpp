#include "core/base/checksum.h"

#include <fmt/format.h>

#include "core/base/files.h"

namespace koridor {

std::string file_hash(const std::filesystem::path& path, std::string_view text) {
  return fmt::format("{:016x}", Checksum(text.size()).add(text).add(read_file(path)).value());
}

}  // namespace koridor
