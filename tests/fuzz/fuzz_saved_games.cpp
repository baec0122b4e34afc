// Files of games, in notation or as SGF: either one line of UserError, or games that are the same once they were
// written and read.
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/saved_game.h"
#include "tests/fuzz/fuzz_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SavedGameDefaults defaults{.game = fuzz::game_number(data[0])};
  std::vector<SavedGame> games;
  try {
    games = read_saved_games(text, "fuzz", defaults);
  } catch (const UserError& error) {
    fuzz::require(!std::string_view(error.what()).empty());
    return 0;
  }
  fuzz::require(!games.empty());
  for (const SavedGame& game : games) {
    // White space in names and headers may change the first time. What was read can be written and read: no UserError.
    const std::string written = write_saved_game(game);
    const std::vector<SavedGame> again = read_saved_games(written, "written");
    fuzz::require(again.size() == 1);
    fuzz::require(again[0].actions == game.actions);
    fuzz::require(again[0].notes.empty());
    const std::string settled = write_saved_game(again[0]);
    fuzz::require(write_saved_game(read_saved_games(settled, "settled")[0]) == settled);
  }
  return 0;
}
