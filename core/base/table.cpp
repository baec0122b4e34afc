#include "core/base/table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/write_all.h"

namespace koridor {
namespace {

bool fits(const Cell& cell, ColumnType type) {
  const Cell::Value& value = cell.value();
  if (cell.empty()) return true;
  switch (type) {
    case ColumnType::text:
      return std::holds_alternative<std::string>(value);
    case ColumnType::integer:
      return std::holds_alternative<std::int64_t>(value);
    case ColumnType::number:
      return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
    case ColumnType::truth:
      return std::holds_alternative<bool>(value);
    case ColumnType::any:
      return true;
  }
  return false;
}

// Filled up with spaces to the column's width.
std::string padded(const std::string& text, int width) {
  return width < 0 ? fmt::format("{:<{}}", text, -width) : fmt::format("{:>{}}", text, width);
}

// A cell as the text shows it, of any width.
std::string cell_text(const Cell& cell, const Column& column) {
  struct Print {
    const Column& column;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(const std::string& text) const {
      const std::string shown = printable(text);
      return fmt::vformat(column.format, fmt::make_format_args(shown));
    }
    std::string operator()(std::int64_t number) const {
      if (column.type != ColumnType::number) return fmt::vformat(column.format, fmt::make_format_args(number));
      return (*this)(static_cast<double>(number));
    }
    std::string operator()(double number) const {
      const double scaled = column.factor * number;
      return without_negative_zero(fmt::vformat(column.format, fmt::make_format_args(scaled)));
    }
    std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  };
  return std::visit(Print{column}, cell.value());
}

int length(const std::string& text) {
  return static_cast<int>(character_count(text));
}

nlohmann::ordered_json to_json(const Cell& cell) {
  struct Convert {
    nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }
    nlohmann::ordered_json operator()(const std::string& text) const { return text; }
    nlohmann::ordered_json operator()(std::int64_t number) const { return number; }
    nlohmann::ordered_json operator()(double number) const {
      return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
    }
    nlohmann::ordered_json operator()(bool truth) const { return truth; }
  };
  return std::visit(Convert{}, cell.value());
}

// A field of a CSV file: in quotation marks where it holds a comma, a quotation mark or the end of a line.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_text(const Cell& cell) {
  const nlohmann::ordered_json value = to_json(cell);
  if (value.is_null()) return "";
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Cell::Cell() = default;
Cell::Cell(const Cell&) = default;
Cell::Cell(Cell&&) noexcept = default;
Cell& Cell::operator=(const Cell&) = default;
Cell& Cell::operator=(Cell&&) noexcept = default;
Cell::~Cell() = default;

const Cell& TableRow::cell(std::string_view column) const {
  const auto& columns = table_.columns();
  const auto found = std::ranges::find(columns, column, &Column::name);
  if (found == columns.end()) {
    throw std::logic_error(fmt::format("table {}: there is no column {}", table_.name(), column));
  }
  return cells_[static_cast<std::size_t>(found - columns.begin())];
}

namespace {

template <class T>
const T& get(const Cell& cell, std::string_view column) {
  if (const T* value = std::get_if<T>(&cell.value())) return *value;
  throw std::logic_error(fmt::format("the column {} holds another type here", column));
}

}  // namespace

std::string TableRow::text(std::string_view column) const {
  return printable(get<std::string>(cell(column), column));
}
std::int64_t TableRow::integer(std::string_view column) const {
  return get<std::int64_t>(cell(column), column);
}
double TableRow::number(std::string_view column) const {
  const Cell& value = cell(column);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value())) return static_cast<double>(*integer);
  return get<double>(value, column);
}
bool TableRow::truth(std::string_view column) const {
  return get<bool>(cell(column), column);
}
bool TableRow::empty(std::string_view column) const {
  return cell(column).empty();
}

void Table::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error(fmt::format("table {}: {} cells for {} columns", name_, cells.size(), columns_.size()));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!fits(cells[i], columns_[i].type)) {
      throw std::logic_error(fmt::format("table {}: the column {} has another type", name_, columns_[i].name));
    }
  }
  rows_.push_back(std::move(cells));
}

