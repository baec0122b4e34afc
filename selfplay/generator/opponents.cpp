#include "selfplay/generator/opponents.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/registry.h"

namespace koridor {

int opponent_depth(const std::string& text) {
  constexpr std::string_view kAlphaBeta = "alphabeta:";
  constexpr int kMaxDepth = AlphaBeta<wall::WallGame>::kMaxDepth;
  if (text == "random") return 0;
  if (text == "greedy") return 1;
  if (text.starts_with(kAlphaBeta)) {
    if (const auto depth = read_number<int>(text.substr(kAlphaBeta.size()), 1, kMaxDepth)) return *depth;
  }
  throw UserError(fmt::format(
      "selfplay.opponents: \"{}\" is none; they are random, greedy and alphabeta:1 to alphabeta:{}", text, kMaxDepth));
}

}  // namespace koridor
