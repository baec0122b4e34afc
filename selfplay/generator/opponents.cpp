#include "selfplay/generator/opponents.h"

#include <string_view>

#include "core/base/number.h"
#include "core/registry.h"

namespace koridor {

std::optional<int> opponent_depth(const std::string& text) {
  constexpr std::string_view kAlphaBeta = "alphabeta:";
  constexpr int kMaxDepth = AlphaBeta<wall::WallGame>::kMaxDepth;
  static_assert(kMaxDepth == 8, "kOpponentForm names the greatest depth");
  if (text == "random") return 0;
  if (text == "greedy") return 1;
  if (!text.starts_with(kAlphaBeta)) return std::nullopt;
  return read_number<int>(text.substr(kAlphaBeta.size()), 1, kMaxDepth);
}

}  // namespace koridor
