#include "models/network/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number.h"
#include "core/base/random.h"
#include "core/base/terminal.h"
#include "core/words.h"
#include "models/network/compact_model.h"
#include "models/network/tensor_file.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "koridor-model-1";

// One number of a ModelInfo: its name in the metadata, its place and its range.
struct Field {
  std::string name;
  int* value;
  int least;
  int most;
};

// The ranges of the network's size are those of the configuration (network.h).
std::vector<Field> fields(ModelInfo& info) {
  NetworkSignature& signature = info.signature;
  std::vector<Field> list = {{"generation", &info.generation, 0, 1 << 30},
                             {"planes", &signature.planes, 1, 1024},
                             {"scalars", &signature.scalars, 0, 1024},
                             {"policy_planes", &signature.policy_planes, 1, 64},
                             {"players", &signature.players, 1, kMaxPlayers}};
  SettingList network;
  network.begin_section("network");
  describe_settings(info.network, network);
  for (const Setting& setting : network.settings()) {
    list.push_back(
        {setting.key(), std::get<int*>(setting.target), static_cast<int>(setting.low), static_cast<int>(setting.high)});
  }
  return list;
}

// Files written before encodings had versions are of version 1.
constexpr const char* kEncodingVersion = "encoding_version";

// Files of networks that learned one game have none, nor have those of several that older builds wrote.
constexpr const char* kGames = "games";

// Files of builds that did not say who they are have neither.
constexpr const char* kVersion = "koridor_version";
constexpr const char* kCommit = "koridor_commit";

