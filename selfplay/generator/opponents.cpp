#include "selfplay/generator/opponents.h"

#include "core/search/alphabeta.h"
#include "core/search/opponent_model.h"

namespace koridor {

static_assert(kMaxAlphaBetaDepth == 8, "kOpponentForm names the greatest depth");

std::optional<int> opponent_depth(const std::string& text) {
  return text == "random" ? 0 : alphabeta_depth(text);
}

}  // namespace koridor
