// What a program says at a terminal: nothing that a file, an argument or another program gave is printed as it is.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace koridor {

// The text with everything escaped that a terminal might obey or show as something else: control characters ("\n" and
// "\t" so, the others as "\x1b"), marks that turn the direction of writing, and bytes that are not UTF-8 ("\xff").
std::string printable(std::string_view text);

// At most `most` bytes of UTF-8 text: the middle is left out, and the text says how much of it.
std::string shortened(std::string_view text, std::size_t most);

// The text as one printable line of at most 2,000 bytes, and no word of it longer than 400: quotations are of any size.
std::string message_line(std::string_view text);

// Opens what is closed of the descriptors 0 to 2, so that no file of the program gets their numbers. To write there
// fails as before. Standard output and error become ones that wait. To be called before any file is opened.
void open_standard_files();

// Prints "PROGRAM: LINE" on standard error; the line is message_line(text). Nothing else prints errors and warnings.
// Where standard error takes nothing, as a log on a full disk, the message is lost and nothing is thrown.
void print_message(std::string_view program, std::string_view text);

// For a program's main, in a catch block: prints what was thrown as a message, and returns the exit code. 2: a user's
// or a machine's fault (UserError, a file system's error, standard output that could not be written); kStoppedExit:
// Stopped; 1: any other.
int report_failure(std::string_view program);

// What is thrown where standard output has lost something; `error` is the errno, or 0 where nobody knows it.
UserError lost_output(int error);

// Writes out what standard output still holds. Throws UserError if that or anything before was lost, as on a full disk;
// of what was lost before it asks for the reason by writing a line end.
void finish_output();

}  // namespace koridor
