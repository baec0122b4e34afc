#include "core/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/identity.h"
#include "core/base/write_all.h"

namespace koridor {
namespace {

constexpr const char* kTemporary = ".tmp";

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw UserError("cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(error));
}

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error) {
  throw ReadError("cannot read " + path.string() + ": " + std::strerror(error));
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw UserError("cannot write " + path.string() + ": it is a folder");
  fail(path, "write", error);
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  // Closes: a network's file system may say only now that there was no room.
  void close(const std::filesystem::path& path) {
    const int file = std::exchange(value_, -1);
    if (::close(file) != 0) fail(path, "write", errno);
  }

 private:
  int value_;
};

// Removes a file at the end of a scope unless released: no temporary name survives an error.
struct RemoveUnlessReleased {
  const std::filesystem::path& path;
  bool released = false;
  ~RemoveUnlessReleased() {
    std::error_code ignored;
    if (!released) std::filesystem::remove(path, ignored);
  }
};

// What a write to `path` replaces: the file at the end of its links, which stay. Throws UserError where that is a
// device, a pipe or a socket, since the file would take its place: root could so end the machine's /dev/null.
std::filesystem::path replaced_by(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw UserError("cannot write " + path.string() + ": it is no regular file");
  }
  std::filesystem::path file = path;
  for (int links = 0; std::filesystem::is_symlink(file, ignored); ++links) {
    if (links == kMostLinks) fail(path, "write", ELOOP);
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(file, error);
    if (error) fail(path, "write", error.value());
    file = file.parent_path() / target;
  }
  return file;
}

std::filesystem::path own_name(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + "-" + host_name() + "-" + machine_name() + kTemporary;
  return temporary;
}

void write_whole(const std::filesystem::path& temporary, const std::filesystem::path& path, std::string_view content) {
  // What has the name is of a process of this number that was killed, or was put there by somebody else: a link would
  // lead to a file of others.
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.get() < 0) fail_to_write(path, errno);
  // A file that only its owner may read stays one. Where that cannot be set, the file counts for more.
  if (struct stat old{}; ::stat(path.c_str(), &old) == 0) std::ignore = ::fchmod(file.get(), old.st_mode & 0777);
  if (const int error = write_all(file.get(), content); error != 0) fail(path, "write", error);
  file.close(path);
}

void publish_unlisted(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  RemoveUnlessReleased guard{temporary};
  sync_file(temporary);
  if (::rename(temporary.c_str(), replaced_by(path).c_str()) != 0) fail_to_write(path, errno);
  guard.released = true;
}

void write_temporary(const std::filesystem::path& temporary, const std::filesystem::path& path,
                     std::string_view content) {
  RemoveUnlessReleased guard{temporary};
  write_whole(temporary, path, content);
  guard.released = true;
}

// The process that a temporary file is of; 0 where it is of another host or has another name.
pid_t writer_of_temporary(const std::filesystem::path& path) {
  std::string writer = path.stem().extension().string();  // ".4711-host-machine"; ".4711-host", ".4711" of older builds
  if (writer.size() < 2) return 0;
  writer.erase(0, 1);
  if (const std::size_t dash = writer.find('-'); dash != std::string::npos) {
    const std::string where = writer.substr(dash + 1);
    if (where != host_name() && where != host_name() + "-" + machine_name()) return 0;
    writer.resize(dash);
  }
  if (writer.empty() || writer.size() > 10 || writer.find_first_not_of("0123456789") != std::string::npos) return 0;
  return static_cast<pid_t>(std::strtol(writer.c_str(), nullptr, 10));
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  const std::filesystem::path file = replaced_by(path);
  make_folder(file.parent_path());
  return own_name(file);
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path file = replaced_by(path);
  const std::filesystem::path temporary = own_name(file);
  RemoveUnlessReleased guard{temporary};
  write_whole(temporary, path, content);
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail_to_write(path, errno);
  guard.released = true;
}

std::filesystem::path temporary_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) return folder;
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {  // the first of them counts
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    throw UserError(fmt::format("{}={}: it is no folder for temporary files; name one that is there", name, value));
  }
  throw UserError(fmt::format("/tmp: {}; name a folder for temporary files by TMPDIR", error.message()));
}

TemporaryPath::TemporaryPath(std::string_view word, std::string_view ending, const std::filesystem::path& folder) {
  make_folder(folder);
  std::string name = (folder / "koridor-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail(folder, "make a temporary folder in", errno);
  own_ = name;
  path_ = own_ / fmt::format("{}{}", word, ending);
}

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;
  std::filesystem::remove_all(own_, ignored);
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail_to_write(path, EISDIR);
  const std::filesystem::path temporary = temporary_name(path);
  const RemoveUnlessReleased guard{temporary};
  write_whole(temporary, path, "");
}

