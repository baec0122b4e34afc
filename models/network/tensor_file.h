// A file of named tensors in the layout of "safetensors", with a checksum: 8 bytes little-endian length N; N bytes of
// JSON with an entry {dtype, shape, data_offsets} per tensor and "__metadata__" (strings); the data. docs/formats.md
// defines the checksum.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace koridor {

// "model PATH: what"
UserError model_error(const std::string& path, const std::string& what);
// Throws model_error(path, what).
[[noreturn]] void fail_model(const std::string& path, const std::string& what);

// [2, 3] as text, and the number of its elements.
std::string shape_text(const std::vector<int>& shape);
std::size_t elements(const std::vector<int>& shape);

// A whole file, read and vouched for.
class TensorFile {
 public:
  // Throws UserError for a file that cannot be read, is truncated or damaged, or whose metadata do not say `format`.
  TensorFile(const std::string& path, std::string_view format);
  // The same of a file's bytes; `path` names it in error lines.
  TensorFile(const std::string& path, std::string content, std::string_view format);
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const nlohmann::json& header() const { return header_; }

  // Throws UserError where the tensors overlap so much that they have more than twice the bytes of the data, and would
  // take as much memory.
  void require_room() const;
  // Throws UserError unless the tensors lie one behind the other, without a byte in two of them or in none.
  void require_tiling() const;

  // T: float (F32), std::uint8_t (U8) or std::int8_t (I8). Throws UserError where the tensor is missing or has another
  // type or shape.
  template <class T>
  std::vector<T> read(const std::string& name, const std::vector<int>& shape) const;

 private:
  // Where the tensor of this entry begins and ends in the data, as the entry has it.
  std::pair<std::size_t, std::size_t> place(const std::string& name, const nlohmann::json& entry) const;

  std::string path_;
  std::string content_;
  nlohmann::json header_;
  std::string_view data_;  // of content_
};

class TensorFileWriter {
 public:
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, const std::vector<int>& shape);

  // The file's bytes; format and checksum are added to the metadata.
  std::string content(std::string_view format, nlohmann::json metadata) const;

 private:
  nlohmann::json header_ = nlohmann::json::object();
  std::string data_;
};

}  // namespace koridor
