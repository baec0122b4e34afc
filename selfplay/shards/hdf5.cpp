#include "selfplay/shards/hdf5.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"

namespace koridor::hdf5 {
namespace {

constexpr hsize_t kChunkRows = 1024;
constexpr std::size_t kSmallBytes = 4096;  // a dataset up to this size is one block, not deflated
constexpr unsigned kDeflateLevel = 1;
// Deflate cannot shrink more than 1,032 times, so no dataset is larger than this many times its file.
constexpr std::size_t kLargestExpansion = 1040;

// The name of every file in memory: no file can have it. HDF5 refuses an image under the name of an existing file, and
// opens and reads such a file before it makes a new one.
constexpr const char* kInMemory = "/dev/null/image";

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Whether HDF5's last call failed for want of memory, which says nothing of the file.
bool lacked_memory() {
  bool lacked = false;
  const auto look = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    const bool of_memory = error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
    if (error->maj_num == H5E_RESOURCE && of_memory) *static_cast<bool*>(out) = true;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &lacked);
  return lacked;
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  if (lacked_memory()) throw ReadError(name + ": there is not enough memory for HDF5");
  throw UserError(name + ": " + what);
}

hid_t check(hid_t id, const std::string& name, const char* what) {
  if (id < 0) fail(name, std::string("HDF5 cannot ") + what);
  return id;
}

// Types in files are little-endian whatever the machine; HDF5 converts.
template <class T>
struct Types;
template <>
struct Types<std::uint8_t> {
  static hid_t file() { return H5T_STD_U8LE; }
  static hid_t memory() { return H5T_NATIVE_UINT8; }
};
template <>
struct Types<std::uint16_t> {
  static hid_t file() { return H5T_STD_U16LE; }
  static hid_t memory() { return H5T_NATIVE_UINT16; }
};
template <>
struct Types<std::uint32_t> {
  static hid_t file() { return H5T_STD_U32LE; }
  static hid_t memory() { return H5T_NATIVE_UINT32; }
};
template <>
struct Types<std::uint64_t> {
  static hid_t file() { return H5T_STD_U64LE; }
  static hid_t memory() { return H5T_NATIVE_UINT64; }
};
template <>
struct Types<std::int64_t> {
  static hid_t file() { return H5T_STD_I64LE; }
  static hid_t memory() { return H5T_NATIVE_INT64; }
};
template <>
struct Types<float> {
  static hid_t file() { return H5T_IEEE_F32LE; }
  static hid_t memory() { return H5T_NATIVE_FLOAT; }
};

// The type of strings: UTF-8 of any length, which h5py reads as str.
Handle string_type(const std::string& name) {
  Handle type(check(H5Tcopy(H5T_C_S1), name, "make a type"), H5Tclose);
  if (H5Tset_size(type.get(), H5T_VARIABLE) < 0 || H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0) {
    fail(name, "HDF5 cannot make a string type");
  }
  return type;
}

struct AttributeType {
  hid_t file;
  hid_t memory;
};

void write_attribute(const std::string& file, hid_t object, const std::string& name, AttributeType type,
                     const void* value) {
  const Handle space(check(H5Screate(H5S_SCALAR), file, "make a dataspace"), H5Sclose);
  const Handle attribute(check(H5Acreate2(object, name.c_str(), type.file, space.get(), H5P_DEFAULT, H5P_DEFAULT), file,
                               "make an attribute"),
                         H5Aclose);
  if (H5Awrite(attribute.get(), type.memory, value) < 0) fail(file, "HDF5 cannot write the attribute " + name);
}

void write_string_attribute(const std::string& file, hid_t object, const std::string& name, const std::string& value) {
  const Handle type = string_type(file);
  const char* text = value.c_str();
  write_attribute(file, object, name, {type.get(), type.get()}, &text);
}

// A scalar attribute of the file's root group. Throws UserError where it is missing or an array.
Handle open_attribute(const std::string& file, hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) fail(file, "the attribute " + name + " is missing");
  Handle attribute(check(H5Aopen(object, name.c_str(), H5P_DEFAULT), file, "open an attribute"), H5Aclose);
  const Handle space(check(H5Aget_space(attribute.get()), file, "read an attribute"), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) fail(file, "the attribute " + name + " is not a single value");
  return attribute;
}

