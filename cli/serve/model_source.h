// The models of a page, by short ids: files and runs on a server (shelf.h), or what a page in the browser has loaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::serve {

// What a page may know of a model without loading it.
struct ModelEntry {
  std::string id;    // "m0": a file; "r0g12": generation 12 of the first run
  std::string name;  // "quickstart", "q9 gen-0026"
  ModelInfo info;
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  virtual std::vector<ModelEntry> entries() = 0;
  // The model of an id; several threads may ask. Throws UserError where there is none.
  virtual std::shared_ptr<const Model> load(const std::string& id) = 0;
  virtual std::string name(const std::string& id) const = 0;
};

// The ids of those that can play the game, by the check that a choice or an analysis would make.
std::vector<std::string> models_for(ModelSource& source, const AnyGame& game);

}  // namespace koridor::serve
