#include "models/network/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"

static_assert(std::endian::native == std::endian::little, "the model file is written as it lies in memory");

namespace koridor {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "koridor-model-1";
constexpr std::string_view kNoChecksum = "0000000000000000";
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = std::size_t{16} << 20;

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

std::string shape_text(const std::vector<int>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::size_t elements(const std::vector<int>& shape) {
  std::size_t count = 1;
  for (const int side : shape) count *= static_cast<std::size_t>(side);
  return count;
}

// The checksum of everything in the file but its own digits.
std::uint64_t checksum(std::string_view content, std::size_t digits_at) {
  return Checksum(mix64(content.size()))
      .add(content.substr(0, digits_at))
      .add(content.substr(digits_at + kNoChecksum.size()))
      .value();
}

// Where the checksum's digits stand in a file whose first `header_end` bytes are the length and the header.
std::optional<std::size_t> find_digits(std::string_view content, std::size_t header_end) {
  constexpr std::string_view kKey = "\"checksum\":\"";
  const std::size_t found = content.substr(0, header_end).find(kKey);
  if (found == std::string_view::npos || found + kKey.size() + kNoChecksum.size() > header_end) return std::nullopt;
  return found + kKey.size();
}

void set_digits(std::string& content, std::size_t digits_at, std::uint64_t value) {
  content.replace(digits_at, kNoChecksum.size(), fmt::format("{:016x}", value));
}

// A parsed header: the JSON and the bytes that follow it.
struct Parsed {
  json header;
  std::string_view data;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw UserError(fmt::format("model {}: {}", path, what));
}

Parsed parse_header(const std::string& path, std::string_view content) {
  if (content.empty()) fail(path, "the file is empty");
  if (content.size() < kLengthBytes + 2) fail(path, fmt::format("no model file ({} bytes)", content.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), sizeof length);
  if (length > kLongestHeader || content[kLengthBytes] != '{') {
    fail(path, "no model file (it does not begin as one; expected what the trainer or save_model wrote)");
  }
  if (length > content.size() - kLengthBytes) {
    fail(path, fmt::format("truncated: its header alone should have {} bytes, the file has {}", length + kLengthBytes,
                           content.size()));
  }
  Parsed parsed{json::parse(content.substr(kLengthBytes, length), nullptr, false),
                content.substr(kLengthBytes + length)};
  if (!parsed.header.is_object()) fail(path, "damaged: its header is no valid JSON");
  const auto metadata = parsed.header.find("__metadata__");
  if (metadata == parsed.header.end() || !metadata->is_object() || !metadata->contains("format") ||
      !(*metadata)["format"].is_string()) {
    fail(path, "a safetensors file, but no Koridor model: its metadata have no \"format\"");
  }
  const std::string format = (*metadata)["format"];
  if (format != kFormat) fail(path, fmt::format("format \"{}\"; this version reads \"{}\"", format, kFormat));
  return parsed;
}

// The end of the last tensor, which is the size that the data should have; 0 if the header does not say it.
std::size_t expected_data(const json& header) {
  std::size_t end = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__" || !entry.is_object() || !entry.contains("data_offsets")) continue;
    const json& offsets = entry["data_offsets"];
    if (offsets.is_array() && offsets.size() == 2 && offsets[1].is_number_unsigned()) {
      end = std::max(end, offsets[1].get<std::size_t>());
    }
  }
  return end;
}

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
    fail(path, fmt::format("its metadata's \"heads\": {}", error.what()));
  }
}

ModelInfo read_info(const std::string& path, const json& metadata) {
  const auto text = [&](const std::string& name) -> std::string {
    const auto found = metadata.find(name);
    if (found == metadata.end()) fail(path, fmt::format("its metadata have no \"{}\"", name));
    if (!found->is_string()) fail(path, fmt::format("\"{}\" of its metadata is no string", name));
    return *found;
  };
  ModelInfo info;
  info.family = text("family");
  info.game = text("game");
  info.config_hash = text("config_hash");
  const std::string distances = text("features.distances");
  if (distances != "true" && distances != "false") {
    fail(path, fmt::format("features.distances is \"{}\", expected true or false", distances));
  }
  info.features.distances = distances == "true";
  const auto read_number = [&](const std::string& name, int& value) {
    const std::string number = text(name);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size()) {
      fail(path, fmt::format("{} is \"{}\", expected a whole number", name, number));
    }
  };
  for (const Field& field : fields(info)) read_number(field.name, *field.value);
  if (metadata.contains(kEncodingVersion)) read_number(kEncodingVersion, info.encoding_version);
  info.signature.heads = read_heads(path, metadata);
  return info;
}