bool is_string(hid_t attribute) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  return type.get() >= 0 && H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) > 0;
}

template <class T>
T read_number(const std::string& file, hid_t object, const std::string& name) {
  const Handle attribute = open_attribute(file, object, name);
  const Handle type(check(H5Aget_type(attribute.get()), file, "read an attribute"), H5Tclose);
  T value = 0;
  if (H5Tequal(type.get(), Types<T>::file()) <= 0 || H5Aread(attribute.get(), Types<T>::memory(), &value) < 0) {
    fail(file, "the attribute " + name + " is not the integer it should be");
  }
  return value;
}

}  // namespace

Library::Library() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Library::~Library() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(std::exchange(other.close_, nullptr)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

Handle::~Handle() {
  if (id_ >= 0 && close_ != nullptr) close_(id_);
}

Writer::Writer(std::string name, std::size_t user_block) : name_(std::move(name)), user_block_(user_block) {
  const Handle access(check(H5Pcreate(H5P_FILE_ACCESS), name_, "make a property list"), H5Pclose);
  const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), name_, "make a property list"), H5Pclose);
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  if (H5Pset_fapl_core(access.get(), kGrowth, false) < 0 || H5Pset_userblock(creation.get(), user_block) < 0) {
    fail(name_, "HDF5 cannot make a file in memory");
  }
  file_ =
      Handle(check(H5Fcreate(kInMemory, H5F_ACC_TRUNC, creation.get(), access.get()), name_, "make a file"), H5Fclose);
}

void Writer::attribute(const std::string& name, const std::string& value) {
  write_string_attribute(name_, file_.get(), name, value);
}

void Writer::attribute(const std::string& name, std::int64_t value) {
  write_attribute(name_, file_.get(), name, {Types<std::int64_t>::file(), Types<std::int64_t>::memory()}, &value);
}

void Writer::attribute(const std::string& name, std::uint64_t value) {
  write_attribute(name_, file_.get(), name, {Types<std::uint64_t>::file(), Types<std::uint64_t>::memory()}, &value);
}

void Writer::group(const std::string& path) {
  const Handle group(
      check(H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name_, "make a group"),
      H5Gclose);
}

template <class T>
void Writer::dataset(const std::string& path, std::span<const T> values, int columns, const Description& description) {
  const hsize_t width = columns > 0 ? static_cast<hsize_t>(columns) : 1;
  const int rank = columns > 0 ? 2 : 1;
  const std::array<hsize_t, 2> size{values.size() / width, width};
  const std::array<hsize_t, 2> chunk{std::min<hsize_t>(kChunkRows, size[0]), width};

  const Handle properties(check(H5Pcreate(H5P_DATASET_CREATE), name_, "make a property list"), H5Pclose);
  // Without the time of the writing, the same data give the same bytes.
  if (H5Pset_obj_track_times(properties.get(), false) < 0) fail(name_, "HDF5 cannot leave the time out");
  // An index of chunks takes 2 KB: a dataset that is not much larger has none.
  if (values.size_bytes() > kSmallBytes &&
      (H5Pset_chunk(properties.get(), rank, chunk.data()) < 0 || H5Pset_deflate(properties.get(), kDeflateLevel) < 0)) {
    fail(name_, "this HDF5 was built without the deflate filter");
  }
  const Handle space(check(H5Screate_simple(rank, size.data(), nullptr), name_, "make a dataspace"), H5Sclose);
  const Handle set(check(H5Dcreate2(file_.get(), path.c_str(), Types<T>::file(), space.get(), H5P_DEFAULT,
                                    properties.get(), H5P_DEFAULT),
                         name_, "make a dataset"),
                   H5Dclose);
  if (!values.empty() && H5Dwrite(set.get(), Types<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name_, "HDF5 cannot write the dataset " + path);
  }
  write_string_attribute(name_, set.get(), "meaning", std::string(description.meaning));
  write_string_attribute(name_, set.get(), "unit", std::string(description.unit));
}

std::string Writer::finish() {
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) fail(name_, "HDF5 cannot flush the file");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  if (size <= 0) fail(name_, "HDF5 cannot give the file's bytes");
  // HDF5 returns only what follows the user block.
  std::string image(user_block_ + static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file_.get(), image.data() + user_block_, static_cast<std::size_t>(size)) != size) {
    fail(name_, "HDF5 cannot give the file's bytes");
  }
  file_ = Handle();
  return image;
}

