#include "cli/description.h"

#include <algorithm>
#include <sstream>

#include "core/registry.h"

namespace koridor::cli {
namespace {

// Lines become one.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

std::vector<std::string> game_ids() {
  std::vector<std::string> ids;
  for (const GameInfo& info : registered_games()) ids.push_back(info.id);
  return ids;
}

// The words of checks stand behind the type: "TEXT:{standard,modern}", "INT:INT in [0 - 10]".
void read_type(const std::string& type, OptionText& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string check = type.substr(colon + 1);
  if (check.starts_with('{') && check.ends_with('}')) {
    option.choices = split(check.substr(1, check.size() - 2), ',');
  } else {
    option.range = check;
  }
}

OptionText describe_option(const Option& option) {
  OptionText text;
  text.positional = option.is_positional();
  if (text.positional) {
    text.names = {option.names()};
  } else {
    text.names = split(option.names(), ',');
    // A flag may carry its meaning behind its name: "--no-pass{false}".
    for (std::string& name : text.names) name = name.substr(0, name.find('{'));
  }
  text.required = option.is_required();
  text.repeats = option.repeats();
  if (option.takes_value()) read_type(option.type_text(), text);
  if (text.value == "GAME") text.choices = game_ids();  // completions offer them; other variants have no end
  text.default_text = option.default_text();
  text.description = one_line(option.help());
  return text;
}

CommandText describe_command(const Command& command) {
  CommandText text{command.name(), command.description(), command.footer(), {}};
  for (const Option& option : command.options()) text.options.push_back(describe_option(option));
  return text;
}

}  // namespace

ProgramText describe(const CommandLine& line) {
  ProgramText text{describe_command(line.program()), {}};
  for (const Command& command : line.commands()) text.commands.push_back(describe_command(command));
  return text;
}

}  // namespace koridor::cli
