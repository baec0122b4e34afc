// koridor page: the page as static files, which plays in the visitor's browser alone.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/programs.h"
#include "cli/serve/page_folder.h"
#include "core/base/shell.h"

namespace koridor::cli {
namespace {

struct PageOptions {
  std::vector<std::string> models;
  std::string out;
  bool force = false;
};

void run_page(const PageOptions& options) {
  std::vector<std::string> models;
  for (const std::string& name : options.models) models.push_back(find_model(name));
  std::uintmax_t total = 0;
  for (const serve::WrittenFile& file : serve::write_page(options.out, models, options.force)) {
    fmt::print("{:<20} {:>9} bytes{}{}\n", file.name, file.bytes, file.about.empty() ? "" : "  ", file.about);
    total += file.bytes;
  }
  fmt::print(
      "{:<20} {:>9} bytes\n"
      "Any host of static files shows it, in any of its folders. On this machine:\n"
      "    python3 -m http.server --bind 127.0.0.1 --directory {} 8000\n"
      "and http://127.0.0.1:8000/ in the browser.\n",
      "all", total, shell_word(options.out));
}

}  // namespace

void add_page(CommandLine& line) {
  auto options = std::make_shared<PageOptions>();
  const Command page =
      line.add_command("page", "Write the page as static files, which play in the visitor's browser alone");
  page.add_option("models", options->models, "Model files or names (default: players without a model)")
      .type_name("MODEL");
  page.add_option("--out", options->out, "Folder to write").type_name("DIR").required();
  page.add_flag("--force", options->force, "Write into a folder that holds other files, too");
  page.runs([options] { run_page(*options); });
}

}  // namespace koridor::cli
