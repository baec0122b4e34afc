// koridor inspect: what is in a shard or a model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inspect_game.h"
#include "cli/inspect_solver.h"
#include "cli/inspect_summary.h"
#include "cli/inspect_variety.h"
#include "cli/model_card.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
#include "core/solve/solution.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "train/run/games_check.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

struct InspectOptions {
  std::vector<std::string> files;
  int game = -1;
  bool verify = false;
  bool solver = false;
  bool variety = false;
  int mebibytes = static_cast<int>(SolveLimits{}.mebibytes);
  Notation notation = Notation::standard;
  int top = 5;
  std::string sgf;
  TableOptions tables;
};

using enum ColumnType;

// Tells the check of the folders that are looked through as a whole.
void add_folders(const std::vector<std::string>& named, GamesCheck& check) {
  for (const std::string& name : named) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) continue;
    for (const std::filesystem::path& shard : shards_below(name)) check.add_folder(shard.parent_path());
  }
}

Table verified_table() {
  return {"verified",
          {{"file", text}, {"games", integer}, {"plies", integer}, {"faults", integer}},
          [](const TableRow& row) {
            if (row.integer("faults") > 0) return std::string();  // standard error has a line for each
            return fmt::format("{}: {}, {}, all good\n", row.text("file"), counted(row.integer("games"), "game"),
                               counted(row.integer("plies"), "ply", "plies"));
          }};
}

// Whether the file is whole; a line on standard error says of each fault where it is.
bool verify(TableWriter& out, const std::string& file, const ShardData& data) {
  const std::vector<std::string> faults = verify_shard(data);
  for (const std::string& fault : faults) print_message(file, fault);
  out.begin(verified_table());
  out.row({file, data.games(), data.plies(), faults.size()});
  return faults.empty();
}

void require_whole(std::ptrdiff_t files, int damaged) {
  if (damaged == 0) return;
  throw UserError(
      fmt::format("{} of {} {} not whole, see above", damaged, counted(files, "file"), damaged == 1 ? "is" : "are"));
}

// Looks at a file, and names it if it is not whole: false. The fault of the only file is the command's own.
bool is_whole(const std::vector<std::string>& files, const std::function<void()>& look) {
  try {
    look();
    return true;
  } catch (const UserError& error) {
    if (files.size() == 1) throw;
    print_message("koridor", error.what());
    return false;
  }
}

// What --solver and --variety say of all games together. Files that are not whole are named and left out.
void judge_games(TableWriter& out, const std::vector<std::string>& files, const InspectOptions& options) {
  if (options.solver) catch_signals();
  TargetTruths truths(options.mebibytes);
  std::map<std::string, Variety> variants;
  int damaged = 0;
  for (const std::string& file : files) {
    if (looks_like_model(file)) {
      throw UserError(
          fmt::format("{}: a model holds no games; {} is of shards", file, options.solver ? "--solver" : "--variety"));
    }
    ShardData data;
    const bool whole = is_whole(files, [&] {
      data = read_shard(file);
      require_sizes_of_game(data, file);
      if (options.solver) require_legal_plies(data, file);
      if (options.variety) variants[data.info.game].add(data, file);
    });
    if (!whole) ++damaged;
    if (whole && options.solver) truths.add(file, data);
  }
  // Of a variant whose every file is left out nothing is shown.
  std::erase_if(variants, [](const auto& entry) { return entry.second.games() == 0; });
  options.solver ? truths.show(out) : show_variety(out, variants);
  out.finish();
  require_whole(std::ssize(files), damaged);
}

void refuse_model(const std::string& file, const InspectOptions& options) {
  if (options.game < 0 && !options.verify) return;
  throw UserError(
      fmt::format("{}: a model holds no games; {} is of shards", file, options.verify ? "--verify" : "--game"));
}

