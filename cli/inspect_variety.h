// koridor inspect --variety: how different the games of self-play are from each other.
#pragma once

#include <map>
#include <string>

#include "core/base/table.h"
#include "selfplay/shards/variety.h"

namespace koridor::cli {

// Shows for each ply of the games, variant by variant, how many different positions they have there, and how much the
// full searches there leave open (entropy) and correct (surprise); the text leaves most of the later plies out.
void show_variety(TableWriter& out, const std::map<std::string, Variety>& variants);

}  // namespace koridor::cli
