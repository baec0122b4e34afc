#include "models/network/tensor_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/random.h"

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

namespace koridor {
namespace {

using nlohmann::json;

constexpr std::string_view kNoChecksum = "0000000000000000";
constexpr std::size_t kLengthBytes = 8;
// The largest network's header has 40 KB. A hostile one costs up to 80 times its length when it is parsed.
constexpr std::size_t kLongestHeader = std::size_t{1} << 19;
constexpr int kDeepestHeader = 4;  // the file, a tensor, its shape; nothing that an error line quotes is deeper
// The largest network, 40 blocks of 512 channels, has 0.8 GB.
constexpr std::uintmax_t kLargestFileOfTensors = std::uintmax_t{1} << 30;

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

// The largest number of brackets of JSON that are open at a time.
int nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;  // what follows is quoted
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

Parsed parse_header(const std::string& path, std::string_view content, std::string_view expected) {
  if (content.empty()) fail_model(path, "the file is empty");
  if (content.size() < kLengthBytes + 2) fail_model(path, fmt::format("no model file ({} bytes)", content.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), sizeof length);
  if (length > kLongestHeader || content[kLengthBytes] != '{') {
    fail_model(path, "no model file: it does not begin as those that koridor writes");
  }
  if (length > content.size() - kLengthBytes) {
    fail_model(path, fmt::format("truncated: its header alone should have {} bytes, the file has {}",
                                 length + kLengthBytes, content.size()));
  }
  const std::string_view header = content.substr(kLengthBytes, length);
  if (nesting(header) > kDeepestHeader) fail_model(path, "damaged: its header is nested too deeply");
  Parsed parsed{json::parse(header, nullptr, false), content.substr(kLengthBytes + length)};
  if (!parsed.header.is_object()) fail_model(path, "damaged: its header is no valid JSON");
  const auto metadata = parsed.header.find("__metadata__");
  if (metadata == parsed.header.end() || !metadata->is_object() || !metadata->contains("format") ||
      !(*metadata)["format"].is_string()) {
    fail_model(path, "a safetensors file, but no Koridor model: its metadata have no \"format\"");
  }
  const std::string format = (*metadata)["format"];
  // Nobody knows whether it is sound.
  if (format != expected) {
    throw ReadError(fmt::format("{}: format \"{}\"; this version reads \"{}\"", path, format, expected));
  }
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

[[noreturn]] void fail_of_size(const std::string& path, std::uintmax_t has, std::size_t expected) {
  fail_model(path, fmt::format("{}: {} bytes of weights, its header promises {}",
                               has < expected ? "truncated" : "damaged", has, expected));
}

// The whole file. Of a large one the header is looked at before the rest is read, so that a file that promises anything
// else than it has costs little.
std::string read_tensors(const std::string& path, std::string_view format) {
  constexpr std::size_t kLook = kLengthBytes + kLongestHeader;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > kLook && size <= kLargestFileOfTensors && std::filesystem::is_regular_file(path, error)) {
    std::string start(kLook, '\0');
    std::ifstream in(path, std::ios::binary);
    if (in.read(start.data(), static_cast<std::streamsize>(kLook))) {
      const Parsed parsed = parse_header(path, start, format);
      const std::size_t expected = expected_data(parsed.header);
      const std::uintmax_t has = size - (kLook - parsed.data.size());
      if (has != expected) fail_of_size(path, has, expected);
    }
  }
  return read_file(path, kLargestFileOfTensors);
}

template <class T>
constexpr const char* kDtype = nullptr;
template <>
constexpr const char* kDtype<float> = "F32";
template <>
constexpr const char* kDtype<std::uint8_t> = "U8";
template <>
constexpr const char* kDtype<std::int8_t> = "I8";

}  // namespace

UserError model_error(const std::string& path, const std::string& what) {
  return UserError(fmt::format("model {}: {}", path, what));
}

void fail_model(const std::string& path, const std::string& what) {
  throw model_error(path, what);
}

std::string shape_text(const std::vector<int>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::size_t elements(const std::vector<int>& shape) {
  std::size_t count = 1;
  for (const int side : shape) count *= static_cast<std::size_t>(side);
  return count;
}

TensorFile::TensorFile(const std::string& path, std::string_view format)
    : TensorFile(path, read_tensors(path, format), format) {}

TensorFile::TensorFile(const std::string& path, std::string content, std::string_view format)
    : path_(path), content_(std::move(content)) {
  Parsed parsed = parse_header(path, content_, format);
  const std::size_t expected = expected_data(parsed.header);
  if (parsed.data.size() != expected) fail_of_size(path, parsed.data.size(), expected);
  const auto digits_at = find_digits(content_, content_.size() - parsed.data.size());
  if (!digits_at) fail_model(path, "its metadata have no checksum");
  if (fmt::format("{:016x}", checksum(content_, *digits_at)) !=
      std::string_view(content_).substr(*digits_at, kNoChecksum.size())) {
    fail_model(path, "damaged: its checksum is wrong");
  }
  header_ = std::move(parsed.header);
  data_ = parsed.data;
}

void TensorFile::require_room() const {
  std::size_t all = 0;
  for (const auto& [name, entry] : header_.items()) {
    if (name == "__metadata__") continue;
    const auto [begin, end] = place(name, entry);
    if (begin < end && end <= data_.size()) all += end - begin;  // what is wrong with others is said of each by itself
  }
  if (all / 2 <= data_.size()) return;  // a few that overlap are named once they are read
  fail_model(path_,
             fmt::format("its tensors have {} bytes and its data {}: tensors may neither overlap nor leave holes", all,
                         data_.size()));
}

void TensorFile::require_tiling() const {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& [name, entry] : header_.items()) {
    if (name == "__metadata__") continue;
    const auto [begin, end] = place(name, entry);
    places.emplace_back(begin, end);
  }
  std::ranges::sort(places);
  std::size_t next = 0;
  for (const auto& [begin, end] : places) {
    if (begin != next) {
      fail_model(path_,
                 fmt::format("a tensor lies at byte {} of the data and the one before it ends at {}: tensors may "
                             "neither overlap nor leave holes",
                             begin, next));
    }
    next = end;
  }
}

std::pair<std::size_t, std::size_t> TensorFile::place(const std::string& name, const json& entry) const {
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets")) {
    fail_model(path_, fmt::format("tensor {} has no dtype, shape and data_offsets", name));
  }
  const json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    fail_model(path_, fmt::format("tensor {} has data_offsets {}, expected two numbers", name, offsets.dump()));
  }
  return {offsets[0].get<std::size_t>(), offsets[1].get<std::size_t>()};
}