void check_not_read(std::string_view option, const std::filesystem::path& out, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // an input that is not there yet may be written before it is read
    const auto path_of = [&](const std::filesystem::path& path) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    const bool later = !out.empty() && !input.empty() && path_of(out) == path_of(input);
    if (!later && !std::filesystem::equivalent(out, input, ignored)) continue;
    throw UserError(fmt::format("{} {}: this is {}, which is read and would be lost; name another file", option,
                                out.string(), input));
  }
}

void sync_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "open", errno);
  if (::fsync(file.get()) != 0) fail(path, "sync", errno);
}

namespace {

// One name for each folder, whatever its spelling and whether it is there or not.
std::filesystem::path spelled_out(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(folder, error).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

std::mutex in_use_mutex;
std::vector<const FolderInUse*> in_use;

}  // namespace

FolderInUse::FolderInUse(const std::filesystem::path& folder, std::filesystem::path witness)
    : folder_(spelled_out(folder)), witness_(std::move(witness)) {
  const std::lock_guard lock(in_use_mutex);
  in_use.push_back(this);
}

FolderInUse::~FolderInUse() {
  const std::lock_guard lock(in_use_mutex);
  std::erase(in_use, this);
}

void FolderInUse::check(const std::filesystem::path& folder) {
  const std::filesystem::path whole = spelled_out(folder);
  const std::lock_guard lock(in_use_mutex);
  for (const FolderInUse* used : in_use) {
    const std::filesystem::path& above = used->folder_;
    const auto end = std::mismatch(above.begin(), above.end(), whole.begin(), whole.end()).first;
    if (end != above.end() || ::access(used->witness_.c_str(), F_OK) == 0) continue;
    throw UserError(fmt::format("cannot make the folder {}: {} has vanished", folder.string(), used->folder_.string()));
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  FolderInUse::check(folder);
  std::filesystem::path there = folder;  // the last one that there is
  while (!there.empty() && !std::filesystem::exists(there, error)) there = there.parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError("cannot make the folder " + folder.string() + ": " + error.message());
  // Into each folder the one below it was written. One that cannot be synced is made all the same.
  for (std::filesystem::path made = folder; made != there && !made.empty(); made = made.parent_path()) {
    const std::filesystem::path above = made.parent_path();
    const Descriptor file(::open(above.empty() ? "." : above.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0) std::ignore = ::fsync(file.get());
  }
}

std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error == std::errc::no_such_file_or_directory) error.clear();
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> names = names_in(folder, error);
  if (error) throw ReadError("cannot read the folder " + folder.string() + ": " + error.message());
  return names;
}

void refresh_folder(const std::filesystem::path& folder) {
  const std::filesystem::path file = own_name(folder / "look");
  ::unlink(file.c_str());  // of a process of this number that was killed
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (made.get() >= 0) ::unlink(file.c_str());
}

void publish_file(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  publish_unlisted(temporary, path);
  const std::filesystem::path folder = replaced_by(path).parent_path();
  sync_file(folder.empty() ? std::filesystem::path(".") : folder);
}

void remove_stale_temporaries(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder, ignored)) {
    const std::filesystem::path path = folder / name;
    if (path.extension() != kTemporary) continue;
    const pid_t process = writer_of_temporary(path);
    if (process == 0) continue;
    const bool alive = process != ::getpid() && (::kill(process, 0) == 0 || errno != ESRCH);
    if (!alive) std::filesystem::remove(path, ignored);
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = temporary_name(path);
  write_temporary(temporary, path, content);
  publish_file(temporary, path);
}

void write_file_unlisted(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = temporary_name(path);
  write_temporary(temporary, path, content);
  publish_unlisted(temporary, path);
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t most) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw UserError("cannot read " + path.string() + ": it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail_to_read(path, errno);
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (!regular) most = std::min(most, kLargestStream);
  const auto too_large = [&] {
    return UserError("cannot read " + path.string() + ": it has more than " + std::to_string(most) + " bytes");
  };
  const std::uintmax_t size = regular ? std::filesystem::file_size(path, error) : 0;
  if (!error && size > most) throw too_large();
  std::string content;
  // A file of /proc has the size 0, so the size is only a hint.
  for (std::size_t step = std::max<std::size_t>(size + 1, 4096); in; step = 1 << 16) {
    const std::size_t before = content.size();
    content.resize(before + step);
    in.read(content.data() + before, static_cast<std::streamsize>(step));
    content.resize(before + static_cast<std::size_t>(in.gcount()));
    if (content.size() > most) throw too_large();
  }
  if (in.bad()) fail_to_read(path, errno);
  return content;
}

}  // namespace koridor
