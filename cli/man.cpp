// koridor man: the manual page, written from the command line's own description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/description.h"
#include "core/base/version.h"

namespace koridor::cli {
namespace {

// Text for roff: backslashes and hyphens as they are, and no line that begins like a request. A line's end stays one.
std::string escape(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\n') {
      result += "\n.br\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string paragraph(std::string_view text) {
  return text.empty() ? "" : ".PP\n" + escape(text) + "\n";
}

std::string option_page(const OptionText& option) {
  std::string page = ".TP\n";
  if (option.positional) {
    page += fmt::format("\\fI{}\\fR{}\n", escape(option.names[0]), option.repeats ? " ..." : "");
  } else {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back("\\fB" + escape(name) + "\\fR");
    page += fmt::format("{}{}\n", fmt::join(names, ", "),
                        option.value.empty() ? "" : " \\fI" + escape(option.value) + "\\fR");
  }
  page += escape(option.description) + "\n";
  std::vector<std::string> facts;
  if (option.required) facts.emplace_back("required");
  if (!option.positional && option.repeats) facts.emplace_back("may be given several times");
  if (option.value != "GAME" && !option.choices.empty()) {
    facts.push_back(fmt::format("one of {}", fmt::join(option.choices, ", ")));
  }
  if (!option.range.empty()) facts.push_back(option.range);
  if (!option.default_text.empty()) facts.push_back("default: " + option.default_text);
  if (!facts.empty()) page += escape(fmt::format("({})", fmt::join(facts, "; "))) + "\n";
  return page;
}

std::string usage(const CommandText& command) {
  std::string line = fmt::format("\\fBkoridor {}\\fR", escape(command.name));
  for (const OptionText& option : command.options) {
    if (!option.positional) continue;
    const std::string name = "\\fI" + escape(option.names[0]) + "\\fR" + (option.repeats ? " ..." : "");
    line += option.required ? " " + name : " [" + name + "]";
  }
  return line + " [\\fIoptions\\fR]";
}

std::string command_page(const CommandText& command) {
  std::string page = fmt::format(".SS koridor {}\n{}\n", escape(command.name), usage(command));
  page += paragraph(command.description);
  for (const bool positional : {true, false}) {
    for (const OptionText& option : command.options) {
      if (option.positional == positional) page += option_page(option);
    }
  }
  return page + paragraph(command.footer);
}

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
Everything was done, or a match or a tournament was stopped and says "Stopped early." Training, self-play and servers,
which go on until they are stopped, end so, too, when they have saved their work.
.TP
1
An internal error.
.TP
2
A mistake in what was asked for, a file, disk or memory that does not serve, or a CPU that lacks instructions the build
was compiled for; one line says which.
.TP
130
It was stopped before it had what was asked for, and says so; or a second Ctrl-C ended it at once, and what was not
saved is lost.
.SH ENVIRONMENT
.TP
\fBKORIDOR_TORCH_MODULE\fR
The module of the backend torch, in place of the installed one.
.TP
\fBKORIDOR_ONNX_MODULE\fR
The module that writes ONNX files, likewise.
.TP
\fBNO_COLOR\fR
Boards and charts have no colours where it is not empty.
.TP
\fBTMPDIR\fR
Where a game is saved that the working folder does not take.
.TP
\fBONEDNN_MAX_CPU_ISA\fR
Hides instructions of the CPU from oneDNN, as in AVX2.
.SH FILES
A run is a directory; formats.md, among the documents that are installed, describes every file.
.SH EXAMPLES
.nf
koridor games
koridor train quickstart
koridor play \-\-model runs/quickstart/models/gen\-0010.koridor
.fi
)";

std::string man_page(const ProgramText& text) {
  std::string page = fmt::format(".TH KORIDOR 1 \"\" \"koridor {}\" \"User Commands\"\n", this_build().version);
  page += ".SH NAME\nkoridor \\- teaches itself board games by playing against itself\n";
  page += ".SH SYNOPSIS\n\\fBkoridor\\fR \\fIsubcommand\\fR [\\fIoptions\\fR]\n";
  page += ".SH DESCRIPTION\n" + escape(text.program.description) + "\n";
  page += ".SH OPTIONS\n";
  for (const OptionText& option : text.program.options) page += option_page(option);
  page += ".SH SUBCOMMANDS\n";
  for (const CommandText& command : text.commands) page += command_page(command);
  return page + kEnd;
}

}  // namespace

void add_man(CommandLine& line) {
  line.add_command("man", "Print the manual page; to read it: koridor man | man -l -").runs([&line] {
    fmt::print("{}", man_page(describe(line)));
  });
}

}  // namespace koridor::cli