Reader::Reader(std::string name, std::span<const char> image) : name_(std::move(name)), bytes_(image.size()) {
  const Handle access(check(H5Pcreate(H5P_FILE_ACCESS), name_, "make a property list"), H5Pclose);
  constexpr std::size_t kGrowth = std::size_t{1} << 16;
  // HDF5 copies the image; its interface merely lacks the const.
  if (H5Pset_fapl_core(access.get(), kGrowth, false) < 0 ||
      H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size()) < 0) {
    throw ReadError(name_ + ": HDF5 cannot open a file in memory");
  }
  file_ = Handle(H5Fopen(kInMemory, H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (file_.get() < 0) fail(name_, "not an HDF5 file");
}

bool Reader::has_attribute(const std::string& name) const {
  return H5Aexists(file_.get(), name.c_str()) > 0;
}

bool Reader::has_dataset(const std::string& path) const {
  return H5Lexists(file_.get(), path.c_str(), H5P_DEFAULT) > 0;
}

std::string Reader::string_attribute(const std::string& name) const {
  const Handle attribute = open_attribute(name_, file_.get(), name);
  if (!is_string(attribute.get())) fail(name_, "the attribute " + name + " is not the text it should be");
  const Handle type = string_type(name_);
  char* text = nullptr;
  if (H5Aread(attribute.get(), type.get(), &text) < 0) fail(name_, "the attribute " + name + " cannot be read");
  std::string value = text != nullptr ? text : "";
  H5free_memory(text);
  return value;
}

std::int64_t Reader::integer_attribute(const std::string& name) const {
  return read_number<std::int64_t>(name_, file_.get(), name);
}

std::uint64_t Reader::unsigned_attribute(const std::string& name) const {
  return read_number<std::uint64_t>(name_, file_.get(), name);
}

std::map<std::string, std::string> Reader::string_attributes(const std::string& prefix) const {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  if (H5Aiterate2(file_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) < 0) {
    fail(name_, "the attributes cannot be listed");
  }
  std::map<std::string, std::string> found;
  for (const std::string& name : names) {
    if (name.starts_with(prefix)) found[name.substr(prefix.size())] = string_attribute(name);
  }
  return found;
}

template <class T>
std::vector<T> Reader::dataset(const std::string& path, int columns) const {
  const Handle set(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  if (set.get() < 0) fail(name_, "the dataset " + path + " is missing");
  const Handle type(check(H5Dget_type(set.get()), name_, "read a type"), H5Tclose);
  if (H5Tequal(type.get(), Types<T>::file()) <= 0) fail(name_, "the dataset " + path + " has another element type");
  const Handle space(check(H5Dget_space(set.get()), name_, "read a dataspace"), H5Sclose);
  const int rank = columns > 0 ? 2 : 1;
  std::array<hsize_t, 2> size{0, 1};
  if (H5Sget_simple_extent_ndims(space.get()) != rank ||
      H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) < 0 ||
      (columns > 0 && size[1] != static_cast<hsize_t>(columns))) {
    fail(name_, "the dataset " + path + " has another shape than it should");
  }
  const std::size_t most = bytes_ * kLargestExpansion / sizeof(T) / size[1];
  if (size[0] > most) fail(name_, "the dataset " + path + " claims more rows than the file can hold");
  std::vector<T> values(static_cast<std::size_t>(size[0] * size[1]));
  if (!values.empty() && H5Dread(set.get(), Types<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name_, "the dataset " + path + " cannot be read");
  }
  return values;
}

template void Writer::dataset(const std::string&, std::span<const std::uint8_t>, int, const Description&);
template void Writer::dataset(const std::string&, std::span<const std::uint16_t>, int, const Description&);
template void Writer::dataset(const std::string&, std::span<const std::uint32_t>, int, const Description&);
template void Writer::dataset(const std::string&, std::span<const float>, int, const Description&);
template std::vector<std::uint8_t> Reader::dataset(const std::string&, int) const;
template std::vector<std::uint16_t> Reader::dataset(const std::string&, int) const;
template std::vector<std::uint32_t> Reader::dataset(const std::string&, int) const;
template std::vector<float> Reader::dataset(const std::string&, int) const;

}  // namespace koridor::hdf5
