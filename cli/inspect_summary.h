// koridor inspect SHARD: what a shard holds, in a few lines.
#pragma once

#include <string>

#include "core/base/table.h"
#include "selfplay/shards/shard.h"

namespace koridor::cli {

// Shows where the games come from, how many games and plies there are, the points of each player, and how games ended.
void show_summary(TableWriter& out, const std::string& file, const ShardData& data);

// Whether the games are those of a match (selfplay/matches/match_files.h). Its shards have no configuration, and the
// kind that says `opening` elsewhere says nothing there.
bool is_match(const ShardData& data);

// One of kGameEndNames for people, as in "ended by ...".
std::string end_text(const std::string& name);

}  // namespace koridor::cli
