// The lines of lz-analyze and kata-analyze: what a search knows so far, as front ends read it.
#pragma once

#include <optional>
#include <string>

#include "cli/engine/text_commands.h"
#include "selfplay/session/analysis.h"

namespace koridor::cli {

// What follows the name of such a command: [COLOUR] [INTERVAL] [KEY VALUE]...
struct AnalyzeRequest {
  std::optional<int> colour{};  // 0 black, 1 white; nothing: that to move
  double seconds = 1;           // between two lines
  int least_moves = 0;          // listed, visited or not
  int most_moves = 1000;
  bool ownership = false;
  bool root = false;  // the root's own figures
};

// Throws UserError for what cannot be read, and for keys that limit the search to some moves, which there is not here.
AnalyzeRequest read_analyze_request(TextProtocol::Arguments arguments);

enum class AnalyzeForm { leela, kata };

// "info move D4 visits 12 ..." on one line, from the view of the colour to move.
std::string analyze_line(const Analysis& analysis, const AnalyzeRequest& request, AnalyzeForm form);

}  // namespace koridor::cli
