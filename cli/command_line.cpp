#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "cli/help_format.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/progress.h"

namespace koridor::cli {
namespace {

// In columns: longer lines are hard to read.
constexpr std::size_t kWidestHelp = 100;

// Checks the first word, since CLI11 reports a misspelt subcommand or option only as a missing subcommand.
void check_first_word(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-') && app.get_option_no_throw(word.substr(0, word.find('='))) == nullptr) {
    throw UserError(fmt::format("unexpected: {} (see `koridor --help`)", word));
  }
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) names.push_back(subcommand->get_name());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  const std::string near = nearest(word, names);
  throw UserError(fmt::format("there is no subcommand \"{}\"; {}", word,
                              near.empty() ? "see `koridor --help`" : "did you mean \"" + near + "\"?"));
}

// Values that CLI11 takes and nobody means: it reads -1 as the largest whole number of an option without sign, nan lies
// in every range, and a variable of the shell that is not set leaves a file or a rule without a name, as if the option
// had not been given. Every option of every subcommand is checked by its type.
void refuse_senseless_values(CLI::App& app) {
  static constexpr std::string_view kNames[] = {"FILE", "DIR",  "MODEL",   "RULE", "TEST",  "PLAYER", "SET",
                                                "TIME", "PATH", "ADDRESS", "NAME", "LEVEL", "GAME"};
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("UINT")) {
      option->check([](const std::string& word) {
        const bool whole = read_number<std::uint64_t>(word, 0, UINT64_MAX).has_value();
        return whole ? std::string() : fmt::format("{} is no whole number from 0 to {}", word, UINT64_MAX);
      });
    } else if (type.starts_with("FLOAT")) {
      option->check([](const std::string& word) {
        constexpr double kMost = std::numeric_limits<double>::max();
        return read_number<double>(word, -kMost, kMost) ? std::string() : word + " is no number";
      });
    } else if (std::ranges::find(kNames, type) != std::end(kNames)) {
      option->check([type](const std::string& word) {
        return word.empty() ? fmt::format("it is empty, and should be a {}", type) : std::string();
      });
    }
  }
  for (CLI::App* subcommand : app.get_subcommands({})) refuse_senseless_values(*subcommand);
}

// Lets several assignments follow one option, as its help says: "--set a=1 b=2" becomes "--set a=1 --set b=2". Only
// words that begin as "key=" are taken, so that "--set a=1 quoridor:5x5,walls=3" keeps its game.
std::vector<std::string> spread_assignments(const std::vector<std::string>& words) {
  const auto is_assignment = [](const std::string& word) {
    const std::size_t key = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.");
    return key != std::string::npos && key > 0 && word[key] == '=';
  };
  std::vector<std::string> spread;
  std::string option;  // whose assignments these are; empty: none
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string name = word.substr(0, word.find('='));
    if (name == "--set" || name == "--search") {
      option = name;
      spread.push_back(word);
      if (word == name && i + 1 < words.size()) spread.push_back(words[++i]);
    } else if (!option.empty() && is_assignment(word)) {
      spread.insert(spread.end(), {option, word});
    } else {
      option.clear();
      spread.push_back(word);
    }
  }
  return spread;
}

// "players: At least 2 required but received 1" and "--out: At Most 1 required but received 2" in our words; any other
// text as it is.
std::string mismatch_message(const std::string& text) {
  if (const std::size_t twice = text.find(": At Most 1 required"); twice != std::string::npos) {
    return text.substr(0, twice) + ": it is given more than once";
  }
  const std::size_t colon = text.find(": At least ");
  int least = 0;
  int given = 0;
  if (colon == std::string::npos) return text;
  if (std::sscanf(text.c_str() + colon, ": At least %d required but received %d", &least, &given) != 2) return text;
  return fmt::format("{}: {} are needed at least, and {} given", text.substr(0, colon), least,
                     given == 1 ? "1 is" : fmt::format("{} are", given));
}

// What CLI11 says of a command line, and where to read more. It lists unexpected words backwards, and says nothing of
// them where an option is missing, which they may have been meant for.
std::string command_line_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "koridor";
  for (const CLI::App* subcommand : app.get_subcommands()) command += " " + subcommand->get_name();
  std::string what = error.what();
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::vector<std::string> words = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || (missing && !words.empty())) {
    what = fmt::format("unexpected: {}", fmt::join(words, " "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) what = mismatch_message(what);
  return fmt::format("{} (see `{} --help`)", what, command);
}

}  // namespace

const Option& Option::required() const {
  option_->required();
  return *this;
}

const Option& Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

const Option& Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

const Option& Option::show_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

