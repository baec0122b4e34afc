// The command line: subcommands with their options, and what is said of words that make no sense. The parsing is
// CLI11's, whose templates take seconds to compile in every source that sees them: only command_line.cpp does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace koridor::cli {

// An option or a positional argument of a subcommand, to say more of it. A handle, valid as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& required() const;
  // What stands for its value in help, in place of INT, TEXT and the like.
  const Option& type_name(const std::string& name) const;
  // Help shows the value that it has now, or these words, as the default.
  const Option& show_default() const;
  const Option& show_default(const std::string& text) const;

  // What its values may be. Help shows ranges and words.
  const Option& range(int low, int high) const;
  const Option& range(double low, double high) const;
  const Option& one_of(std::vector<std::string> words) const;
  // `fault` says what is wrong with a value, or nothing.
  const Option& check(std::function<std::string(const std::string&)> fault) const;
  // The same where the values are these words, which help shows and shells complete.
  const Option& check_words(std::function<std::string(const std::string&)> fault,
                            const std::vector<std::string>& words) const;

  // Of lists: each occurrence of the option takes one value; so many values in all; values between such characters.
  const Option& one_each_time() const;
  const Option& count(int low, int high) const;
  const Option& separated_by(char separator) const;

  // By the names of options that were added before.
  const Option& needs(const std::string& other) const;
  const Option& excludes(const std::string& other) const;

  // What it says of itself. Names are "-h,--help", and that of a positional argument alone.
  std::string names() const;
  bool is_positional() const;
  bool is_required() const;
  bool takes_value() const;
  bool repeats() const;
  std::string type_text() const;  // "TEXT:{standard,modern}", "INT:INT in [0 - 10]"
  std::string default_text() const;
  std::string help() const;

 private:
  CLI::Option* option_;
};

// A subcommand. A handle, valid as long as its CommandLine. What options set must outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  // `name` as it is typed, "--visits"; without the hyphens it is a positional argument.
  Option add_option(const std::string& name, std::string& value, const std::string& help) const;
  Option add_option(const std::string& name, int& value, const std::string& help) const;
  Option add_option(const std::string& name, std::uint64_t& value, const std::string& help) const;
  Option add_option(const std::string& name, double& value, const std::string& help) const;
  Option add_option(const std::string& name, std::optional<double>& value, const std::string& help) const;
  Option add_option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& help) const;
  Option add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) const;
  Option add_option(const std::string& name, std::vector<int>& values, const std::string& help) const;
  // Calls `set` with the word that was given.
  Option add_word(const std::string& name, std::function<void(const std::string&)> set, const std::string& help) const;
  // Without a value.
  Option add_flag(const std::string& name, bool& value, const std::string& help) const;

  // Text at the end of its help.
  void footer(const std::string& text) const;
  // What it does, once the whole line is parsed. Throws UserError for bad input.
  void runs(std::function<void()> action) const;

  // While it runs: whether an option was written, and the names of all that were.
  bool given(const std::string& name) const;
  std::vector<std::string> given() const;

  // What it says of itself. Hidden options are left out.
  std::string name() const;
  std::string description() const;
  std::string footer() const;
  std::vector<Option> options() const;

 private:
  CLI::App* app_;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // The flag --version, which prints `text`.
  void add_version(std::function<std::string()> text, const std::string& help);
  // The flag --help-all.
  void add_help_of_all(const std::string& help);
  Command add_command(const std::string& name, const std::string& description);

  // Runs the subcommand that the words name, or prints the help that they ask for. Throws UserError where they make no
  // sense. Called once, when every subcommand is there.
  void run(const std::vector<std::string>& words);

  // The program itself, with the options that stand before the subcommand; every subcommand that is not hidden.
  Command program() const;
  std::vector<Command> commands() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace koridor::cli
