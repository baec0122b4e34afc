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

// CLI11 writes the words of checks behind the type: "TEXT:{standard,modern}", "INT:INT in [0 - 10]".
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

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  text.positional = option.nonpositional() == false;
  if (text.positional) {
    text.names = {option.get_name(true)};
  } else {
    text.names = split(option.get_name(false, true), ',');
    // A flag may carry its meaning behind its name: "--no-pass{false}".
    for (std::string& name : text.names) name = name.substr(0, name.find('{'));
  }
  text.required = option.get_required();
  text.repeats = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), text);
  if (text.choices.empty() && (text.names.back() == "game" || text.names.back() == "--game") && text.value == "TEXT") {
    text.choices = game_ids();
  }
  text.default_text = option.get_default_str();
  text.description = one_line(option.get_description());
  return text;
}

CommandText describe_command(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); })) {
    text.options.push_back(describe_option(*option));
  }
  return text;
}

}  // namespace

ProgramText describe(const CLI::App& app) {
  ProgramText text{describe_command(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    text.commands.push_back(describe_command(*command));
  }
  return text;
}

}  // namespace koridor::cli