const Option& Option::range(int low, int high) const {
  option_->check(CLI::Validator(
      [low, high](const std::string& word) {
        return read_number<int>(word, low, high) ? std::string()
                                                 : fmt::format("{} is no whole number from {} to {}", word, low, high);
      },
      fmt::format("INT in [{} - {}]", low, high)));
  return *this;
}

const Option& Option::range(double low, double high) const {
  option_->check(CLI::Validator(
      [low, high](const std::string& word) {
        return read_number<double>(word, low, high) ? std::string()
                                                    : fmt::format("{} is no number from {:g} to {:g}", word, low, high);
      },
      fmt::format("FLOAT in [{:g} - {:g}]", low, high)));
  return *this;
}

const Option& Option::one_of(std::vector<std::string> words) const {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}

const Option& Option::check(std::function<std::string(const std::string&)> fault) const {
  option_->check(std::move(fault));
  return *this;
}

const Option& Option::check_words(std::function<std::string(const std::string&)> fault,
                                  const std::vector<std::string>& words) const {
  // As CLI11 writes the words of IsMember.
  option_->check(CLI::Validator(std::move(fault), fmt::format("{{{}}}", fmt::join(words, ","))));
  return *this;
}

const Option& Option::one_each_time() const {
  option_->allow_extra_args(false);
  return *this;
}

const Option& Option::count(int low, int high) const {
  option_->expected(low, high);
  return *this;
}

const Option& Option::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

const Option& Option::needs(const std::string& other) const {
  option_->needs(other);
  return *this;
}

const Option& Option::excludes(const std::string& other) const {
  option_->excludes(other);
  return *this;
}

std::string Option::names() const {
  return is_positional() ? option_->get_name(true) : option_->get_name(false, true);
}

bool Option::is_positional() const {
  return !option_->nonpositional();
}

bool Option::is_required() const {
  return option_->get_required();
}

bool Option::takes_value() const {
  return option_->get_items_expected_max() > 0;
}

bool Option::repeats() const {
  return option_->get_items_expected_max() > 1;
}

std::string Option::type_text() const {
  return option_->get_type_name();
}

std::string Option::default_text() const {
  return option_->get_default_str();
}

std::string Option::help() const {
  return option_->get_description();
}

Option Command::add_option(const std::string& name, std::string& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, int& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::uint64_t& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, double& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::optional<double>& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::optional<std::uint64_t>& value,
                           const std::string& help) const {
  return Option(app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) const {
  return Option(app_->add_option(name, values, help));
}

Option Command::add_option(const std::string& name, std::vector<int>& values, const std::string& help) const {
  return Option(app_->add_option(name, values, help));
}

Option Command::add_word(const std::string& name, std::function<void(const std::string&)> set,
                         const std::string& help) const {
  return Option(app_->add_option_function<std::string>(name, set, help));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(app_->add_flag(name, value, help));
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::runs(std::function<void()> action) const {
  app_->callback(std::move(action));
}

bool Command::given(const std::string& name) const {
  return app_->count(name) > 0;
}

std::vector<std::string> Command::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::description() const {
  return app_->get_description();
}

std::string Command::footer() const {
  return app_->get_footer();
}

std::vector<Option> Command::options() const {
  std::vector<Option> visible;
  for (CLI::Option* option : app_->get_options()) {
    if (!option->get_group().empty()) visible.emplace_back(option);
  }
  return visible;
}

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name(program);
  app_->formatter(std::make_shared<HelpFormatter>(std::min(terminal_columns(), kWidestHelp)));
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

void CommandLine::add_version(std::function<std::string()> text, const std::string& help) {
  app_->set_version_flag("--version", std::move(text), help);
}

void CommandLine::add_help_of_all(const std::string& help) {
  app_->set_help_all_flag("--help-all", help);
}

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

Command CommandLine::program() const {
  return Command(app_.get());
}

std::vector<Command> CommandLine::commands() const {
  std::vector<Command> visible;
  for (CLI::App* command : app_->get_subcommands({})) {
    if (!command->get_group().empty()) visible.emplace_back(command);
  }
  return visible;
}

void CommandLine::run(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "help") {  // "help match" is "match --help"
    std::vector<std::string> asked(words.begin() + 1, words.end());
    asked.push_back("--help");
    return run(asked);
  }
  refuse_senseless_values(*app_);
  try {
    if (!words.empty()) check_first_word(*app_, words.front());
    std::vector<std::string> backwards = spread_assignments(words);
    std::ranges::reverse(backwards);
    app_->parse(backwards);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UserError(command_line_message(*app_, error));
    app_->exit(error);  // prints the help that was asked for
  }
}

}  // namespace koridor::cli
