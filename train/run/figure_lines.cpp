#include "train/run/figure_lines.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/sealed_text.h"

namespace koridor {
namespace {

using nlohmann::json;

std::string text_of(const json& object) {
  return object.dump(-1, ' ', true, json::error_handler_t::replace);
}

// Of a line without its member "checksum". Objects are sorted by their names, so equal lines have equal texts.
std::string checksum_of(const json& line) {
  return text_checksum(text_of(line));
}

void visit_numbers(const json& value, const std::string& path, char separator,
                   const std::function<void(const std::string&, double)>& visit) {
  const auto visit_part = [&](const json& part, const std::string& name) {
    visit_numbers(part, path.empty() ? name : path + separator + name, separator, visit);
  };
  if (value.is_number()) visit(path, value.get<double>());
  if (value.is_object()) {
    for (const auto& [name, part] : value.items()) visit_part(part, name);
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) visit_part(value[i], std::to_string(i + 1));
  }
}

}  // namespace

FigureLines read_figure_lines(const std::filesystem::path& path) {
  FigureLines read;
  if (!std::filesystem::exists(path)) return read;
  std::istringstream text(read_file(path));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const auto damaged = [&](const char* why) {
      read.damaged.push_back(fmt::format("{}: line {} is damaged: {}", path.string(), number, why));
    };
    json object = json::parse(line, nullptr, false);
    const int generation = member(object, "generation", -1);
    if (generation < 0) {
      damaged("it is no JSON object with a generation");
      continue;
    }
    const bool sealed = object.contains("checksum");
    const auto checksum = member(object, "checksum", std::string());
    object.erase("checksum");
    if (sealed && checksum != checksum_of(object)) {
      damaged("its checksum is wrong");
      continue;
    }
    read.lines.push_back({generation, std::move(object), sealed});
  }
  return read;
}

void for_each_number(const json& figures, char separator,
                     const std::function<void(const std::string&, double)>& visit) {
  visit_numbers(figures, "", separator, visit);
}

std::string figure_line_text(const json& figures) {
  json sealed = figures;
  sealed["checksum"] = checksum_of(figures);
  return text_of(sealed) + "\n";
}

}  // namespace koridor
