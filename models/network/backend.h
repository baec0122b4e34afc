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

// What the threads of a program ask of evaluators: it sizes the batches of a device that they share, such as a GPU.
// Evaluators that compute on their own thread look at the largest batch alone that EvaluatorFactory is given.
struct ThreadBatches {
  int threads = 1;
  int rows = 64;  // of one batch of one thread, where the thread has as many under way as the evaluator has tickets
};

// `model` is valid, and null only for backends that need none. It lives until the last call of the factory.
struct BackendRequest {
  std::shared_ptr<const Model> model;
  Precision precision = Precision::automatic;  // one of Backend::precisions, or automatic
  Device device{};
  ThreadBatches batches{};
};

struct Backend {
  std::string name;
  std::string summary;  // a few words for help and reference
  // All it computes in on some machine; every backend takes `automatic` as well.
  std::vector<Precision> precisions;
  // False: it knows nothing, so that there is nothing to load and nothing worth remembering.
  bool needs_model = true;
  // Throws UserError where it cannot run here. The factory is called with shapes that the model fits, and may be called
  // from any thread.
  EvaluatorFactory (*make)(const BackendRequest& request) = nullptr;
  // The precisions this CPU has instructions for, for benches that compare the evaluators of one thread; null where
  // these would have to load a large library or compute elsewhere.
  std::vector<Precision> (*on_this_cpu)() = nullptr;
  // Measures what the backend must know of a model to compute it in int8 (models/network/calibration.h); null where it
  // need not know anything.
  void (*calibrate)(Model& model, const EncodingShape& shape, const Batch& positions) = nullptr;
};

}  // namespace koridor
