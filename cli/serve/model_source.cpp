#include "cli/serve/model_source.h"

#include "core/base/error.h"
#include "models/network/fits.h"

namespace koridor::serve {
namespace {

bool can_play(const ModelEntry& model, const AnyGame& game) {
  try {
    require_fits(model.info, game, model.name);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> models_for(ModelSource& source, const AnyGame& game) {
  std::vector<std::string> ids;
  for (const ModelEntry& model : source.entries()) {
    if (can_play(model, game)) ids.push_back(model.id);
  }
  return ids;
}

}  // namespace koridor::serve