template <class T>
constexpr const char* kDtype = nullptr;
template <>
constexpr const char* kDtype<float> = "F32";
template <>
constexpr const char* kDtype<std::uint8_t> = "U8";

// Tensor `name`, which is in the header; `shape` is what it should have.
template <class T>
std::vector<T> read_tensor(const std::string& path, const Parsed& parsed, const std::string& name,
                           const std::vector<int>& shape) {
  const auto found = parsed.header.find(name);
  if (found == parsed.header.end()) fail(path, fmt::format("tensor {} is missing", name));
  const json& entry = *found;
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets")) {
    fail(path, fmt::format("tensor {} has no dtype, shape and data_offsets", name));
  }
  if (entry["dtype"] != kDtype<T>) {
    fail(path, fmt::format("tensor {} has dtype {}, expected \"{}\"", name, entry["dtype"].dump(), kDtype<T>));
  }
  if (entry["shape"] != json(shape)) {
    fail(path, fmt::format("tensor {} has the shape {}, expected {}", name, entry["shape"].dump(), shape_text(shape)));
  }
  const json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    fail(path, fmt::format("tensor {} has data_offsets {}, expected two numbers", name, offsets.dump()));
  }
  const auto begin = offsets[0].get<std::size_t>();
  const auto end = offsets[1].get<std::size_t>();
  if (begin > end || end > parsed.data.size() || end - begin != elements(shape) * sizeof(T)) {
    fail(path, fmt::format("tensor {} has data_offsets [{}, {}], which do not fit its shape or the {} bytes of data",
                           name, begin, end, parsed.data.size()));
  }
  std::vector<T> values(elements(shape));
  if (!values.empty()) std::memcpy(values.data(), parsed.data.data() + begin, end - begin);
  return values;
}

constexpr const char* kRanges = "calibration.ranges";
constexpr const char* kPlanes = "calibration.planes";
constexpr const char* kScalars = "calibration.scalars";

// The shape [positions, planes, rows, columns] of the calibration's planes, as the header has it.
std::vector<int> calibration_shape(const std::string& path, const Parsed& parsed, int planes) {
  const auto found = parsed.header.find(kPlanes);
  std::vector<int> shape;
  if (found != parsed.header.end() && found->is_object() && found->contains("shape") && (*found)["shape"].is_array()) {
    for (const json& side : (*found)["shape"]) {
      shape.push_back(side.is_number_integer() && side >= 1 && side <= 1024 ? side.get<int>() : 0);
    }
  }
  if (shape.size() != 4 || shape[0] * shape[2] * shape[3] == 0 || shape[1] != planes) {
    fail(path, fmt::format("tensor {} has no shape [positions, {}, rows, columns]", kPlanes, planes));
  }
  return shape;
}

// Empty if the model has none.
Calibration read_calibration(const std::string& path, const Parsed& parsed, const ModelInfo& info) {
  Calibration calibration;
  if (!parsed.header.contains(kRanges)) return calibration;
  const std::vector<int> shape = calibration_shape(path, parsed, info.signature.planes);
  calibration.rows = shape[2];
  calibration.columns = shape[3];
  calibration.ranges = read_tensor<float>(path, parsed, kRanges, {network_activations(info.network)});
  calibration.planes = read_tensor<std::uint8_t>(path, parsed, kPlanes, shape);
  calibration.scalars = read_tensor<float>(path, parsed, kScalars, {shape[0], info.signature.scalars});
  return calibration;
}

