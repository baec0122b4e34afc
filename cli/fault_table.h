// The table "faults": how often players lost games otherwise than by the rules.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>

#include "core/base/number_text.h"
#include "core/base/table.h"
#include "selfplay/matches/match.h"

namespace koridor::cli {

// Resignations are no faults and are left out.
inline void show_faults(TableWriter& out, std::span<const std::string> players, std::span<const FaultCounts> faults) {
  using enum ColumnType;
  const Table table = {"faults", {{"player", text}, {"fault", text}, {"games", integer}}, [](const TableRow& row) {
                         return fmt::format("{} lost {} by a fault: {}\n", row.text("player"),
                                            counted(row.integer("games"), "game"), row.text("fault"));
                       }};
  out.begin(table);
  for (std::size_t player = 0; player < players.size(); ++player) {
    for (std::size_t kind = 0; kind < kForfeitKinds; ++kind) {
      const int games = faults[player].lost[kind];
      if (games == 0 || kind == static_cast<std::size_t>(Forfeit::Kind::resign)) continue;
      out.row({players[player], kForfeitNames[kind], games});
    }
  }
}

}  // namespace koridor::cli
