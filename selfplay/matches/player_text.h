// A player as a person writes it: TEXT[,key=value...].
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koridor {

struct PlayerOption {
  std::string key;
  std::string value;
};

struct PlayerText {
  std::string base;                   // "runs/q/models/gen-0040.koridor@int8", "mcts:500", "random"
  std::vector<PlayerOption> options;  // in the order given
};

// Splits "MODEL@int8,visits=800,level=easy". Options are read from the end, as long as what stands behind the last
// comma looks like key=value, so that commas before them belong to the player itself. A text that names an existing
// file is that file.
PlayerText split_player(std::string_view text);

}  // namespace koridor
