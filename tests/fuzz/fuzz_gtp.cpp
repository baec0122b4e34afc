// Lines of GTP: every command has one answer.
#include "cli/engine/text_commands.h"
#include "tests/fuzz/protocol_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  int commands = 0;
  const auto before = [&](const std::string& line) {
    const auto command = cli::parse_text_command(line);
    if (!command) return true;
    // These read and write files of any name.
    if ((command->name == "loadsgf" || command->name == "printsgf") && !command->arguments.empty()) return false;
    commands += command->interrupt ? 0 : 1;
    return true;
  };
  const fuzz::Dialogue dialogue = fuzz::speak("gtp", fuzz::go_game_number(data[0]), text, before);
  fuzz::require_answers(dialogue.said, commands);
  return 0;
}
