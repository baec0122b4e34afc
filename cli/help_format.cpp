#include "cli/help_format.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "core/base/text.h"

namespace koridor::cli {
namespace {

// Narrower than this a column of meanings has no room for words.
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMeanings = 30;  // columns before them
// By which CLI11 indents the options of a subcommand in the help of all.
constexpr std::size_t kExpandedIndent = 2;

// Where a line's last column begins: behind its first two spaces in a row that follow a word; else its first word.
std::size_t last_column(const std::string& line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  return gap == std::string::npos ? first : std::min(line.find_first_not_of(' ', gap), line.size());
}

// A name may have a list of words that is longer than a line; it goes on behind a comma.
std::string broken_at_commas(std::string name, std::size_t width) {
  constexpr std::string_view kNextLine = "\n      ";
  for (std::size_t begin = 0; name.size() - begin > width;) {
    const std::size_t comma = name.rfind(',', begin + width - 1);
    if (comma == std::string::npos || comma < begin) break;
    name.insert(comma + 1, kNextLine);
    begin = comma + 2;  // behind the line's end
  }
  return name;
}

}  // namespace

HelpFormatter::HelpFormatter(std::size_t width) : width_(std::max(width, kLeastWidth)) {
  column_width(kMeanings);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string text;
  std::istringstream lines(Formatter::make_description(app));
  for (std::string line; std::getline(lines, line);) text += wrapped_text(line, width_) + "\n";
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* app) const {
  return entry(app->get_display_name(true), app->get_description());
}

std::string HelpFormatter::make_expanded(const CLI::App* app) const {
  return HelpFormatter(width_ - kExpandedIndent).Formatter::make_expanded(app);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string text;
  std::istringstream lines(Formatter::make_footer(app));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t column = last_column(line);
    text += line.substr(0, column) + last_column_text(line.substr(column), column, width_) + "\n";
  }
  return text;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& meaning) const {
  std::string text = broken_at_commas("  " + name, width_);
  if (meaning.empty()) return text + "\n";
  if (text.size() < kMeanings) {
    text.append(kMeanings - text.size(), ' ');
  } else {
    text.append("\n").append(kMeanings, ' ');
  }
  return text + last_column_text(meaning, kMeanings, width_) + "\n";
}

}  // namespace koridor::cli
