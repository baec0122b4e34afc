// Whether a program that writes to a terminal uses colours.
#pragma once

namespace koridor {

// True where standard output is a terminal that shows colours and nobody has asked for none: NO_COLOR (no-color.org) is
// not set or empty, and TERM is not "dumb".
bool use_colour();

}  // namespace koridor
