#include "core/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "core/base/terminal.h"
#include "core/base/text.h"

namespace koridor {
namespace {

// Levenshtein's edit distance where two neighbours that have changed places are one step, a row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

const char* error_text(const std::exception& error) noexcept {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "there is no memory left" : error.what();
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  return nearest(word, choices, std::max<std::size_t>(3, word.size() / 2));
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices, std::size_t most) {
  const std::string lower = lower_case(word);
  std::string best;
  std::size_t best_distance = most + 1;
  for (const std::string& choice : choices) {
    // The distance is at least the difference of the lengths, so a word of a megabyte costs nothing.
    if (word.size() >= choice.size() + best_distance) continue;
    const std::size_t distance = edit_distance(lower, lower_case(choice));
    if (distance < best_distance && 2 * distance <= std::max(word.size(), choice.size())) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

std::string unknown_word(std::string_view kind, std::string_view word, const std::vector<std::string>& choices) {
  constexpr std::size_t kMost = 100;  // bytes of the word that are repeated
  const std::string near = nearest(word, choices);
  return fmt::format("unknown {} '{}'; {}the {}s are {}", kind, printable(shortened(word, kMost)),
                     near.empty() ? "" : fmt::format("did you mean '{}'? ", near), kind, fmt::join(choices, ", "));
}

}  // namespace koridor
