// Lines of the UCI-like loop: each answer is one of the protocol's, and each `go` has at most one best move.
#include <algorithm>
#include <array>

#include "tests/fuzz/protocol_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  int searches = 0;
  bool boards = false;
  const auto before = [&](const std::string& line) {
    searches += line.find("go") != std::string::npos ? 1 : 0;
    boards = boards || line.find('d') != std::string::npos;
    // A thousand threads would take their time, and no other path of the code.
    return line.find("hreads") == std::string::npos;
  };
  const fuzz::Dialogue dialogue = fuzz::speak("uci", fuzz::wall_game_number(data[0]), text, before);
  int best = 0;
  std::string_view said = dialogue.said;
  while (!said.empty()) {
    const std::size_t end = said.find('\n');
    fuzz::require(end != std::string_view::npos);
    const std::string_view line = said.substr(0, end);
    said.remove_prefix(end + 1);
    best += line.starts_with("bestmove ") ? 1 : 0;
    constexpr std::array<std::string_view, 7> kKnown = {"info ", "bestmove ", "id ",  "option ",
                                                        "uciok", "readyok",   "legal"};
    const bool known = std::ranges::any_of(kKnown, [&](std::string_view word) { return line.starts_with(word); });
    fuzz::require(known || boards);
  }
  fuzz::require(best <= searches);
  return 0;
}