// Files written before networks had a list of heads have the basic heads, and `ownership` if the game has owners.
std::vector<Head> read_heads(const std::string& path, const json& metadata) {
  const auto word = [&](const char* name) {
    const auto found = metadata.find(name);
    return found != metadata.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (!metadata.contains("heads")) {
    std::vector<Head> heads = basic_heads();
    if (word("ownership_planes") == "1") heads.push_back({"ownership", Extent::squares, Activation::sigmoid, 1});
    return heads;
  }
  try {
    return parse_heads(word("heads"));
  } catch (const UserError& error) {
    fail_model(path, fmt::format("its metadata's \"heads\": {}", error.what()));
  }
}

ModelInfo read_info(const std::string& path, const json& metadata) {
  const auto text = [&](const std::string& name) -> std::string {
    const auto found = metadata.find(name);
    if (found == metadata.end()) fail_model(path, fmt::format("its metadata have no \"{}\"", name));
    if (!found->is_string()) fail_model(path, fmt::format("\"{}\" of its metadata is no string", name));
    const auto& value = found->get_ref<const std::string&>();
    if (printable(value) != value) fail_model(path, fmt::format("\"{}\" of its metadata holds control bytes", name));
    return value;
  };
  ModelInfo info;
  info.family = text("family");
  info.game = text("game");
  if (metadata.contains(kGames)) {
    std::istringstream games(text(kGames));
    for (std::string game; games >> game;) info.games.push_back(game);
  }
  info.config_hash = text("config_hash");
  info.checksum = text("checksum");
  info.build = {metadata.contains(kVersion) ? text(kVersion) : "", metadata.contains(kCommit) ? text(kCommit) : ""};
  for (const auto& [name, member, comment] : kFeatureNames) {
    const std::string key = std::string("features.") + name;
    if (member != &Features::distances && !metadata.contains(key)) continue;  // off
    const std::string value = text(key);
    if (value != "true" && value != "false")
      fail_model(path, fmt::format("{} is \"{}\", expected true or false", key, value));
    info.features.*member = value == "true";
  }
  const auto read_field = [&](const std::string& name, int& value) {
    using Limits = std::numeric_limits<int>;
    const auto number = read_number<int>(text(name), Limits::min(), Limits::max());
    if (!number) fail_model(path, fmt::format("{} is \"{}\", expected a whole number", name, text(name)));
    value = *number;
  };
  for (const Field& field : fields(info)) read_field(field.name, *field.value);
  if (metadata.contains(kEncodingVersion)) read_field(kEncodingVersion, info.encoding_version);
  info.signature.heads = read_heads(path, metadata);
  return info;
}

constexpr const char* kRanges = "calibration.ranges";
constexpr const char* kPlanes = "calibration.planes";
constexpr const char* kScalars = "calibration.scalars";
constexpr int kMaxBoardSide = 19;  // of any game

// The shape [positions, planes, rows, columns] of the calibration's planes, as the header has it.
std::vector<int> calibration_shape(const std::string& path, const TensorFile& file, int planes) {
  const auto found = file.header().find(kPlanes);
  std::vector<int> shape;
  if (found != file.header().end() && found->is_object() && found->contains("shape") && (*found)["shape"].is_array()) {
    for (const json& side : (*found)["shape"]) {
      shape.push_back(side.is_number_integer() && side >= 1 && side <= 1024 ? side.get<int>() : 0);
    }
  }
  if (shape.size() != 4 || shape[0] * shape[2] * shape[3] == 0 || shape[1] != planes) {
    fail_model(path, fmt::format("tensor {} has no shape [positions, {}, rows, columns]", kPlanes, planes));
  }
  // Each of them is evaluated before the model is used, with every activation kept.
  if (shape[0] > kCalibrationPositions || shape[2] > kMaxBoardSide || shape[3] > kMaxBoardSide) {
    fail_model(path, fmt::format("tensor {} is of {} positions on {}x{}; expected at most {} on {}x{}", kPlanes,
                                 shape[0], shape[2], shape[3], kCalibrationPositions, kMaxBoardSide, kMaxBoardSide));
  }
  return shape;
}

// Empty if the model has none.
Calibration read_calibration(const std::string& path, const TensorFile& file, const ModelInfo& info) {
  Calibration calibration;
  if (!file.header().contains(kRanges)) return calibration;
  const std::vector<int> shape = calibration_shape(path, file, info.signature.planes);
  calibration.rows = shape[2];
  calibration.columns = shape[3];
  calibration.ranges = file.read<float>(kRanges, {network_activations(info.network)});
  calibration.planes = file.read<std::uint8_t>(kPlanes, shape);
  calibration.scalars = file.read<float>(kScalars, {shape[0], info.signature.scalars});
  return calibration;
}

void check_games(const std::string& where, const ModelInfo& info) {
  const std::vector<std::string>& games = info.games;
  if (games.empty()) return;
  const auto is_word = [](const std::string& game) { return !game.empty() && game.find(' ') == std::string::npos; };
  const std::set<std::string> different(games.begin(), games.end());
  if (games.size() < 2 || games.size() > kMostLearnedGames || different.size() != games.size() ||
      games.front() != info.game || !std::ranges::all_of(games, is_word)) {
    fail_model(where, fmt::format("its \"{}\" are not 2 to {} different names of which the first is {}", kGames,
                                  kMostLearnedGames, in_quotes(info.game)));
  }
}

void check_ranges(const std::string& where, ModelInfo info) {
  for (const Field& field : fields(info)) {
    if (*field.value < field.least || *field.value > field.most) {
      fail_model(where, fmt::format("{} is {}, expected {} to {}", field.name, *field.value, field.least, field.most));
    }
  }
}

int calibration_size(const ModelInfo& info, const Calibration& calibration) {
  const int each = info.signature.planes * calibration.rows * calibration.columns;
  return each > 0 ? static_cast<int>(calibration.planes.size()) / each : 0;
}

void validate_calibration(const ModelInfo& info, const Calibration& calibration, const std::string& where) {
  if (calibration.empty()) return;
  const auto positions = static_cast<std::size_t>(calibration_size(info, calibration));
  const auto each = static_cast<std::size_t>(info.signature.planes * calibration.rows * calibration.columns);
  if (calibration.ranges.size() != static_cast<std::size_t>(network_activations(info.network)) || positions == 0 ||
      calibration.planes.size() != positions * each ||
      calibration.scalars.size() != positions * static_cast<std::size_t>(info.signature.scalars)) {
    fail_model(where, "the sizes of its calibration do not fit its network");
  }
  for (const float range : calibration.ranges) {
    if (!std::isfinite(range) || range < kLeastRange) {
      fail_model(where,
                 fmt::format("a range of its calibration is {:g}, which is no number from {:g}", range, kLeastRange));
    }
  }
  for (const float scalar : calibration.scalars) {
    if (!std::isfinite(scalar)) fail_model(where, "a scalar of its calibration is not a finite number");
  }
}

// The name of a tensor that the network does not have; empty if there is none.
std::string foreign_tensor(const Model& model) {
  const auto expected = network_tensors(model.info.network, model.info.signature);
  for (const auto& [name, values] : model.tensors) {
    const auto same = [&name = name](const auto& tensor) { return tensor.first == name; };
    if (std::none_of(expected.begin(), expected.end(), same)) return name;
  }
  return {};
}

// The tensor beside the weights of a 3x3 convolution that are bytes: what 1 of them stands for, for each output.
std::string units_of(const std::string& name) {
  return name + ".units";
}
bool may_be_bytes(const std::vector<int>& shape) {
  return shape.size() == 4;
}

std::vector<float> read_weights(const TensorFile& file, const std::string& name, const std::vector<int>& shape) {
  if (!may_be_bytes(shape) || !file.header().contains(units_of(name))) return file.read<float>(name, shape);
  const auto units = file.read<float>(units_of(name), {shape[0]});
  const auto bytes = file.read<std::int8_t>(name, shape);
  std::vector<float> values(bytes.size());
  const std::size_t each = bytes.size() / std::max<std::size_t>(units.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(bytes[i]) * units[i / each];
  return values;
}

void add_bytes(TensorFileWriter& file, const std::string& name, const std::vector<float>& values,
               const std::vector<int>& shape) {
  const std::vector<float> units = weight_units(values, shape[0], shape[0], 127.0f);
  std::vector<std::int8_t> bytes(values.size());
  const std::size_t each = values.size() / units.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    bytes[i] = static_cast<std::int8_t>(std::nearbyint(values[i] / units[i / each]));
  }
  file.add(name, bytes, shape);
  file.add(units_of(name), units, {shape[0]});
}

Model read_model(const std::string& path, const TensorFile& file) {
  // From here on the file is known to be whole: an error was written on purpose or by another program.
  Model model;
  model.info = read_info(path, file.header().at("__metadata__"));
  check_ranges(path, model.info);
  file.require_room();
  std::set<std::string> units;
  for (const auto& [name, shape] : network_tensors(model.info.network, model.info.signature)) {
    model.tensors[name] = read_weights(file, name, shape);
    if (may_be_bytes(shape)) units.insert(units_of(name));
  }
  model.calibration = read_calibration(path, file, model.info);
  for (const auto& [name, entry] : file.header().items()) {
    const bool calibration = !model.calibration.empty() && (name == kRanges || name == kPlanes || name == kScalars);
    if (name != "__metadata__" && !calibration && !model.tensors.contains(name) && !units.contains(name)) {
      fail_model(path, fmt::format("tensor {} is none of this network's", name));
    }
  }
  file.require_tiling();
  validate(model, path);
  return model;
}

}  // namespace

