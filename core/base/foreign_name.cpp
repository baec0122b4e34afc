#include "core/base/foreign_name.h"

#include <fmt/format.h>

#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor {
namespace {

// Whether it is `is_own`, or a temporary file of what is: NAME.WRITER.tmp, in which the writer may have points.
bool is_own_or_temporary(std::string_view name, const std::function<bool(std::string_view)>& is_own) {
  if (is_own(name)) return true;
  if (!name.ends_with(".tmp")) return false;
  for (std::size_t end = name.find('.'); end != std::string_view::npos; end = name.find('.', end + 1)) {
    if (is_own(name.substr(0, end))) return true;
  }
  return false;
}

}  // namespace

std::string foreign_name(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& is_own) {
  std::string first;
  std::error_code error;
  for (const std::string& name : names_in(folder, error)) {
    if (name.starts_with('.') || name == "lost+found" || is_own_or_temporary(name, is_own)) continue;
    if (first.empty()) first = name;
  }
  return error ? std::string() : first;
}

void refuse_foreign_files(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& is_own,
                          std::string_view what) {
  const std::string name = foreign_name(folder, is_own);
  if (name.empty()) return;
  throw UserError(fmt::format("{}: this folder holds other files than those of {}, as {}; name a new one",
                              folder.string(), what, name));
}

}  // namespace koridor
