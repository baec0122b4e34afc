#include "core/base/number_text.h"

#include <fmt/format.h>

namespace koridor {

std::string short_count(double number) {
  if (number >= 999.5e6) return fmt::format("{:.3g}G", number / 1e9);
  if (number >= 999'500) return fmt::format("{:.3g}M", number / 1e6);
  if (number >= 9'995) return fmt::format("{:.3g}k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string clock_text(double seconds) {
  const long total = static_cast<long>(seconds + 0.5);
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace koridor
