// The whole network in int8 without oneDNN, for CPUs with a matrix unit for bytes (Intel AMX, from Sapphire Rapids on):
// direct convolutions whose maps stay in one layout from the planes to the heads (amx_kernels.h). The backend onednn
// (onednn.cpp) uses it after checking each model. Nothing of this may be called where has_amx() (amx_cpu.h) is false.
#pragma once

#include <memory>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// A network's weights in bytes. They never change, so that the threads of a program share them.
class AmxWeights;
// The model is calibrated.
std::shared_ptr<const AmxWeights> make_amx_weights(const Model& model, const EncodingShape& shape);

// `model` and `shape` are those the weights were made of; the model is not needed afterwards.
std::unique_ptr<Evaluator> make_amx_network(std::shared_ptr<const AmxWeights> weights, const Model& model,
                                            const EncodingShape& shape, int max_batch);

}  // namespace koridor
