// Makes evaluators. The backends themselves are in one source each: uniform, eigen, onednn, torch, and the decorator
// check.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

enum class Backend { uniform, eigen, onednn, torch };
// automatic: the fastest the CPU has instructions for and the model allows (onednn.h)
enum class Precision { automatic, f32, bf16, int8 };

struct EvaluatorOptions {
  Backend backend = Backend::onednn;
  Precision precision = Precision::automatic;
  int max_batch = 64;
  std::string device = "auto";  // of the backend torch: auto, cpu, cuda or cuda:1 (torch.h)
};

// All policy logits 0, every value 1/(players + 1).
std::unique_ptr<Evaluator> make_uniform(const EncodingShape& shape, int max_batch);

// An evaluator of `model` on boards of `shape`. Throws UserError where the model's family, players or planes do not
// fit the shape (`where` names the model in the message), or the backend cannot run here. The model may go away after.
std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape,
                                          const EvaluatorOptions& options, const std::string& where);

// Makes the evaluators of a program's threads: each call, from any thread, that of one. On a CPU threads share
// what does not change (onednn.h). On GPUs they share them: there is a server a GPU, whose batches hold what `threads`
// threads submit (evaluation_server.h). The second argument is the largest batch, at most options.max_batch.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const EncodingShape& shape, int max_batch)>;
EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const EvaluatorOptions& options,
                                        const std::string& where, int threads);
// Rows of a batch on each of so many GPUs: one of the two batches that each thread has under way.
int gpu_batch(int max_batch, int threads, std::size_t gpus);

// Evaluates with both, returns `reference`'s results and keeps the largest and mean difference (see check.h).
std::unique_ptr<Evaluator> make_check(std::unique_ptr<Evaluator> reference, std::unique_ptr<Evaluator> candidate);

Backend parse_backend(const std::string& name);  // UserError with the names there are
Precision parse_precision(const std::string& name);

}  // namespace koridor
