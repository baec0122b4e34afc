#include "cli/inspect_variety.h"

#include <fmt/format.h>

#include <bit>

#include "core/base/number_text.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

Table variety_table() {
  return {
      "variety",
      {{.name = "game", .type = text},
       {.name = "ply", .type = integer, .heading = "plies", .width = 6, .format = "{}"},
       {.name = "games", .type = integer, .heading = "games", .width = 9, .format = "{}"},
       {.name = "positions", .type = integer, .heading = "different", .width = 11, .format = "{}"},
       {.name = "alike",
        .type = number,
        .unit = "share",
        .heading = "two alike",
        .width = 11,
        .format = "{:.3f}%",
        .factor = 100},
       {.name = "searches", .type = integer, .heading = "searches", .width = 10, .format = "{}"},
       {.name = "entropy", .type = number, .unit = "nats", .heading = "entropy", .width = 9, .format = "{:.2f}"},
       {.name = "surprise", .type = number, .unit = "nats", .heading = "surprise", .width = 10, .format = "{:.2f}"}}};
}

// Of a long game the text shows ever fewer plies: 0 to 8, then 12, 16, 24, 32, 48 and so on.
bool is_shown_to_people(std::size_t ply) {
  if (ply <= 8) return true;
  return ply % (std::bit_floor(ply) / 2) == 0;
}

}  // namespace

void show_variety(TableWriter& out, const std::map<std::string, Variety>& variants) {
  for (const auto& [name, variety] : variants) {
    out.say(fmt::format("{}: {}, and their positions after so many plies\n\n", name, counted(variety.games(), "game")));
    out.begin(variety_table());
    for (const PlyVariety& at : variety.plies()) {
      if (out.is_text() && !is_shown_to_people(at.ply)) continue;
      out.row({name, at.ply, at.games, at.positions, at.alike, at.searches, at.entropy, at.surprise});
    }
    out.say("\n");
  }
}

}  // namespace koridor::cli
