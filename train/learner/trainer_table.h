// The table "trainer", which the trainer's bench makes and `koridor bench` shows.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/number_text.h"
#include "core/base/table.h"

namespace koridor {

inline Table trainer_table() {
  using enum ColumnType;
  return {"trainer",
          {{"columns", integer},
           {"rows", integer},
           {"blocks", integer},
           {"channels", integer},
           {"batch", integer},
           {"device", text},
           {"arithmetic", text},
           {"bare_samples_per_second", number, "1/s"},
           {"samples_per_second", number, "1/s"},
           {"share", number}},
          [](const TableRow& row) {
            return fmt::format("trainer: {}x{} board, {} x {}, batch {}, {}, {}\n", row.integer("columns"),
                               row.integer("rows"), counted(row.integer("blocks"), "block"),
                               counted(row.integer("channels"), "channel"), row.integer("batch"), row.text("device"),
                               row.text("arithmetic")) +
                   fmt::format("  bare forward and backward pass  {:>9.0f} samples/s\n",
                               row.number("bare_samples_per_second")) +
                   fmt::format("  whole training step             {:>9.0f} samples/s  {:.2f} of it\n",
                               row.number("samples_per_second"), row.number("share"));
          }};
}

}  // namespace koridor
