// Sets of positions as files, so that nobody has to solve a game to measure on it. docs/formats.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/registry.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

inline constexpr std::string_view kYardstickEnding = ".yardstick";

// The set as the bytes of a file. A policy is kept in 255ths and a reference's value in 65535ths.
std::string yardstick_bytes(const YardstickSet& set);
void write_yardstick_set(const std::filesystem::path& path, const YardstickSet& set);

// Throws UserError where a set of so many positions, and of this reference (empty: it is proven), may become larger
// than what is read again. Worth asking before hours are spent on the set.
void check_set_fits(const AnyGame& game, int positions, const std::string& player);

// Throws UserError, one line that begins with `where`, for bytes that are no set: damaged, of another format, of an
// unknown game, or with actions that its rules do not allow.
YardstickSet parse_yardstick_set(std::string_view bytes, const std::string& where);
// The same of a file.
YardstickSet read_yardstick_set(const std::filesystem::path& path);

// The file among those in `folder` that has the set of this game (canonical name); an empty path where there is none. A
// proven set goes before others. Of each file only the head is looked at; what is no set is passed over.
std::filesystem::path find_yardstick_set(const std::filesystem::path& folder, const std::string& game);

}  // namespace koridor
