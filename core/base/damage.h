// Telling files that are damaged from those that cannot be read now.
#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"

namespace koridor {

// What is wrong with a file, in the words of the UserError that read() throws; nothing where it throws none. A
// ReadError is thrown on: the file may be sound, so that it must not be treated as damaged.
template <class Read>
std::optional<std::string> damage_of(const Read& read) {
  try {
    read();
  } catch (const ReadError&) {
    throw;
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace koridor
