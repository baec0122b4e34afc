#include "train/run/events.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <boost/crc.hpp>
#include <chrono>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/version.h"

namespace koridor {
namespace {

template <class T>
void append_fixed(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Protobuf's wire types: 0 a varint, 1 eight bytes, 2 a length and bytes, 5 four bytes.
void append_key(std::string& out, int field, int wire_type) {
  append_varint(out, static_cast<std::uint64_t>(field << 3 | wire_type));
}

void append_bytes(std::string& out, int field, std::string_view bytes) {
  append_key(out, field, 2);
  append_varint(out, bytes.size());
  out.append(bytes);
}

std::string event_at(double wall_time) {
  std::string event;
  append_key(event, 1, 1);
  append_fixed(event, wall_time);
  return event;
}

}  // namespace

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::uint32_t crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u;
}

std::string tf_record(std::string_view data) {
  std::string record;
  append_fixed(record, static_cast<std::uint64_t>(data.size()));
  append_fixed(record, masked_crc32c(record));
  record.append(data);
  append_fixed(record, masked_crc32c(data));
  return record;
}

std::string first_event(double wall_time) {
  std::string event = event_at(wall_time);
  append_bytes(event, 3, "brain.Event:2");
  std::string source;
  append_bytes(source, 1, build_text(this_build()));
  append_bytes(event, 10, source);
  return tf_record(event);
}

std::string scalar_event(std::string_view tag, std::int64_t step, double value, double wall_time) {
  std::string entry;
  append_bytes(entry, 1, tag);
  append_key(entry, 2, 5);
  append_fixed(entry, static_cast<float>(value));
  std::string summary;
  append_bytes(summary, 1, entry);
  std::string event = event_at(wall_time);
  append_key(event, 2, 0);
  append_varint(event, static_cast<std::uint64_t>(step));
  append_bytes(event, 5, summary);
  return tf_record(event);
}

void remove_events(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder, ignored)) {
    if (name.starts_with("events.out.tfevents.") && name.find(".koridor.") != std::string::npos) {
      std::filesystem::remove(folder / name, ignored);
    }
  }
}

EventWriter::EventWriter(const std::filesystem::path& folder) {
  make_folder(folder);
  const double start = seconds_since_1970();
  // TensorBoard reads a folder's files in the order of their names, so the time comes first. The process id tells two
  // starts within one second apart.
  path_ = folder / fmt::format("events.out.tfevents.{:010}.koridor.{}", static_cast<std::int64_t>(start), ::getpid());
  out_.open(path_, std::ios::binary | std::ios::app);
  if (!out_) throw UserError(fmt::format("cannot create {}", path_.string()));
  write(first_event(start));
}

void EventWriter::add_scalar(std::string_view tag, std::int64_t step, double value, double wall_time) {
  write(scalar_event(tag, step, value, wall_time > 0.0 ? wall_time : seconds_since_1970()));
}

void EventWriter::write(std::string_view record) {
  out_ << record << std::flush;
  out_.clear();
}

}  // namespace koridor