void run_inspect(const InspectOptions& options) {
  require_option(options.tables, "truth", "--solver", options.solver);
  require_option(options.tables, "variety", "--variety", options.variety);
  require_option(options.tables, "verified", "--verify", options.verify);
  for (const char* table : {"plies", "games", "outcomes"}) {
    require_option(options.tables, table, "--game", options.game >= 0);
  }
  if (options.sgf == "-" && (options.tables.json || options.tables.csv)) {
    throw UserError("--sgf -: standard output is --json's or --csv's; name a file for the game");
  }
  TableWriter out = table_writer(options.tables);
  std::string record;  // of each file's game, one behind the other: a collection of SGF
  int damaged = 0;
  std::ptrdiff_t without = 0;  // files that have no game at the place of --game
  std::size_t most = 0;        // games in one of them
  GamesCheck check;
  std::vector<std::string> named = options.files;
  for (std::string& name : named) {
    if (!std::filesystem::exists(name)) name = find_model(name);
  }
  const std::vector<std::string> files = named_shards(named);
  if (!options.sgf.empty() && options.sgf != "-") {
    check_not_read("--sgf", options.sgf, files);
    check_output("--sgf", options.sgf);
  }
  if (options.solver || options.variety) return judge_games(out, files, options);
  add_folders(options.files, check);
  for (const std::string& file : files) {
    std::optional<ShardData> recorded;  // the shard whose game is written; what fails there, fails for every file
    const bool whole = is_whole(files, [&] {
      if (looks_like_model(file)) {
        refuse_model(file, options);
        return show_model_card(out, file);
      }
      ShardData data = read_shard(file);
      if (options.verify) {
        check.add(file, data);
        if (!verify(out, file, data)) ++damaged;
      } else if (options.game >= 0 && files.size() > 1 && data.games() <= static_cast<std::size_t>(options.game)) {
        ++without;
        most = std::max(most, data.games());
      } else if (options.game >= 0 && options.sgf.empty()) {
        show_game(out, file, data, {static_cast<std::size_t>(options.game), options.notation, options.top});
      } else if (options.game >= 0) {
        recorded = std::move(data);
      } else {
        show_summary(out, file, data);
      }
    });
    if (!whole) ++damaged;
    if (recorded) record += sgf_of(file, *recorded, static_cast<std::size_t>(options.game));
  }
  if (options.sgf == "-") fmt::print("{}", record);
  if (!record.empty() && options.sgf != "-") write_file_atomically(options.sgf, record);
  if (without > 0 && without + damaged == std::ssize(files)) {
    throw UserError(fmt::format("--game {}: none of the {} holds it; the largest holds the games 0 to {}", options.game,
                                counted(std::ssize(files), "file"), static_cast<long>(most) - 1));
  }
  const std::vector<std::string> faults = options.verify ? check.faults() : std::vector<std::string>{};
  for (const std::string& fault : faults) print_message("koridor", fault);
  out.finish();
  require_whole(std::ssize(files), damaged);
  if (!faults.empty()) throw UserError("not every game is there once, see above");
}

}  // namespace

void add_inspect(CommandLine& line) {
  auto options = std::make_shared<InspectOptions>();
  const Command inspect = line.add_command("inspect", "Show what is in a shard of games or in a model");
  inspect
      .add_option("file", options->files,
                  "Shards (.h5), folders of them (RUN/shards), or models (.koridor), also by name")
      .type_name("FILE")
      .required();
  inspect.add_option("--game", options->game, "Print the game at this place of the shard, with its policies")
      .range(0, 1 << 30);
  inspect.add_flag("--verify", options->verify, "Replay every game, check every field, and that no game is there twice")
      .excludes("--game");
  inspect
      .add_flag("--solver", options->solver,
                "How true what the games teach is, by proof: results, searches' values, actions (docs/yardsticks.md)")
      .excludes("--game")
      .excludes("--verify");
  inspect
      .add_flag("--variety", options->variety,
                "How many different positions the games have, ply by ply (docs/yardsticks.md)")
      .excludes("--game")
      .excludes("--verify")
      .excludes("--solver");
  inspect.add_option("--megabytes", options->mebibytes, "Of --solver: memory for its tables, in MiB")
      .range(1, 1 << 20)
      .show_default()
      .needs("--solver");
  inspect.add_option("--sgf", options->sgf, "Write the game of --game as SGF (games of Go); -: to standard output")
      .type_name("FILE")
      .needs("--game");
  inspect.add_option("--top", options->top, "Policy entries to show for each ply").range(0, 10000).show_default();
  add_notation(inspect, options->notation, "How actions are written");
  add_tables(inspect, options->tables,
             {"shards", "models", "truth", "variety", "plies", "verified", "points", "ends", "games", "outcomes",
              "training", "planes", "scalars", "metadata"});
  inspect.runs([options] { run_inspect(*options); });
}

}  // namespace koridor::cli
