// The model file: all a program needs to evaluate positions, without LibTorch.
// Layout (that of "safetensors", so any reader of those opens it): 8 bytes little-endian length N; N bytes of JSON with
// an entry {dtype, shape, data_offsets} a tensor and "__metadata__" (strings: ours are below); the float32 data.
// models/README.md lists the metadata and defines the checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/calibration.h"
#include "models/network/network.h"

namespace koridor {

struct ModelInfo {
  std::string family;        // of games: "wall", "go"
  int encoding_version = 1;  // of that family's encoding (EncodingShape::version)
  std::string game;          // canonical variant it was trained on last
  Features features;
  NetworkConfig network;
  NetworkSignature signature;
  int generation = 0;
  std::string config_hash;  // of the run's configuration; empty where there was none
};

struct Model {
  ModelInfo info;
  std::map<std::string, std::vector<float>> tensors;  // names and sizes as network_tensors() says
  Calibration calibration{};                          // empty where there were no positions yet
};

// Throws UserError (`where` names the model) for numbers out of range, tensors missing, misshapen or foreign, and
// weights that are not finite.
void validate(const Model& model, const std::string& where);

// Throws UserError where a network of `info` cannot serve a game of `family` (empty: any) with encoding `shape`: another
// family, another version of its encoding, other inputs.
void require_fits(const ModelInfo& info, std::string_view family, const EncodingShape& shape, const std::string& where);

// Writes to a temporary name, syncs, renames. Throws UserError where the disk does not take it or validate() objects.
void save_model(const std::string& path, const Model& model);

// Throws UserError naming the file for: unreadable, truncated, checksum wrong, foreign, tensor missing or misshapen.
Model load_model(const std::string& path);

// A random network (He initialisation) for tests, benches and generation 0; equal for equal seeds.
Model random_model(const ModelInfo& info, std::uint64_t seed);

}  // namespace koridor
