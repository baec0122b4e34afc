// What a program says at a terminal: nothing that a file, an argument or another program gave is printed as it is.
#pragma once

#include <string>
#include <string_view>

namespace koridor {

// The text with everything escaped that a terminal might obey or show as something else: control characters ("\n" and
// "\t" so, the others as "\x1b"), marks that turn the direction of writing, and bytes that are not UTF-8 ("\xff").
std::string printable(std::string_view text);

// At most `most` bytes of UTF-8 text: the middle is left out, and the text says how much of it.
std::string shortened(std::string_view text, std::size_t most);

// The text as one printable line of at most 2,000 bytes, and no word of it longer than 400: quotations are of any size.
std::string message_line(std::string_view text);

// Prints "PROGRAM: LINE" on standard error; the line is message_line(text). Nothing else prints errors and warnings.
void print_message(std::string_view program, std::string_view text);

// Writes out what standard output still holds. Throws UserError if that or anything before was lost, as on a full disk.
void finish_output();

}  // namespace koridor
