// TensorBoard event files: the ecosystem's own dashboard shows a run (`tensorboard --logdir RUN/events`).
// A file is a sequence of TFRecords, each  length (8 bytes, little-endian), masked CRC-32C of these 8 bytes (4),
// data, masked CRC-32C of the data (4).  The data is the protobuf message `Event`, of which we write
//     1: wall_time (double)  2: step (int64)  3: file_version (string, first record only)  5: summary,
// a Summary being 1: value (repeated), a value 1: tag (string), 2: simple_value (float).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace koridor {

// CRC-32C (Castagnoli), reflected polynomial 0x82F63B78.
std::uint32_t crc32c(std::string_view bytes);
// As TFRecord stores it: rotated right by 15 bits, plus 0xA282EAD8.
std::uint32_t masked_crc32c(std::string_view bytes);
// `data` with its length and checksums around it.
std::string tf_record(std::string_view data);

class EventWriter {
 public:
  // Starts a new file in `folder` (made where missing). A writer needs a folder of its own: TensorBoard follows only
  // the newest file of one. Throws UserError where the file cannot be made.
  explicit EventWriter(const std::filesystem::path& folder);

  // Appends one number and flushes it. `wall_time` is in seconds since 1970; 0: now. A full disk loses the record but
  // stops nobody.
  void add_scalar(std::string_view tag, std::int64_t step, double value, double wall_time = 0.0);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write(std::string_view event);

  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace koridor
