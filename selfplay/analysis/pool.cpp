#include "selfplay/analysis/pool.h"

#include <variant>

#include "core/registry.h"
#include "selfplay/analysis/game_pool.h"

namespace koridor {

std::unique_ptr<AnalysisPool> make_analysis_pool(const PoolSettings& settings) {
  return std::visit(
      [&]<Game G>(const G&) -> std::unique_ptr<AnalysisPool> { return std::make_unique<GamePool<G>>(settings); },
      parse_game(settings.model->info.game));
}

}  // namespace koridor
