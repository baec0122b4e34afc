// A thin layer over the C interface of HDF5: handles that close themselves, errors as UserError, and files that live
// in memory. A file is made in memory before core/base/files.h writes its bytes; its bytes are read and checked before
// HDF5 opens them. HDF5 itself therefore never meets a full disk or a damaged file.
//
// HDF5 keeps global state: hold hdf5::Library while calling anything below.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koridor::hdf5 {

// Holds the process's one lock on HDF5 and keeps HDF5 from printing its error stack.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

// An HDF5 identifier of any kind, which the given function closes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  hid_t get() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// What a dataset holds, for a person who opens the file: written as the attributes `meaning` and `unit`.
struct Description {
  std::string_view meaning;
  std::string_view unit;
};

// A file that is being made. Error messages call it `name`.
class Writer {
 public:
  // The first `user_block` bytes of the image (a power of two, at least 512) are left to the caller.
  Writer(std::string name, std::size_t user_block);

  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);
  void attribute(const std::string& name, std::uint64_t value);

  void group(const std::string& path);
  // Adds `values` as rows of `columns` entries (0: a plain list): up to 4,096 bytes as one block, more in
  // chunks of 1,024 rows, deflated at level 1 without shuffle.
  template <class T>
  void dataset(const std::string& path, std::span<const T> values, int columns, const Description& description);

  // The bytes of the whole file; nothing can be added afterwards.
  std::string finish();

 private:
  std::string name_;
  std::size_t user_block_;
  Handle file_;
};

// Reads a file from its bytes. Every getter throws UserError "<name>: ..." where the entry is missing or
// of another type.
class Reader {
 public:
  Reader(std::string name, std::span<const char> image);

  bool has_attribute(const std::string& name) const;
  std::string string_attribute(const std::string& name) const;
  std::int64_t integer_attribute(const std::string& name) const;
  std::uint64_t unsigned_attribute(const std::string& name) const;
  // Every string attribute whose name starts with `prefix`, under the rest of its name.
  std::map<std::string, std::string> string_attributes(const std::string& prefix) const;

  bool has_dataset(const std::string& path) const;
  // Rows of exactly `columns` entries (0: a plain list). A size that no file of this length can hold is refused before
  // anything is allocated.
  template <class T>
  std::vector<T> dataset(const std::string& path, int columns) const;

 private:
  std::string name_;
  std::size_t bytes_ = 0;
  Handle file_;
};

}  // namespace koridor::hdf5
