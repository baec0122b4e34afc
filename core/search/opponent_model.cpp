#include "core/search/opponent_model.h"

#include <string_view>

#include "core/base/number.h"

namespace koridor {

std::optional<int> alphabeta_depth(const std::string& text) {
  constexpr std::string_view kAlphaBeta = "alphabeta:";
  if (text == "greedy") return 1;
  if (!text.starts_with(kAlphaBeta)) return std::nullopt;
  return read_number<int>(text.substr(kAlphaBeta.size()), 1, kMaxAlphaBetaDepth);
}

bool is_opponent_model(const std::string& text) {
  constexpr int kMostDepth = 3;  // nothing stops it in the middle of a leaf
  return text.empty() || alphabeta_depth(text).value_or(kMostDepth + 1) <= kMostDepth;
}

}  // namespace koridor