template <class T>
std::vector<T> TensorFile::read(const std::string& name, const std::vector<int>& shape) const {
  const auto found = header_.find(name);
  if (found == header_.end()) fail_model(path_, fmt::format("tensor {} is missing", name));
  const json& entry = *found;
  const auto [begin, end] = place(name, entry);
  if (entry["dtype"] != kDtype<T>) {
    fail_model(path_, fmt::format("tensor {} has dtype {}, expected \"{}\"", name, entry["dtype"].dump(), kDtype<T>));
  }
  if (entry["shape"] != json(shape)) {
    fail_model(path_,
               fmt::format("tensor {} has the shape {}, expected {}", name, entry["shape"].dump(), shape_text(shape)));
  }
  if (begin > end || end > data_.size() || end - begin != elements(shape) * sizeof(T)) {
    fail_model(path_,
               fmt::format("tensor {} has data_offsets [{}, {}], which do not fit its shape or the {} bytes of data",
                           name, begin, end, data_.size()));
  }
  std::vector<T> values(elements(shape));
  if (!values.empty()) std::memcpy(values.data(), data_.data() + begin, end - begin);
  return values;
}
template std::vector<float> TensorFile::read(const std::string&, const std::vector<int>&) const;
template std::vector<std::uint8_t> TensorFile::read(const std::string&, const std::vector<int>&) const;
template std::vector<std::int8_t> TensorFile::read(const std::string&, const std::vector<int>&) const;

template <class T>
void TensorFileWriter::add(const std::string& name, const std::vector<T>& values, const std::vector<int>& shape) {
  const std::size_t begin = data_.size();
  data_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  header_[name] = {{"dtype", kDtype<T>}, {"shape", shape}, {"data_offsets", {begin, data_.size()}}};
}
template void TensorFileWriter::add(const std::string&, const std::vector<float>&, const std::vector<int>&);
template void TensorFileWriter::add(const std::string&, const std::vector<std::uint8_t>&, const std::vector<int>&);
template void TensorFileWriter::add(const std::string&, const std::vector<std::int8_t>&, const std::vector<int>&);

std::string TensorFileWriter::content(std::string_view format, json metadata) const {
  metadata["format"] = format;
  metadata["checksum"] = kNoChecksum;
  json header = header_;
  header["__metadata__"] = std::move(metadata);
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begin at a multiple of 8 bytes

  const std::uint64_t length = text.size();
  std::string content(reinterpret_cast<const char*>(&length), sizeof length);
  content += text;
  content += data_;
  const std::size_t digits_at = find_digits(content, kLengthBytes + length).value();
  set_digits(content, digits_at, checksum(content, digits_at));
  return content;
}

}  // namespace koridor
