// How `--help` looks: as wide as the terminal, with lines broken between words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace koridor::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  // In columns; lines may have 60 in any case.
  explicit HelpFormatter(std::size_t width);

  std::string make_description(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* app) const override;
  std::string make_expanded(const CLI::App* app) const override;
  // In tables, whose columns have two or more spaces between them, a line goes on in its last column.
  std::string make_footer(const CLI::App* app) const override;

 private:
  // A name, and what it means in a column of its own.
  std::string entry(const std::string& name, const std::string& meaning) const;

  std::size_t width_;
};

}  // namespace koridor::cli
