#include "cli/engine/text_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/version.h"

namespace koridor::cli {
namespace {

// An empty line would end the answer: it becomes one with a space. Ends of lines at the text's end are dropped.
std::string without_empty_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  for (const char c : text) {
    if (c == '\n' && out.ends_with('\n')) out += ' ';
    out += c;
  }
  return out;
}

}  // namespace

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

void Reply::success(std::string_view text) const {
  const std::string body = without_empty_lines(text);
  output_->say(fmt::format("={}{}{}\n\n", id_, body.empty() || body.front() == '\n' ? "" : " ", body));
}

void Reply::failure(std::string_view text) const {
  output_->say(fmt::format("?{} {}\n\n", id_, message_line(text)));
}

void Reply::begin() const {
  output_->say(fmt::format("={}\n", id_));
}

void Reply::line(std::string_view text) const {
  output_->say(fmt::format("{}\n", text));
}

void Reply::finish() const {
  output_->say("\n");
}

std::optional<TextCommand> parse_text_command(std::string_view line) {
  TextCommand command;
  const std::size_t comment = std::min(line.find('#'), line.size());
  if (comment < line.size() && trimmed(line.substr(0, comment)).empty()) {
    command.interrupt = trimmed(line.substr(comment + 1)) == "interrupt";
  }
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : line.substr(0, comment)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '\t') {
      in_word = false;
    } else if (byte > 32 && byte != 127) {
      if (!in_word) words.emplace_back();
      words.back() += c;
      in_word = true;
    }
  }
  std::size_t at = 0;
  if (!words.empty() && is_number(words[0])) command.id = words[at++];
  if (at < words.size()) command.name = words[at++];
  if (command.name.empty() && command.id.empty() && !command.interrupt) return std::nullopt;
  command.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return command;
}

void require_arguments(TextProtocol::Arguments arguments, std::size_t least, std::size_t most, std::string_view usage) {
  if (arguments.size() >= least && arguments.size() <= most) return;
  throw UserError(fmt::format("syntax error: {}", usage));
}

int number_argument(std::string_view text, int least, int most, std::string_view what) {
  if (const auto number = read_number<int>(text, least, most)) return *number;
  throw UserError(fmt::format("syntax error: {} is no {}, which is a whole number from {} to {}", in_quotes(text), what,
                              least, most));
}

TextProtocol::TextProtocol(Engine& engine) : engine_(engine) {
  add_text("protocol_version", [](Arguments) { return std::string("2"); });
  add_text("name", [](Arguments) { return std::string("Koridor"); });
  add_text("version", [](Arguments) { return this_build().version; });
  add_text("list_commands", [this](Arguments) {
    std::string all;
    for (const auto& [name, handler] : commands_) all += name + "\n";
    return all;
  });
  add_text("known_command", [this](Arguments arguments) {
    require_arguments(arguments, 1, 1, "known_command COMMAND");
    return std::string(commands_.contains(arguments[0]) ? "true" : "false");
  });
  add_text("quit", [](Arguments) { return std::string(); });
}

void TextProtocol::add_text(std::string name, std::function<std::string(Arguments)> answer) {
  add(std::move(name),
      [answer = std::move(answer)](Arguments arguments, const Reply& reply) { reply.success(answer(arguments)); });
}

void TextProtocol::search(const SessionLimits& limits, SearchListener listener, bool until_command) {
  until_command_ = until_command;
  engine_.search(limits, std::move(listener));
}

void TextProtocol::settle(const std::string& command) {
  if (until_command_ || command == "quit") engine_.interrupt();
  engine_.wait();
}

bool TextProtocol::line(const InputLine& line) {
  const auto command = parse_text_command(line.text);
  if (!command) {
    if (until_command_) settle("");
    return true;
  }
  if (command->interrupt) {
    engine_.interrupt();
    return true;
  }
  settle(command->name);
  const Reply reply(engine_.output(), command->id);
  if (line.cut) {
    reply.failure(fmt::format("syntax error: a line has at most {} bytes", LineInput::kLongest));
    return true;
  }
  const auto found = commands_.find(command->name);
  if (found == commands_.end()) {
    reply.failure("unknown command");
    return true;
  }
  try {
    found->second(command->arguments, reply);
  } catch (const std::exception& error) {
    reply.failure(error_text(error));
  }
  return command->name != "quit";
}

void TextProtocol::end() {
  settle("");
}

}  // namespace koridor::cli
