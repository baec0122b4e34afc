// The models that the server was given, by short ids. No request names a file.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "models/network/model_file.h"
#include "train/run/comparison.h"

namespace koridor::serve {

// What a page may know of a model without loading it.
struct ModelEntry {
  std::string id;    // "m0": a file; "r0g12": generation 12 of the first run
  std::string name;  // "quickstart", "q9 gen-0026"
  std::string game;  // the variant it was trained on last
};

class Shelf {
 public:
  // Files of models and runs. Throws UserError for a file that is no model.
  Shelf(std::vector<std::string> files, std::vector<LabelledRun> runs);

  const std::vector<LabelledRun>& runs() const { return runs_; }
  // Every file, and the newest generation of each run.
  std::vector<ModelEntry> entries();
  // The model of an id; several threads may ask. Throws UserError where there is none.
  std::shared_ptr<const Model> load(const std::string& id);
  std::string name(const std::string& id) const;

 private:
  std::string path(const std::string& id) const;

  std::vector<std::string> files_;
  std::vector<LabelledRun> runs_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const Model>>> loaded_;  // those asked for last, the newest first
};

}  // namespace koridor::serve
