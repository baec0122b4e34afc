// koridor status: who works on a run, what each does, and what is stuck.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/table.h"
#include "core/base/signals.h"
#include "train/run/run_status.h"

namespace koridor::cli {
namespace {

using enum ColumnType;

// Two beats and what a network takes.
constexpr double kSeconds = 12;

struct StatusOptions {
  std::string run;
  double seconds = kSeconds;
  TableOptions tables;
};

Table run_table() {
  return {"run",
          {{"run", text},
           {"models", integer},
           {"generations", integer},
           {"phase", text},
           {"generation", integer},
           {"state", text},
           {"games", integer, "games"},
           {"games_wanted", integer, "games"},
           {"step", integer, "steps"},
           {"steps", integer, "steps"}},
          [](const TableRow& row) {
            const std::int64_t made = std::max<std::int64_t>(0, row.integer("models") - 1);
            std::string line = fmt::format("{}: {}", row.text("run"), made);
            // A run may have gone further by a larger number before.
            if (!row.empty("generations") && made <= row.integer("generations")) {
              line += fmt::format(" of {}", row.integer("generations"));
            }
            line += " generations";
            if (!row.empty("phase")) line += fmt::format("; {}", row.text("phase"));
            if (!row.empty("generation")) line += fmt::format(" {}", row.integer("generation"));
            if (!row.empty("games")) {
              line += fmt::format(": {}", row.integer("games"));
              if (!row.empty("games_wanted")) line += fmt::format(" of {}", row.integer("games_wanted"));
              line += " games";
            }
            if (!row.empty("step")) line += fmt::format(": {} of {} steps", row.integer("step"), row.integer("steps"));
            if (!row.empty("state") && row.text("state") != "living") line += "; " + row.text("state");
            return line + "\n";
          }};
}

Table process_table() {
  return {"processes",
          {{"process", text, "", "process", -8, "{}"},
           {"host", text, "", "host", -16, "{}"},
           {"pid", integer, "", "pid", 8, "{}"},
           {"state", text, "", "  state", -10, "  {}"},
           {"does", text, "", "  does", -40, "  {}"},
           {"rate", number, "1/s", "rate/s", 10, "{:.0f}"},
           {"games", integer, "games", "games", 9, "{}"},
           {"silent", number, "s", "silent s", 9, "{:.0f}"},
           {"name", text}}};
}

Table stuck_table() {
  return {"stuck", {{"what", text}}, [](const TableRow& row) { return "stuck: " + row.text("what") + "\n"; }};
}

void show_status(const StatusOptions& options) {
  catch_signals();
  const auto patience = std::chrono::milliseconds(static_cast<int>(1000 * options.seconds));
  const RunStatus status = run_status(RunDirectory(options.run), patience, stop_requested());
  TableWriter out = table_writer(options.tables);
  Table run = run_table();
  run.add({options.run, status.models, status.generations > 0 ? Cell(status.generations) : Cell(),
           status.phase.empty() ? Cell() : Cell(status.phase), status.generation < 0 ? Cell() : Cell(status.generation),
           status.state.empty() ? Cell() : Cell(status.state), status.games, status.games_wanted, status.step,
           status.steps});
  out.show(run);
  Table processes = process_table();
  for (const RunProcess& process : status.processes) {
    processes.add({process.process, process.host, process.pid, process.state, process.doing, process.rate,
                   process.games ? Cell(static_cast<std::int64_t>(*process.games)) : Cell(), process.still,
                   process.name});
  }
  out.expect(processes);
  if (!status.processes.empty()) out.show(processes);
  Table stuck = stuck_table();
  for (const std::string& what : status.stuck) stuck.add({what});
  out.show(stuck);
  out.finish();
}

}  // namespace

void add_status(CommandLine& line) {
  auto options = std::make_shared<StatusOptions>();
  const Command status =
      line.add_command("status", "Show who works on a run, on any machine, what each does and what is stuck");
  status.add_option("run", options->run, "Run directory").type_name("DIR").required();
  status.add_option("--seconds", options->seconds, "Watch for at most so long, until each has given a sign of life")
      .range(0.0, 3600.0)
      .show_default();
  add_tables(status, options->tables, {"run", "processes", "stuck"});
  status.runs([options] { show_status(*options); });
}

}  // namespace koridor::cli