// Appends a tensor to the data and returns its entry in the header.
template <class T>
json append_tensor(std::string& data, const std::vector<T>& values, const std::vector<int>& shape) {
  const std::size_t begin = data.size();
  data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return {{"dtype", kDtype<T>}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
}

void check_ranges(const std::string& where, ModelInfo info) {
  for (const Field& field : fields(info)) {
    if (*field.value < field.least || *field.value > field.most) {
      fail(where, fmt::format("{} is {}, expected {} to {}", field.name, *field.value, field.least, field.most));
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
    fail(where, "the sizes of its calibration do not fit its network");
  }
  for (const float range : calibration.ranges) {
    if (!std::isfinite(range) || range <= 0.0f) fail(where, "a range of its calibration is not a positive number");
  }
  for (const float scalar : calibration.scalars) {
    if (!std::isfinite(scalar)) fail(where, "a scalar of its calibration is not a finite number");
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

}  // namespace

void validate(const Model& model, const std::string& where) {
  check_ranges(where, model.info);
  const auto expected = network_tensors(model.info.network, model.info.signature);
  for (const auto& [name, shape] : expected) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) fail(where, fmt::format("tensor {} is missing", name));
    if (found->second.size() != elements(shape)) {
      fail(where, fmt::format("tensor {} has {} values, its shape {} expects {}", name, found->second.size(),
                              shape_text(shape), elements(shape)));
    }
    for (const float value : found->second) {
      if (!std::isfinite(value)) fail(where, fmt::format("tensor {} holds a value that is not finite", name));
    }
  }
  validate_calibration(model.info, model.calibration, where);
  const std::string foreign = foreign_tensor(model);
  if (!foreign.empty()) fail(where, fmt::format("tensor {} is none of this network's", foreign));
}

void save_model(const std::string& path, const Model& model) {
  validate(model, path);
  ModelInfo info = model.info;
  json metadata = {{"format", kFormat},
                   {"checksum", kNoChecksum},
                   {"family", info.family},
                   {kEncodingVersion, std::to_string(info.encoding_version)},
                   {"heads", heads_text(info.signature.heads)},
                   {"game", info.game},
                   {"config_hash", info.config_hash},
                   {"features.distances", info.features.distances ? "true" : "false"}};
  for (const Field& field : fields(info)) metadata[field.name] = std::to_string(*field.value);
  json header = {{"__metadata__", metadata}};
  std::string data;
  for (const auto& [name, shape] : network_tensors(info.network, info.signature)) {
    header[name] = append_tensor(data, model.tensors.at(name), shape);
  }
  const Calibration& calibration = model.calibration;
  if (!calibration.empty()) {
    const int positions = calibration_size(info, calibration);
    header[kRanges] = append_tensor(data, calibration.ranges, {network_activations(info.network)});
    header[kScalars] = append_tensor(data, calibration.scalars, {positions, info.signature.scalars});
    header[kPlanes] = append_tensor(data, calibration.planes,
                                    {positions, info.signature.planes, calibration.rows, calibration.columns});
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begin at a multiple of 8 bytes

  const std::uint64_t length = text.size();
  std::string content(reinterpret_cast<const char*>(&length), sizeof length);
  content += text;
  content += data;
  const std::size_t digits_at = find_digits(content, kLengthBytes + length).value();
  set_digits(content, digits_at, checksum(content, digits_at));
  write_file_atomically(path, content);
}

Model load_model(const std::string& path) {
  const std::string content = read_file(path);
  const Parsed parsed = parse_header(path, content);
  const std::size_t expected = expected_data(parsed.header);
  if (parsed.data.size() != expected) {
    fail(path, fmt::format("{}: {} bytes of weights, its header promises {}",
                           parsed.data.size() < expected ? "truncated" : "damaged", parsed.data.size(), expected));
  }
  const auto digits_at = find_digits(content, content.size() - parsed.data.size());
  if (!digits_at) fail(path, "its metadata have no checksum");
  if (fmt::format("{:016x}", checksum(content, *digits_at)) !=
      std::string_view(content).substr(*digits_at, kNoChecksum.size())) {
    fail(path, "damaged: its checksum is wrong");
  }

  // From here on the file is known to be whole: an error was written on purpose or by another program.
  Model model;
  model.info = read_info(path, parsed.header["__metadata__"]);
  check_ranges(path, model.info);
  for (const auto& [name, shape] : network_tensors(model.info.network, model.info.signature)) {
    model.tensors[name] = read_tensor<float>(path, parsed, name, shape);
  }
  model.calibration = read_calibration(path, parsed, model.info);
  for (const auto& [name, entry] : parsed.header.items()) {
    const bool calibration = !model.calibration.empty() && (name == kRanges || name == kPlanes || name == kScalars);
    if (name != "__metadata__" && !calibration && !model.tensors.contains(name)) {
      fail(path, fmt::format("tensor {} is none of this network's", name));
    }
  }
  validate(model, path);
  return model;
}

void require_fits(const ModelInfo& info, std::string_view family, const EncodingShape& shape,
                  const std::string& where) {
  if (!family.empty() && info.family != family) {
    fail(where,
         fmt::format("it plays games of the family \"{}\", this game is of the family \"{}\"", info.family, family));
  }
  if (info.encoding_version != shape.version) {
    fail(where, fmt::format("it reads version {} of its game's encoding, this program writes version {}: train it anew",
                            info.encoding_version, shape.version));
  }
  const NetworkSignature& has = info.signature;
  const NetworkSignature needs = signature(shape);
  if (has.players != needs.players) {
    fail(where, fmt::format("it was made for {} players, this game has {}", has.players, needs.players));
  }
  if (!has.same_inputs(needs)) {
    fail(where,
         fmt::format("it reads {} planes and {} scalars and writes {} policy planes; this game has {}, {} and {}",
                     has.planes, has.scalars, has.policy_planes, needs.planes, needs.scalars, needs.policy_planes));
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
