// The checksum of our file formats: 64 bits over bytes. It guards against accidents, not against forgers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/random.h"

namespace koridor {

static_assert(std::endian::native == std::endian::little, "the checksum reads words as they lie in memory");

// Words of 8 bytes, little-endian, are mixed in one after the other: hash = mix64(hash ^ word). The last word of each
// part is filled up with zeros.
class Checksum {
 public:
  explicit Checksum(std::uint64_t start) : hash_(start) {}

  Checksum& add(std::string_view part) {
    while (!part.empty()) {
      std::uint64_t word = 0;
      const std::size_t bytes = std::min(part.size(), sizeof word);
      std::memcpy(&word, part.data(), bytes);
      hash_ = mix64(hash_ ^ word);
      part.remove_prefix(bytes);
    }
    return *this;
  }

  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

// A hash of the bytes of the file, 16 hexadecimal digits, mixed with a text. Throws UserError where it cannot be read.
std::string file_hash(const std::filesystem::path& path, std::string_view text = "");

}  // namespace koridor
