// What a backend says of itself: one entry of the list of backends (models/backends.h). A backend NAME is one source
// that defines `Backend NAME_backend()`, and one line in models/CMakeLists.txt.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/network/device.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"

namespace koridor {

// The batches that a program's threads submit; they determine the batch size of a device that the threads share, such
// as a GPU. Evaluators that compute on their own thread use only the largest batch, which EvaluatorFactory is given.
struct ThreadBatches {
  int threads = 1;
  int rows = 64;  // of one batch of one thread, which has as many batches under way as the evaluator has tickets
};

// `model` is valid, or null for backends that need none. It lives until the last call of the factory.
struct BackendRequest {
  std::shared_ptr<const Model> model;
  Precision precision = Precision::automatic;  // one of Backend::precisions, or automatic
  Device device{};
  ThreadBatches batches{};
  std::string where = "the model";  // names it in notices
};

struct Backend {
  std::string name;
  std::string summary;  // a few words for help and reference
  // All that it computes in on any machine; every backend takes `automatic` as well.
  std::vector<Precision> precisions;
  // False if it computes no network, so that there is nothing to load and nothing worth a cache.
  bool needs_model = true;
  // Throws UserError if the backend cannot run here. The factory is called from any thread, with shapes the model fits.
  EvaluatorFactory (*make)(const BackendRequest& request) = nullptr;
  // The precisions this CPU has instructions for, for benches that compare the evaluators of one thread; null for a
  // backend that would load a large library or compute elsewhere.
  std::vector<Precision> (*on_this_cpu)() = nullptr;
  // Calibrates a model for int8 (models/network/calibration.h); null for a backend that does not measure.
  void (*calibrate)(Model& model, const EncodingShape& shape, const Batch& positions) = nullptr;
  // Gives back the memory that it keeps of networks whose evaluators are gone; null for a backend that keeps none.
  void (*forget)() = nullptr;
};

}  // namespace koridor
