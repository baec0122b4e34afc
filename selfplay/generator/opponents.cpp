#include "selfplay/generator/opponents.h"

#include "core/search/opponent_model.h"

namespace koridor {

std::optional<int> opponent_depth(const std::string& text) {
  return text == "random" ? 0 : alphabeta_depth(text);
}

}  // namespace koridor
