// Games as text: the first byte chooses the game and the notation, the rest is read as actions, which spaces part; an
// underline stands for a space within one. What is read is legal, and its name reads as the same action; what names no
// legal action gets a reason and is left out.
#include <algorithm>
#include <sstream>
#include <string>

#include "core/reading.h"
#include "tests/fuzz/fuzz_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  const Notation notation = data[0] < 128 ? Notation::standard : Notation::modern;
  std::istringstream words(std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  std::visit(
      [&](const auto& game) {
        Position position(game);
        for (std::string word; words >> word;) {
          std::ranges::replace(word, '_', ' ');
          const auto& [state, history] = position;
          const Reading reading = read_action(game, state, history, word, notation);
          ActionMask legal;
          if (!game.outcome(state, history).over()) game.legal_actions(state, history, legal);
          fuzz::require(reading.action.has_value() != reading.objection.has_value());
          if (!reading.action) {
            fuzz::require(!reading.objection->message.empty());
            fuzz::require(reading.nearest == kNoAction || legal.test(reading.nearest));
            continue;
          }
          fuzz::require(legal.test(*reading.action));
          const std::string name = game.print_action(state, *reading.action, notation);
          fuzz::require(game.parse_action(state, history, name, notation) == reading.action);
          position.apply(game, *reading.action);
        }
        fuzz::require(!game.print_board(position.state, notation, true).empty());
      },
      fuzz::game_number(data[0] % 128));
  return 0;
}
