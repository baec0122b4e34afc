// Tables for people and for programs. The text, the JSON and the CSV of a table come from the same cells, so that they
// cannot disagree.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace koridor {

enum class ColumnType { text, integer, number, truth, any };

// How a column is named for programs, and how it looks in the text.
struct Column {
  std::string name;  // the key in JSON and the heading in CSV: "positions_per_second"
  ColumnType type = ColumnType::number;
  std::string unit{};     // "plies", "1/s"; empty where there is none
  std::string heading{};  // in the text
  int width = 0;          // in the text; below 0: aligned to the left, and only as wide as need be in a whole table
  std::string format{};   // of a cell in the text, as fmt knows it: "{:.1f}%"; empty: the column is not in the text
  double factor = 1.0;    // by which the text multiplies a number, as 100 for a percentage
};

// A cell that holds nothing is null in JSON, and empty in CSV and in the text.
class Cell {
 public:
  using Value = std::variant<std::monostate, std::string, std::int64_t, double, bool>;

  // Not inline, since g++ 12 warns of what it makes of a std::variant's inline copies.
  Cell();
  Cell(const Cell&);
  Cell(Cell&&) noexcept;
  Cell& operator=(const Cell&);
  Cell& operator=(Cell&&) noexcept;
  ~Cell();

  Cell(bool truth) : value_(truth) {}
  Cell(std::integral auto number) : value_(static_cast<std::int64_t>(number)) {}
  Cell(std::floating_point auto number) : value_(static_cast<double>(number)) {}
  Cell(std::string text) : value_(std::move(text)) {}
  Cell(std::string_view text) : value_(std::string(text)) {}
  Cell(const char* text) : value_(std::string(text)) {}
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }

  const Value& value() const { return value_; }
  bool empty() const { return std::holds_alternative<std::monostate>(value_); }

 private:
  Value value_{};
};

class Table;

// A row with its columns' names.
class TableRow {
 public:
  TableRow(const Table& table, const std::vector<Cell>& cells) : table_(table), cells_(cells) {}

  // Throw std::logic_error where there is no such column or its cell holds nothing of the type.
  std::string text(std::string_view column) const;  // printable()
  std::int64_t integer(std::string_view column) const;
  double number(std::string_view column) const;
  bool truth(std::string_view column) const;
  bool empty(std::string_view column) const;

 private:
  const Cell& cell(std::string_view column) const;

  const Table& table_;
  const std::vector<Cell>& cells_;
};

class Table {
 public:
  // In the text the columns stand side by side.
  Table(std::string name, std::vector<Column> columns) : name_(std::move(name)), columns_(std::move(columns)) {}
  // In the text each row is what `line` makes of it: a sentence, or a few lines. It ends in a newline if it is not
  // empty.
  Table(std::string name, std::vector<Column> columns, std::function<std::string(const TableRow&)> line)
      : name_(std::move(name)), columns_(std::move(columns)), line_(std::move(line)) {}

  const std::string& name() const { return name_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  // Adds a row. Throws std::logic_error unless there is one cell per column, of the column's type or empty. A number
  // may be an integer.
  void add(std::vector<Cell> cells);

  // The same table, its columns that are aligned to the left as wide as their longest entry.
  Table fitted() const;

  // The same table without its rows.
  Table emptied() const { return {name_, columns_, line_}; }

  // The line of headings, empty for a table of sentences; the text of one row; and all of it.
  std::string heading_text() const;
  std::string row_text(const std::vector<Cell>& cells) const;
  std::string text() const;

  // An array with an object per row. A number that is not finite is null.
  nlohmann::ordered_json json() const;
  // By RFC 4180: a line of the columns' names, then the rows, each of which ends in CR LF.
  std::string csv() const;

 private:
  std::string name_;
  std::vector<Column> columns_;
  std::function<std::string(const TableRow&)> line_{};
  std::vector<std::vector<Cell>> rows_;
};

// The forms in which a program puts out its tables.
enum class TableForm { text, json, csv };

// What a program puts out: tables, and for people words between them.
//
// As text everything goes to standard output at once. As JSON or CSV only finish() writes there. While the object
// lives, everything else that goes to standard output, as the live line of a long work does, goes to standard error.
class TableWriter {
 public:
  // `csv_tables`: CSV shows the first of these that there is; if the list is empty, the first table.
  explicit TableWriter(TableForm form = TableForm::text, std::vector<std::string> csv_tables = {});
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  bool is_text() const { return form_ == TableForm::text; }
  // Words for people, which the other forms leave out.
  void say(std::string_view words);
  // Begins a table, to which row() adds. A table of the same name goes on: its rows follow in JSON and CSV, which takes
  // the same columns (UserError).
  void begin(const Table& table);
  // The table is there, with or without rows. As text it is not before its first begin(), so that nothing stands for
  // one without rows.
  void expect(const Table& table);
  void row(std::vector<Cell> cells);
  // A whole table, in the text fitted().
  void show(const Table& table);
  // Writes JSON or CSV. Throws UserError where standard output does not take it, and where none of `csv_tables` is
  // among the tables.
  void finish();

  // {"NAME": [rows], ..., "units": {"NAME": {"COLUMN": "UNIT", ...}, ...}}
  std::string json() const;

 private:
  void write(std::string_view content) const;

  TableForm form_;
  std::vector<std::string> csv_tables_;
  int output_ = -1;  // what standard output was
  std::vector<Table> tables_;
  std::size_t current_ = 0;  // of tables_
};

}  // namespace koridor
