// Event files for TensorBoard (`tensorboard --logdir RUN/events`). A file is a sequence of TFRecords, each of them
//     length (8 bytes, little-endian), masked CRC-32C of the length (4 bytes), data, masked CRC-32C of the data (4)
// The data is a protobuf message `Event`. These are the fields that we write, with their numbers:
//     Event     1: wall_time (double)  2: step (int64)  3: file_version (string, first record only)  5: summary
//               10: source_metadata (first record only)
//     Summary   1: value (repeated Value)
//     Value     1: tag (string)  2: simple_value (float)
//     SourceMetadata   1: writer (string): version and commit of the build
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace koridor {

// CRC-32C (Castagnoli), reflected polynomial 0x82F63B78.
std::uint32_t crc32c(std::string_view bytes);
// The CRC-32C as TFRecord stores it: rotated right by 15 bits, plus 0xA282EAD8.
std::uint32_t masked_crc32c(std::string_view bytes);
// The TFRecord of `data`.
std::string tf_record(std::string_view data);

// The time now, as events say it.
double seconds_since_1970();

// The records of a whole file: the first, which says the format, and one per number. Times are in seconds since 1970.
std::string first_event(double wall_time);
std::string scalar_event(std::string_view tag, std::int64_t step, double value, double wall_time);

// Removes the files of earlier writers from a folder; others stay. Does nothing where there is no such folder.
void remove_events(const std::filesystem::path& folder);

// A file that grows while something works.
class EventWriter {
 public:
  // Starts a new file in `folder`, which is created where it does not exist. A writer needs a folder of its own, since
  // TensorBoard follows only the newest file of a folder. Throws UserError where the file cannot be made.
  explicit EventWriter(const std::filesystem::path& folder);

  // Appends one number and flushes it. `wall_time` is in seconds since 1970; 0: now. On a full disk the record is lost
  // without an error.
  void add_scalar(std::string_view tag, std::int64_t step, double value, double wall_time = 0.0);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write(std::string_view record);

  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace koridor
