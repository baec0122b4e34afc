// Shards whose length and checksum are right but whose HDF5 is not a shard's: the reader's own checks, alone. The first
// byte chooses a sound shard; every 4 bytes of the rest (the first kMostChanges of them) take an attribute or a dataset
// away or put another in its place.
//
// The changes are made through HDF5, since HDF5 itself does not survive damaged files (hence the checksum).
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/base/files.h"
#include "selfplay/shards/hdf5.h"
#include "tests/fuzz/shard_tools.h"

namespace koridor::fuzz {
namespace {

using hdf5::Handle;

constexpr std::size_t kMostChanges = 16;

constexpr std::array kDatasets = {"/game/number",       "/game/first_ply", "/game/plies",         "/game/end",
                                  "/game/outcome",      "/game/auxiliary", "/ply/state",          "/ply/action",
                                  "/ply/player",        "/ply/kind",       "/ply/value",          "/ply/policy_first",
                                  "/ply/policy_count",  "/policy/action",  "/policy/probability", "/ply/depth",
                                  "/ply/largest_depth", "/ply/surprise"};
constexpr std::array kAttributes = {"format",       "format_version", "notation_version", "game",
                                    "rule.columns", "rule.made",      "generation",       "config_hash",
                                    "seed",         "action_order",   "players",          "state_bytes"};

struct Change {
  std::uint8_t what, which, first, second;
};

hid_t element_type(int number) {
  const std::array types = {H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,  H5T_STD_I64LE,
                            H5T_STD_U16BE, H5T_STD_I32LE, H5T_STD_I8LE,  H5T_IEEE_F32LE, H5T_IEEE_F64LE};
  return types[static_cast<std::size_t>(number) % types.size()];
}

// A number of rows, most of them small, some larger than any file.
hsize_t rows(std::uint8_t byte) {
  return byte < 200 ? byte : hsize_t{1} << (byte - 200);
}

constexpr hssize_t kMostEntries = 100000;

// Of a dataset; negative where it is none.
hssize_t entries(hid_t set) {
  const Handle space(H5Dget_space(set), H5Sclose);
  return H5Sget_simple_extent_npoints(space.get());
}

void make_dataset(hid_t file, const char* path, const Change& change) {
  const int rank = change.second % 4;
  const hsize_t width = static_cast<hsize_t>(change.second / 4) % 16 + 1;
  const std::array<hsize_t, 3> size{rows(change.first), width, 2};
  const std::array<hsize_t, 3> chunk{64, width, 2};
  const Handle space(rank == 0 ? H5Screate(change.first % 2 == 0 ? H5S_SCALAR : H5S_NULL)
                               : H5Screate_simple(rank, size.data(), nullptr),
                     H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (rank > 0) H5Pset_chunk(properties.get(), rank, chunk.data());
  const Handle set(
      H5Dcreate2(file, path, element_type(change.what / 8), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      H5Dclose);
}

void change_dataset(hid_t file, const Change& change) {
  const char* const path = kDatasets[change.which % kDatasets.size()];
  switch (change.what % 8) {
    case 0: {  // another number of rows
      const Handle set(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
      const std::array<hsize_t, 3> size{rows(change.first), static_cast<hsize_t>(change.second), 2};
      if (entries(set.get()) < kMostEntries)
        H5Dset_extent(set.get(), size.data());  // HDF5 is slow to shrink large ones
      return;
    }
    case 1:
      H5Ldelete(file, path, H5P_DEFAULT);
      return;
    case 2:
      H5Ldelete(file, path, H5P_DEFAULT);
      H5Lcreate_soft(kDatasets[change.first % kDatasets.size()], file, path, H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 3: {
      H5Ldelete(file, path, H5P_DEFAULT);
      const Handle group(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
      return;
    }
    case 4: {  // other values
      const Handle set(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
      const hssize_t count = entries(set.get());
      if (count <= 0 || count > kMostEntries) return;
      std::vector<double> values(static_cast<std::size_t>(count), change.first);
      values[change.second % values.size()] = change.first * 257.0 - 1.0;
      H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      return;
    }
    default:
      H5Ldelete(file, path, H5P_DEFAULT);
      make_dataset(file, path, change);
  }
}

void change_attribute(hid_t file, const Change& change) {
  const char* const name = kAttributes[change.which % kAttributes.size()];
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const auto make = [&](hid_t type, hid_t space) {
    return Handle(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  };
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  switch (change.what % 8) {
    case 0:
      return;
    case 1: {
      const std::int64_t value = change.second == 255 ? INT64_MIN + change.first : change.first - 8 * change.second;
      H5Awrite(make(H5T_STD_I64LE, scalar.get()).get(), H5T_NATIVE_INT64, &value);
      return;
    }
    case 2: {
      const std::int64_t value = change.first;
      H5Awrite(make(element_type(change.second), scalar.get()).get(), H5T_NATIVE_INT64, &value);
      return;
    }
    case 3: {
      const hsize_t length = static_cast<hsize_t>(change.first) % 8;
      const Handle list(length == 0 ? H5Screate(H5S_NULL) : H5Screate_simple(1, &length, nullptr), H5Sclose);
      make(element_type(change.second), list.get());
      return;
    }
    default: {  // texts: of variable length, of a fixed one, or never written
      const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
      const bool variable = change.what % 8 < 6;
      H5Tset_size(type.get(), variable ? H5T_VARIABLE : std::size_t{4});
      const Handle attribute = make(type.get(), scalar.get());
      const std::array<char, 5> text{static_cast<char>(change.first), static_cast<char>(change.second), 'x', '3', 0};
      const char* const pointer = text.data();
      if (change.what % 8 == 4) return;
      H5Awrite(attribute.get(), type.get(), variable ? static_cast<const void*>(&pointer) : text.data());
    }
  }
}

// A sound shard's file, as written.
std::string file_of(const ShardData& data) {
  const std::string path = std::filesystem::temp_directory_path() / ("koridor-fuzz-sound-" + std::to_string(getpid()));
  write_shard(path, data);
  std::string bytes = read_file(path);
  std::filesystem::remove(path);
  return bytes;
}

std::string changed(const std::string& sound, const std::uint8_t* data, std::size_t size) {
  const hdf5::Library library;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  std::string copy = sound;
  require(H5Pset_fapl_core(access.get(), std::size_t{1} << 16, false) >= 0);
  require(H5Pset_file_image(access.get(), copy.data(), copy.size()) >= 0);
  Handle file(H5Fopen("/dev/null/image", H5F_ACC_RDWR, access.get()), H5Fclose);
  require(file.get() >= 0);
  for (std::size_t at = 0; at + 4 <= std::min(size, 4 * kMostChanges); at += 4) {
    const Change change{data[at], data[at + 1], data[at + 2], data[at + 3]};
    change.which < 128 ? change_dataset(file.get(), change) : change_attribute(file.get(), change);
  }
  require(H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t length = H5Fget_file_image(file.get(), nullptr, 0);
  require(length > 0);
  std::string bytes(kShardUserBlock + static_cast<std::size_t>(length), '\0');
  require(H5Fget_file_image(file.get(), bytes.data() + kShardUserBlock, static_cast<std::size_t>(length)) == length);
  seal_shard(bytes);
  return bytes;
}

}  // namespace
}  // namespace koridor::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor::fuzz;
  static const std::vector<std::string> kFiles = [] {
    std::vector<std::string> files;
    for (const koridor::ShardData& sound : sound_shards()) files.push_back(file_of(sound));
    return files;
  }();
  if (size > 0) read_file_of(changed(kFiles[data[0] % kFiles.size()], data + 1, size - 1));
  return 0;
}
