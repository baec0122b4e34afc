#include "train/learner/run_checkpoints.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr int kCheckpointsKept = 2;

}  // namespace

fs::path RunCheckpoints::partial(int generation) const {
  fs::path path = run_.checkpoint(generation);
  return path.replace_extension(".partial.pt");
}

int RunCheckpoints::newest() const {
  int newest = -1;
  for (const std::string& name : names_in(run_.checkpoint(0).parent_path())) {
    newest = std::max(newest, RunDirectory::generation_of(name.substr(0, name.find('.'))).value_or(-1));
  }
  return newest;
}

void RunCheckpoints::remove_old(int generation) const {
  std::error_code ignored;
  for (int old = generation; old >= 0 && old > generation - 10; --old) {
    fs::remove(partial(old), ignored);
    if (old <= generation - kCheckpointsKept) fs::remove(run_.checkpoint(old), ignored);
  }
}

}  // namespace koridor
