// The backends of this build by name, and the evaluators they make. A backend is one source that defines an entry
// (network/backend.h) and one line in models/CMakeLists.txt; nothing else knows which backends there are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/evaluation.h"
#include "models/network/backend.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// At least one backend, the preferred one first. models/CMakeLists.txt writes this list.
const std::vector<Backend>& backends();
std::vector<std::string> backend_names();
// Throws UserError with the nearest name.
const Backend& find_backend(const std::string& name);

// Throws UserError if a word of `evaluation` is unknown, or the backend does not have the precision or the kind of
// device: before a run is made that could only fail. Whether the backend can run here is not asked.
void check_evaluation(const Evaluation& evaluation);

// Returns the factory of evaluators for a program's threads: each call, from any thread, makes the evaluator of one
// thread. On a CPU threads share the data that do not change (cpu/onednn.cpp). On GPUs they share the devices: each GPU
// has a server, whose batches hold what `batches.threads` threads submit (torch/torch_backend.cpp). `model` may be null
// if the backend needs none.
//
// Throws UserError if a word of `evaluation` is unknown, the backend does not have the precision or cannot run here, or
// the model is damaged. The factory throws it if the model's players or planes do not fit the shape (of the family a
// shape says nothing: network/fits.h), or if the network overflows on the first few of the positions that the model
// carries (where it has none of the shape, on the starting position of its game). An evaluator throws it where the
// network overflows later (network/guard.h). `where` names the model in these lines.
EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const Evaluation& evaluation,
                                        const std::string& where, const ThreadBatches& batches);

// The evaluator of one thread alone; it does not need the model afterwards.
std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape, const Evaluation& evaluation,
                                          int max_batch, const std::string& where);

// Throws UserError if the network overflows in f32, as the factory above does, for a program that does not evaluate
// with the model itself. Without a backend that computes on the calling thread nothing is tried.
void require_probabilities(const Model& model, const EncodingShape& shape, const std::string& where);

// Calibrates the model for the backends of this build (cpu/calibrate.h), on encoded positions of `shape`, which the
// model fits. Without onednn, which alone measures, the model stays as it is.
void calibrate_for_backends(Model& model, const EncodingShape& shape, const Batch& positions);

// Gives back to the system what backends and the allocator keep of evaluators that are gone. For programs that go from
// model to model: each int8 network has kernels of its own, and a thousand of them stay otherwise.
void forget_past_evaluators();

}  // namespace koridor
