// Games as text: the first byte chooses the game and the notation, the rest is read as actions. Unreadable words are
// left out; what is read must print as it was written, but for capitals.
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

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
          const auto action = game.parse_action(position.state, position.history, word, notation);
          if (!action) continue;
          const auto lower = [](std::string text) {
            std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
            return text;
          };
          fuzz::require(lower(game.print_action(position.state, *action, notation)) == lower(word));
          ActionMask legal;
          game.legal_actions(position.state, position.history, legal);
          fuzz::require(legal.test(*action));
          position.apply(game, *action);
        }
        fuzz::require(!game.print_board(position.state, notation, true).empty());
      },
      fuzz::game_number(data[0] % 128));
  return 0;
}