std::vector<std::string> learned_games(const ModelInfo& info) {
  return info.games.empty() ? std::vector{info.game} : info.games;
}

void validate(const Model& model, const std::string& where) {
  check_ranges(where, model.info);
  check_games(where, model.info);
  const auto expected = network_tensors(model.info.network, model.info.signature);
  for (const auto& [name, shape] : expected) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) fail_model(where, fmt::format("tensor {} is missing", name));
    if (found->second.size() != elements(shape)) {
      fail_model(where, fmt::format("tensor {} has {} values, its shape {} expects {}", name, found->second.size(),
                                    shape_text(shape), elements(shape)));
    }
    for (const float value : found->second) {
      if (!std::isfinite(value)) fail_model(where, fmt::format("tensor {} holds a value that is not finite", name));
    }
  }
  validate_calibration(model.info, model.calibration, where);
  const std::string foreign = foreign_tensor(model);
  if (!foreign.empty()) fail_model(where, fmt::format("tensor {} is none of this network's", foreign));
}

namespace {

void save(const std::string& path, const Model& model, bool compact) {
  validate(model, path);
  ModelInfo info = model.info;
  json metadata = {{"family", info.family},
                   {kEncodingVersion, std::to_string(info.encoding_version)},
                   {"heads", heads_text(info.signature.heads)},
                   {"game", info.game},
                   {"config_hash", info.config_hash},
                   {kVersion, this_build().version},
                   {kCommit, this_build().commit}};
  if (!info.games.empty()) metadata[kGames] = fmt::format("{}", fmt::join(info.games, " "));
  for (const auto& [name, member, comment] : kFeatureNames) {
    const bool on = info.features.*member;
    if (on || member == &Features::distances) metadata[std::string("features.") + name] = on ? "true" : "false";
  }
  for (const Field& field : fields(info)) metadata[field.name] = std::to_string(*field.value);
  TensorFileWriter file;
  for (const auto& [name, shape] : network_tensors(info.network, info.signature)) {
    if (compact && may_be_bytes(shape)) {
      add_bytes(file, name, model.tensors.at(name), shape);
    } else {
      file.add(name, model.tensors.at(name), shape);
    }
  }
  const Calibration& calibration = model.calibration;
  if (!calibration.empty()) {
    const int positions = calibration_size(info, calibration);
    file.add(kRanges, calibration.ranges, {network_activations(info.network)});
    file.add(kScalars, calibration.scalars, {positions, info.signature.scalars});
    file.add(kPlanes, calibration.planes, {positions, info.signature.planes, calibration.rows, calibration.columns});
  }
  write_file_atomically(path, file.content(kFormat, std::move(metadata)));
}

}  // namespace

