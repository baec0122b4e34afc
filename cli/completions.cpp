// koridor completions: what shells complete, written from the command line's own description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/description.h"

namespace koridor::cli {
namespace {

std::vector<std::string> names_of(const ProgramText& text) {
  std::vector<std::string> names;
  for (const CommandText& command : text.commands) names.push_back(command.name);
  return names;
}

// The names of all options of a command that are no positional ones.
std::vector<std::string> options_of(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// The known words for positional arguments of a command.
std::vector<std::string> words_of(const CommandText& command) {
  std::vector<std::string> words;
  for (const OptionText& option : command.options) {
    if (option.positional) words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  return words;
}

// Within single quotes of a shell; for fish, which knows \' in them, and for the others, which do not.
std::string quoted(std::string_view text, std::string_view quote_mark) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += quote_mark;
    } else {
      result += c;
    }
  }
  return result + "'";
}

// Whether an argument may be a file: one of which no words are known.
bool takes_files(const CommandText& command) {
  return std::ranges::any_of(command.options,
                             [](const OptionText& option) { return option.positional && option.choices.empty(); });
}

std::string bash(const ProgramText& text) {
  std::string commands, values;
  for (const CommandText& command : text.commands) {
    commands += fmt::format("    {}) options=\"{}\" words=\"{}\" files={} ;;\n", command.name,
                            fmt::join(options_of(command), " "), fmt::join(words_of(command), " "),
                            takes_files(command) ? "yes" : "");
    for (const OptionText& option : command.options) {
      if (option.positional || option.value.empty()) continue;
      for (const std::string& name : option.names) {
        values += fmt::format("    \"{} {}\") words=\"{}\" files={} ;;\n", command.name, name,
                              fmt::join(option.choices, " "), option.choices.empty() ? "yes" : "");
      }
    }
  }
  return fmt::format(R"(# Completion of koridor in bash; `koridor completions bash` writes it.
_koridor() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} options= words= files=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} {}" -- "$word"))
    return
  fi
  case $command in
{}  esac
  case "$command ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  local IFS=$'\n'
  [[ -z $files ]] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _koridor koridor
)",
                     fmt::join(names_of(text), " "), fmt::join(options_of(text.program), " "), commands, values);
}

// A description within brackets of _arguments, or behind the colon of _describe.
std::string zsh_words(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const OptionText& option) {
  const std::string message = zsh_words(option.positional ? option.names[0] : option.value);
  if (option.choices.empty()) return fmt::format(":{}:_files", message);
  return fmt::format(":{}:({})", message, fmt::join(option.choices, " "));
}

std::string zsh(const ProgramText& text) {
  const auto argument = [](const OptionText& option, const std::string& name) {
    const std::string value = option.value.empty() ? "" : zsh_action(option);
    return quoted(fmt::format("{}{}[{}]{}", option.repeats ? "*" : "", name, zsh_words(option.description), value),
                  "'\\''");
  };
  std::string commands, arguments, own;
  for (const OptionText& option : text.program.options) {
    for (const std::string& name : option.names) own += " " + argument(option, name);
  }
  for (const CommandText& command : text.commands) {
    commands += fmt::format("    {}\n", quoted(command.name + ":" + zsh_words(command.description), "'\\''"));
    arguments += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionText& option : command.options) {
      if (option.positional) {
        arguments += " \\\n        " + quoted((option.repeats    ? "*"
                                               : option.required ? ""
                                                                 : ":") +
                                                  zsh_action(option),
                                              "'\\''");
        continue;
      }
      for (const std::string& name : option.names) arguments += " \\\n        " + argument(option, name);
    }
    arguments += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef koridor
# Completion of koridor in zsh; `koridor completions zsh` writes it.
_koridor() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe -t commands 'subcommand' commands
    _arguments{}
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
if [[ $funcstack[1] == _koridor ]]; then
  _koridor "$@"
else
  compdef _koridor koridor
fi
)",
                     commands, own, arguments);
}

std::string fish_option(const std::string& condition, const OptionText& option) {
  std::string line = "complete -c koridor -n " + quoted(condition, "\\'");
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " ")), "\\'"));
  } else if (!option.value.empty()) {
    line += " -r";
  }
  return line + " -d " + quoted(option.description, "\\'") + "\n";
}

std::string fish(const ProgramText& text) {
  std::string out =
      "# Completion of koridor in fish; `koridor completions fish` writes it.\n"
      "complete -c koridor -n __fish_use_subcommand -f\n";
  for (const OptionText& option : text.program.options) out += fish_option("__fish_use_subcommand", option);
  for (const CommandText& command : text.commands) {
    out += fmt::format("complete -c koridor -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(command.description, "\\'"));
    const std::string here = "__fish_seen_subcommand_from " + command.name;
    for (const OptionText& option : command.options) {
      if (!option.positional) out += fish_option(here, option);
    }
    out += fmt::format("complete -c koridor -n '{}'{} -a '{}'\n", here, takes_files(command) ? "" : " -f",
                       fmt::join(words_of(command), " "));
  }
  return out;
}

}  // namespace

void add_completions(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  const Command command = line.add_command("completions", "Print the completions for a shell");
  command.footer("Here and now in bash: source <(koridor completions bash)");
  command.add_option("shell", *shell, "Which shell").required().one_of({"bash", "zsh", "fish"});
  command.runs([&line, shell] {
    const ProgramText text = describe(line);
    fmt::print("{}", *shell == "bash" ? bash(text) : *shell == "zsh" ? zsh(text) : fish(text));
  });
}

}  // namespace koridor::cli
