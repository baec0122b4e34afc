#include "cli/help_format.h"

#include <algorithm>
#include <sstream>

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

// How many characters of a text that is too long stay on this line.
std::size_t break_of(std::string_view text, std::size_t room) {
  const std::size_t space = text.substr(0, room + 1).rfind(' ');
  if (space != std::string_view::npos && space > 0) return space;
  const std::size_t comma = text.substr(0, room).rfind(',');
  if (comma != std::string_view::npos) return comma + 1;
  return std::min(text.find(' '), text.size());
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  // Leading spaces are no place to break.
  std::size_t column = std::min(text.find_first_not_of(' '), text.size());
  std::string lines(text.substr(0, column));
  text.remove_prefix(column);
  while (column + text.size() > width) {
    const std::size_t kept = break_of(text, width > column ? width - column : 0);
    if (kept == text.size()) break;
    lines.append(text.substr(0, kept)).append("\n").append(indent, ' ');
    text.remove_prefix(text[kept] == ' ' ? kept + 1 : kept);
    column = indent;
  }
  return lines.append(text);
}

HelpFormatter::HelpFormatter(std::size_t width) : width_(std::max(width, kLeastWidth)) {
  column_width(kMeanings);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string text;
  std::istringstream lines(Formatter::make_description(app));
  for (std::string line; std::getline(lines, line);) text += wrapped(line, width_, 0) + "\n";
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
  for (std::string line; std::getline(lines, line);) text += wrapped(line, width_, last_column(line)) + "\n";
  return text;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& meaning) const {
  std::string text = wrapped("  " + name, width_, 6);
  if (meaning.empty()) return text + "\n";
  if (text.size() < kMeanings) {
    text.append(kMeanings - text.size(), ' ');
  } else {
    text.append("\n").append(kMeanings, ' ');
  }
  const std::string column = wrapped(std::string(kMeanings, ' ') + meaning, width_, kMeanings);
  return text + column.substr(kMeanings) + "\n";
}

}  // namespace koridor::cli
