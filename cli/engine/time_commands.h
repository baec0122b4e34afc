// time_settings, time_left and kgs-time_settings, which protocols shaped like GTP share.
#pragma once

#include <functional>
#include <string>

#include "cli/engine/text_commands.h"

namespace koridor::cli {

// `seat_of` reads a colour and throws UserError for a text that is none.
void add_time_commands(TextProtocol& protocol, std::function<int(const std::string&)> seat_of);

}  // namespace koridor::cli
