// koridor serve: a page in the browser to play, to review games and to watch runs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "cli/seed_option.h"
#include "cli/serve/service.h"
#include "core/base/cores.h"
#include "core/base/signals.h"

namespace koridor::cli {
namespace {

struct ServeOptions {
  std::vector<std::string> paths;
  std::string address = "127.0.0.1";
  int port = 8080;
  std::vector<std::string> hosts;
  int slots = 2;
  int threads = 0;
  int memory = serve::SearchSettings{}.memory;
  std::optional<std::uint64_t> seed;  // none: another one each time
  Evaluation evaluation{};
  std::vector<std::string> search;
};

// A folder is a run, anything else a model.
serve::Shelf make_shelf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::vector<std::string> folders;
  for (const std::string& given : paths) {
    if (std::filesystem::is_directory(given)) {
      folders.push_back(given);
    } else {
      files.push_back(find_model(given));
    }
  }
  return serve::Shelf(std::move(files), folders.empty() ? std::vector<LabelledRun>{} : load_runs(folders));
}

serve::SearchSettings search_settings(const ServeOptions& options) {
  serve::SearchSettings settings{.slots = options.slots,
                                 .threads = options.threads,
                                 .memory = options.memory,
                                 .seed = chosen_seed(options.seed),
                                 .search = match_search(),
                                 .evaluation = options.evaluation};
  if (settings.threads == 0) settings.threads = std::max(thread_count(0) / options.slots, 1);
  apply_search_settings(settings.search, options.search);
  return settings;
}

void run_serve(const ServeOptions& options) {
  serve::Shelf shelf = make_shelf(options.paths);
  serve::Service service(shelf, search_settings(options));
  std::unique_ptr<serve::Gatekeeper> gatekeeper;
  // A thread for each search, and some that are always free for the rest.
  const serve::ServerSettings settings{.address = options.address, .port = options.port, .threads = options.slots + 4};
  serve::HttpServer server(settings, [&](const serve::HttpRequest& request, serve::Reply& reply) {
    if (const auto refusal = gatekeeper->refuse(request)) return reply.send(*refusal);
    service.handle(request, reply);
  });
  gatekeeper = std::make_unique<serve::Gatekeeper>(server.address(), server.port(), options.hosts);
  catch_signals();
  const std::string bound = server.address();
  const std::string name = bound.find(':') == std::string::npos ? bound : "[" + bound + "]";
  fmt::print("http://{}:{}/ - Ctrl-C ends it\n", name == "0.0.0.0" ? "127.0.0.1" : name, server.port());
  std::fflush(stdout);
  server.run(stop_requested());
  if (::isatty(STDOUT_FILENO) == 1) fmt::print("\n");  // behind the ^C
}

}  // namespace

void add_serve(CommandLine& line) {
  auto options = std::make_shared<ServeOptions>();
  const Command serve = line.add_command("serve", "Serve a page to play, review games and watch runs in the browser");
  serve
      .add_option("paths", options->paths,
                  "Model files, names of trained models and run directories (default: players without a model)")
      .type_name("PATH");
  serve.add_option("--port", options->port, "0: any that is free").range(0, 65535).show_default();
  serve.add_option("--bind", options->address, "Address in numbers; 0.0.0.0 lets other machines in")
      .type_name("ADDRESS")
      .show_default();
  serve
      .add_option("--host", options->hosts,
                  "Further name or address by which people reach it; NAME:PORT for another port")
      .type_name("NAME")
      .one_each_time();
  serve.add_option("--slots", options->slots, "Searches at once; further ones are refused").range(1, 64).show_default();
  serve
      .add_option("--threads", options->threads,
                  "Of each analysis; the moves of players take one; 0: the cores divided by --slots")
      .range(0, 1024)
      .show_default();
  serve.add_option("--memory", options->memory, "Of each slot's search trees")
      .range(1, 1 << 20)
      .type_name("MIB")
      .show_default();
  add_seed(serve, options->seed);
  add_search_settings(serve, options->search);
  add_evaluation(serve, options->evaluation, true);
  serve.runs([options] { run_serve(*options); });
}

}  // namespace koridor::cli
