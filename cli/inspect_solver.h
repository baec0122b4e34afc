// koridor inspect --solver: how true what games teach is.
#pragma once

#include <string>
#include <vector>

#include "core/base/table.h"

namespace koridor::cli {

// Solves the games that the shards are of, each within so much memory, and shows how true their games' results and
// their searches' values are. Throws UserError where a file is no shard that can be read, where a game has more than
// two players or cannot be solved, or where somebody stops it.
void show_target_truth(TableWriter& out, const std::vector<std::string>& shards, int mebibytes);

}  // namespace koridor::cli
