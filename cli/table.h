// The options --json, --csv and --table of every subcommand that puts out tables.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "core/base/error.h"
#include "core/base/table.h"

namespace koridor::cli {

struct TableOptions {
  bool json = false;
  bool csv = false;
  std::string table;                // that CSV shows; empty: the first of `tables` that there is
  std::vector<std::string> tables;  // the subcommand's

  TableForm form() const { return json ? TableForm::json : csv ? TableForm::csv : TableForm::text; }
  std::vector<std::string> csv_tables() const { return table.empty() ? tables : std::vector{table}; }
};

// Adds the options; `options` must outlive the parsing. `tables` are the names of all tables that the subcommand may
// put out.
inline void add_tables(const Command& command, TableOptions& options, std::vector<std::string> tables) {
  options.tables = std::move(tables);
  command.add_flag("--json", options.json, "Put out JSON and nothing else");
  command.add_flag("--csv", options.csv, "Put out CSV (RFC 4180) and nothing else").excludes("--json");
  if (options.tables.size() == 1) return;
  command.add_option("--table", options.table, "Of --csv: which table, if there are several")
      .one_of(options.tables)
      .needs("--csv");
}

// Throws UserError where --table names a table that there is only with the option: before the work, not behind it.
inline void require_option(const TableOptions& options, std::string_view table, std::string_view option, bool given) {
  if (!table.empty() && options.table == table && !given)
    throw UserError(fmt::format("--table {}: it needs {}", table, option));
}

inline TableWriter table_writer(const TableOptions& options) {
  return TableWriter(options.form(), options.csv_tables());
}

}  // namespace koridor::cli
