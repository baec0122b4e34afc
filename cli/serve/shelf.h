// The models that the server was given, by short ids. No request names a file.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/serve/model_source.h"
#include "train/run/comparison.h"

namespace koridor::serve {

// What files of models are called on a page: without folder and ending, or as they are given where several have the
// same name so.
std::vector<std::string> names_of_files(const std::vector<std::string>& files);

class Shelf final : public ModelSource {
 public:
  // Files of models and runs. Throws UserError for a file that is no model.
  Shelf(std::vector<std::string> files, std::vector<LabelledRun> runs);

  const std::vector<LabelledRun>& runs() const { return runs_; }
  // Every file, and the newest generation of each run.
  std::vector<ModelEntry> entries() override;
  std::shared_ptr<const Model> load(const std::string& id) override;
  std::string name(const std::string& id) const override;

 private:
  std::string path(const std::string& id) const;

  std::vector<std::string> files_;
  std::vector<std::string> names_;
  std::vector<ModelInfo> infos_;  // of the files, since lists of more models than stay loaded are asked for often
  std::vector<LabelledRun> runs_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const Model>>> loaded_;  // those asked for last, the newest first
};

}  // namespace koridor::serve
