#include "train/run/events.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/version.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

TEST(Crc32c, KnownAnswers) {
  // RFC 3720, appendix B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<char>(i));
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
}

TEST(Crc32c, MaskedAsInTfRecord) {
  // ((crc >> 15) | (crc << 17)) + 0xA282EAD8 of 0xE3069283, worked out by hand.
  EXPECT_EQ(masked_crc32c("123456789"), 0x2507C60Du + 0xA282EAD8u);
}

template <class T>
T take(std::string_view& bytes) {
  T value;
  EXPECT_GE(bytes.size(), sizeof(T));
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<std::uint8_t>(bytes);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

// A protobuf message's fields as raw bytes, by number; a small reader of our own, written from the wire format.
std::map<int, std::string> parse_message(std::string_view bytes) {
  std::map<int, std::string> fields;
  while (!bytes.empty()) {
    const std::uint64_t key = take_varint(bytes);
    std::size_t length = 0;
    switch (key & 7) {
      case 0: {
        const std::uint64_t value = take_varint(bytes);
        fields[int(key >> 3)] = std::to_string(value);
        continue;
      }
      case 1:
        length = 8;
        break;
      case 2:
        length = take_varint(bytes);
        break;
      case 5:
        length = 4;
        break;
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        return fields;
    }
    fields[int(key >> 3)] = std::string(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return fields;
}

template <class T>
T as(const std::string& bytes) {
  std::string_view view = bytes;
  return take<T>(view);
}

TEST(EventWriter, WritesRecordsThatDecode) {
  const TemporaryFolder folder;
  EventWriter writer(folder / "events");
  writer.add_scalar("training/loss", 300, 1.5, 1234.5);
  writer.add_scalar("rating/elo", 2, -70.25);
  // Read while the writer is open: each record is flushed.
  const std::string content = read_file(writer.path());
  EXPECT_NE(writer.path().filename().string().find("tfevents"), std::string::npos);

  std::vector<std::map<int, std::string>> events;
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view length_bytes = rest.substr(0, 8);
    const auto length = take<std::uint64_t>(rest);
    EXPECT_EQ(take<std::uint32_t>(rest), masked_crc32c(length_bytes));
    const std::string_view data = rest.substr(0, length);
    rest.remove_prefix(length);
    EXPECT_EQ(take<std::uint32_t>(rest), masked_crc32c(data));
    events.push_back(parse_message(data));
  }
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0][3], "brain.Event:2");
  EXPECT_EQ(parse_message(events[0][10])[1], build_text(this_build()));
  EXPECT_EQ(as<double>(events[1][1]), 1234.5);
  EXPECT_EQ(events[1][2], "300");
  auto value = parse_message(parse_message(events[1][5])[1]);
  EXPECT_EQ(value[1], "training/loss");
  EXPECT_EQ(as<float>(value[2]), 1.5f);
  EXPECT_GT(as<double>(events[2][1]), 1.7e9);
  value = parse_message(parse_message(events[2][5])[1]);
  EXPECT_EQ(value[1], "rating/elo");
  EXPECT_EQ(as<float>(value[2]), -70.25f);
}

TEST(EventWriter, SaysWhereItCannotWrite) {
  EXPECT_THROW(EventWriter("/proc/no/such/folder"), UserError);
}

}  // namespace
}  // namespace koridor
