// The model file: all that a program needs to evaluate positions, without LibTorch. Its layout is that of
// "safetensors", so that any reader of those opens it: the length N in 8 bytes, little-endian; N bytes of JSON with an
// entry {dtype, shape, data_offsets} per tensor and "__metadata__", which holds strings; the tensors' data.
// docs/formats.md lists the metadata and defines the checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "models/network/calibration.h"
#include "models/network/network.h"

namespace koridor {

inline constexpr std::size_t kMostLearnedGames = 64;  // that one network learns at once

struct ModelInfo {
  std::string family;        // of games: "wall", "go"
  int encoding_version = 1;  // of that family's encoding (EncodingShape::version)
  std::string game;          // canonical variant that it was trained on last; of several at once, the first
  Features features;
  NetworkConfig network;
  NetworkSignature signature;
  int generation = 0;
  std::string config_hash;           // of the run's configuration; empty if there was none
  Build build = this_build();        // that wrote the file
  std::string checksum{};            // of the file that it was read from; empty if there was none
  std::vector<std::string> games{};  // all that it was trained on at once, `game` first; empty if `game` is all
};

// `games`, or `game` where that is all.
std::vector<std::string> learned_games(const ModelInfo& info);

struct Model {
  ModelInfo info;
  std::map<std::string, std::vector<float>> tensors;  // names and sizes as network_tensors() says
  Calibration calibration{};                          // empty if none was measured
};

// Throws UserError, in which `where` names the model, for numbers out of range, for `games` that are not as ModelInfo
// says, for tensors that are missing, foreign or of the wrong size, and for weights that are not finite.
void validate(const Model& model, const std::string& where);

// Throws UserError if a network of `info` cannot serve a game of `family` (empty: any) with encoding `shape`, because
// it is of another family, of another version of its encoding or has other inputs.
void require_fits(const ModelInfo& info, std::string_view family, const EncodingShape& shape, const std::string& where);

// Writes the file atomically. Throws UserError if the disk does not take it or validate() objects.
void save_model(const std::string& path, const Model& model);

// Throws UserError, which names the file, if it is unreadable, truncated, damaged or foreign, or validate() objects.
Model load_model(const std::string& path);
// The same of a file's bytes; `where` names it in error lines.
Model parse_model(std::string content, const std::string& where);

// A random network (He initialisation) for tests and benches; equal for equal seeds.
Model random_model(const ModelInfo& info, std::uint64_t seed);

}  // namespace koridor