void save_model(const std::string& path, const Model& model) {
  save(path, model, false);
}

void save_compact_model(const std::string& path, const Model& model) {
  save(path, model, true);
}

bool is_compact_model(const std::string& path) {
  return TensorFile(path, kFormat).header().contains(units_of("stem.weight"));
}

Model load_model(const std::string& path) {
  return read_model(path, TensorFile(path, kFormat));
}

Model parse_model(std::string content, const std::string& where) {
  return read_model(where, TensorFile(where, std::move(content), kFormat));
}

void require_fits(const ModelInfo& info, std::string_view family, const EncodingShape& shape,
                  const std::string& where) {
  if (!family.empty() && info.family != family) {
    fail_model(where, fmt::format("it plays games of the family \"{}\", this game is of the family \"{}\"", info.family,
                                  family));
  }
  if (info.encoding_version != shape.version) {
    fail_model(where,
               fmt::format("it reads version {} of its game's encoding, this program writes version {}: train it anew",
                           info.encoding_version, shape.version));
  }
  const NetworkSignature& has = info.signature;
  const NetworkSignature needs = signature(shape);
  if (has.players != needs.players) {
    fail_model(where, fmt::format("it was made for {} players, this game has {}", has.players, needs.players));
  }
  if (!has.same_inputs(needs)) {
    fail_model(
        where,
        fmt::format("it learned {} with {} planes, {} scalars and {} planes of actions; this game has {}, {} and {}{}",
                    fmt::join(learned_games(info), ", "), has.planes, has.scalars, has.policy_planes, needs.planes,
                    needs.scalars, needs.policy_planes,
                    info.family == "wall" ? ": its pawns, kinds of walls or parts of a turn are others" : ""));
  }
}

Model random_model(const ModelInfo& info, std::uint64_t seed) {
  check_ranges("random", info);
  Model model{info, {}, {}};
  Random random(mix64(seed ^ 0x6D6F64656Cu));
  for (const auto& [name, shape] : network_tensors(info.network, info.signature)) {
    std::vector<float>& values = model.tensors[name];
    values.resize(elements(shape));
    if (shape.size() == 1) continue;  // biases start at zero
    const double fan_in = static_cast<double>(elements(shape)) / std::max(shape[0], 1);
    double variance = 2.0 / fan_in;
    // Each residual adds 1/blocks of the variance, so that the signal's size does not depend on the depth.
    if (name.ends_with(".second.weight")) variance /= info.network.blocks;
    // Maxima are larger than the values they are taken from; this keeps what they add smaller.
    if (name.ends_with(".pool.weight")) variance /= 16.0;
    if (name.ends_with(".out.weight") || name.ends_with(".pass.weight")) variance /= 8.0;
    const double deviation = std::sqrt(variance);
    for (float& value : values) value = static_cast<float>(deviation * random.normal());
  }
  return model;
}

}  // namespace koridor
