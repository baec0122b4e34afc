#include "models/network/fits.h"

#include <variant>

namespace koridor {

void require_fits(const ModelInfo& info, const AnyGame& game, const std::string& where) {
  std::visit([&](const auto& any) { require_fits(info, any.family(), any.encoding(info.features), where); }, game);
}

}  // namespace koridor
