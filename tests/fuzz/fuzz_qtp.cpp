// Lines of QTP: every command has one answer.
#include "cli/engine/text_commands.h"
#include "tests/fuzz/protocol_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  int commands = 0;
  const auto before = [&](const std::string& line) {
    const auto command = cli::parse_text_command(line);
    commands += command && !command->interrupt ? 1 : 0;
    return true;
  };
  const fuzz::Dialogue dialogue = fuzz::speak("qtp", fuzz::wall_game_number(data[0]), text, before);
  fuzz::require_answers(dialogue.said, commands);
  return 0;
}