Table Table::fitted() const {
  Table fitted = *this;
  if (line_) return fitted;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].width >= 0 || columns_[i].format.empty()) continue;
    int longest = length(columns_[i].heading);
    for (const auto& cells : rows_) longest = std::max(longest, length(cell_text(cells[i], columns_[i])));
    fitted.columns_[i].width = -longest;
  }
  return fitted;
}

std::string Table::heading_text() const {
  if (line_) return "";
  std::string text;
  bool first = true;
  for (const Column& column : columns_) {
    if (column.format.empty()) continue;
    text += (first ? "" : " ") + padded(column.heading, column.width);
    first = false;
  }
  return first ? "" : text + "\n";
}

std::string Table::row_text(const std::vector<Cell>& cells) const {
  if (line_) return line_(TableRow(*this, cells));
  std::string text;
  bool first = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].format.empty()) continue;
    text += (first ? "" : " ") + padded(cell_text(cells[i], columns_[i]), columns_[i].width);
    first = false;
  }
  return first ? "" : text + "\n";
}

std::string Table::text() const {
  std::string text = heading_text();
  for (const auto& cells : rows_) text += row_text(cells);
  return text;
}

nlohmann::ordered_json Table::json() const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& cells : rows_) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns_[i].name] = to_json(cells[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Table::csv() const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) text += (i == 0 ? "" : ",") + csv_field(columns_[i].name);
  text += "\r\n";
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_text(cells[i]);
    text += "\r\n";
  }
  return text;
}

TableWriter::TableWriter(TableForm form, std::vector<std::string> csv_tables)
    : form_(form), csv_tables_(std::move(csv_tables)) {
  if (is_text()) return;
  std::fflush(stdout);
  // Children have no part in it: an engine that lives on would keep a pipe open.
  output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    if (output_ >= 0) ::close(output_);
    throw UserError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

TableWriter::~TableWriter() {
  if (output_ < 0) return;
  std::fflush(stdout);
  ::dup2(output_, STDOUT_FILENO);
  ::close(output_);
}

void TableWriter::say(std::string_view words) {
  if (is_text()) fmt::print("{}", words);
}

void TableWriter::begin(const Table& table) {
  if (is_text()) {
    fmt::print("{}", table.heading_text());
    tables_.clear();
  }
  const auto found = std::ranges::find(tables_, table.name(), &Table::name);
  current_ = static_cast<std::size_t>(found - tables_.begin());
  if (found == tables_.end()) {
    tables_.push_back(table.emptied());
  } else if (!std::ranges::equal(found->columns(), table.columns(), {}, &Column::name, &Column::name)) {
    throw UserError(fmt::format("the table {} would go on with other columns; ask for one at a time", table.name()));
  }
}

void TableWriter::expect(const Table& table) {
  if (!is_text()) begin(table);
}

void TableWriter::row(std::vector<Cell> cells) {
  Table& table = tables_.at(current_);
  table.add(std::move(cells));
  if (is_text()) fmt::print("{}", table.row_text(table.rows().back()));
}

void TableWriter::show(const Table& table) {
  begin(is_text() ? table.fitted() : table);
  for (const auto& cells : table.rows()) row(cells);
}

std::string TableWriter::json() const {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  nlohmann::ordered_json units = nlohmann::ordered_json::object();
  for (const Table& table : tables_) {
    document[table.name()] = table.json();
    for (const Column& column : table.columns()) {
      if (!column.unit.empty()) units[table.name()][column.name] = column.unit;
    }
  }
  document["units"] = units;
  return json_text(document, 2) + "\n";
}

void TableWriter::finish() {
  if (is_text()) return;
  if (form_ == TableForm::json) return write(json());
  if (tables_.empty()) return;
  std::vector<std::string> names;
  for (const Table& table : tables_) names.push_back(table.name());
  for (const std::string& wanted : csv_tables_.empty() ? names : csv_tables_) {
    const auto found = std::ranges::find(tables_, wanted, &Table::name);
    if (found != tables_.end()) return write(found->csv());
  }
  throw UserError(
      fmt::format("--table {}: the tables here are: {}", fmt::join(csv_tables_, ", "), fmt::join(names, ", ")));
}

void TableWriter::write(std::string_view content) const {
  if (const int error = write_all(output_, content); error != 0) {
    throw UserError(fmt::format("cannot write to standard output: {}", std::strerror(error)));
  }
}

}  // namespace koridor
