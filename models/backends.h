// The backends of this build by name, and the evaluators they make. A backend is one source that defines an entry
// (network/backend.h) and one line in models/CMakeLists.txt; nothing else knows which there are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/evaluation.h"
#include "models/network/backend.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// The preferred one first; at least one. Made of the list in models/CMakeLists.txt.
const std::vector<Backend>& backends();
std::vector<std::string> backend_names();
// Throws UserError with the nearest name.
const Backend& find_backend(const std::string& name);

// Makes the evaluators of a program's threads; each call, from any thread, makes that of one. On a CPU threads share
// what does not change (cpu/onednn.cpp). On GPUs they share these: there is a server for each GPU, whose batches hold
// what `batches.threads` threads submit (torch/torch_backend.cpp). `model` may be null where the backend needs none.
// Throws UserError where a word of `evaluation` is unknown, the backend does not have the precision, cannot run here or
// the model is damaged; the factory throws it where the model's family, players or planes do not fit the shape. `where`
// names the model in these lines.
EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const Evaluation& evaluation,
                                        const std::string& where, const ThreadBatches& batches);

// The evaluator of one thread alone. The model may go away after.
std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape, const Evaluation& evaluation,
                                          int max_batch, const std::string& where);

// Measures what the backends of this build have to know of a model before it is written (cpu/calibrate.h), on encoded
// positions of `shape`, which the model fits. Without a backend that calibrates the model stays as it is.
void calibrate_for_backends(Model& model, const EncodingShape& shape, const Batch& positions);

}  // namespace koridor
