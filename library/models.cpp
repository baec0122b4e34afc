// Models: koridor_model_*.
#include "library/objects.h"
#include "library/shown_features.h"
#include "library/structs.h"
#include "models/network/compact_model.h"

namespace koridor::library {
namespace {

template <class Text>
const char* of_model(const koridor_model* model, const Text& text) noexcept {
  const char* found = nullptr;
  guarded([&] { found = text(live(model).network->model.info).c_str(); });
  return found;
}

}  // namespace

}  // namespace koridor::library

using namespace koridor::library;

koridor_status koridor_model_load(const char* path, koridor_model** model) {
  return guarded(KORIDOR_BAD_MODEL, [&] {
    require(path, "path");
    require(model, "model");
    require_cpu();
    *model = make<koridor_model>(std::make_shared<const Network>(Network{koridor::load_model(path), path}));
  });
}

koridor_status koridor_model_load_memory(const void* bytes, size_t size, const char* name, koridor_model** model) {
  return guarded(KORIDOR_BAD_MODEL, [&] {
    require(bytes, "bytes");
    require(name, "name");
    require(model, "model");
    require_cpu();
    std::string content(static_cast<const char*>(bytes), size);
    *model = make<koridor_model>(
        std::make_shared<const Network>(Network{koridor::parse_model(std::move(content), name), name}));
  });
}

koridor_status koridor_model_save(const koridor_model* model, const char* path, int32_t compact) {
  return guarded([&] {
    require(path, "path");
    const koridor::Model& known = live(model).network->model;
    if (compact != 0 && compact != 1)
      throw koridor::UserError("compact is " + std::to_string(compact) + "; it must be 0 or 1");
    if (compact != 0) {
      koridor::save_compact_model(path, known);
    } else {
      koridor::save_model(path, known);
    }
  });
}

koridor_status koridor_model_free(koridor_model* model) {
  return release(model);
}

koridor_status koridor_model_describe(const koridor_model* model, koridor_model_info* info) {
  return guarded([&] {
    require_struct(info, "koridor_model_info");
    const koridor::Model& known = live(model).network->model;
    write_struct(info, {.struct_size = 0,
                        .encoding_version = known.info.encoding_version,
                        .features = number_of(known.info.features),
                        .players = known.info.signature.players,
                        .generation = known.info.generation,
                        .blocks = known.info.network.blocks,
                        .channels = known.info.network.channels,
                        .calibrated = known.calibration.empty() ? 0 : 1});
  });
}

const char* koridor_model_game(const koridor_model* model) {
  return of_model(model, [](const koridor::ModelInfo& info) -> const std::string& { return info.game; });
}
const char* koridor_model_family(const koridor_model* model) {
  return of_model(model, [](const koridor::ModelInfo& info) -> const std::string& { return info.family; });
}
