// Text files that carry a checksum of their own, so that a damaged or shortened one is recognised, and that stay what
// they were to other programs: TOML with a comment in front, JSON with one member more.
#pragma once

#include <string>
#include <string_view>

namespace koridor {

// A text without its seal. `sealed` is false where it never had one, as files of older versions.
struct Unsealed {
  std::string text;
  bool sealed = false;
};

// The checksum of a text and its length (checksum.h) as 16 hexadecimal digits.
std::string text_checksum(std::string_view text);

// TOML: "# koridor: checksum 0123456789abcdef of the lines below" and then the text.
std::string seal_lines(const std::string& text);
// Throws UserError, which begins with `where`, where the checksum is not that of the text.
Unsealed unseal_lines(const std::string& text, const std::string& where);

// JSON: an object with at least one member gets the last member "checksum", over every byte before it.
std::string seal_object(const std::string& text);
// Throws UserError likewise.
Unsealed unseal_object(const std::string& text, const std::string& where);

}  // namespace koridor
