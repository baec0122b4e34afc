// koridor inspect: what is in a shard or a model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/inspect_solver.h"
#include "cli/inspect_variety.h"
#include "cli/model_card.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/records.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "core/base/version.h"
#include "core/registry.h"
#include "core/solve/solution.h"
#include "selfplay/shards/game_end.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "train/run/games_check.h"

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

// kGameEndNames for people.
std::string end_text(const std::string& name) {
  constexpr std::array<const char*, kGameEnds> kTexts = {"the goal", "the ply cap",          "repetition",
                                                         "passes",   "the supply of stones", "forfeit or adjudication"};
  const auto found = std::ranges::find(kGameEndNames, name);
  return found == kGameEndNames.end() ? name : kTexts[static_cast<std::size_t>(found - kGameEndNames.begin())];
}

using enum ColumnType;

// Which models played the games, where the file says it: "; played by the models 3 to 5".
std::string models_text(const TableRow& row) {
  if (row.empty("first_model")) return "";
  const auto first = row.integer("first_model");
  const auto last = row.integer("last_model");
  return first == last ? fmt::format("; played by model {}", first)
                       : fmt::format("; played by the models {} to {}", first, last);
}

// Whose games they are: a run's, or those of a match, which belong to no generation and no configuration.
std::string origin_text(const TableRow& row) {
  if (row.empty("generation")) return fmt::format("of a match with seed {}", row.text("seed"));
  return fmt::format("generation {}, run seed {}, configuration {}", row.integer("generation"), row.text("seed"),
                     row.text("config_hash"));
}

// How its plies were chosen; a match keeps no searches, and its openings are not told apart.
std::string kinds_text(const TableRow& row) {
  if (row.empty("opening")) return "a match keeps no searches";
  return fmt::format("{} full, {} cheap, {} opening, {} of opponents; {}", row.integer("full"), row.integer("cheap"),
                     row.integer("opening"), row.integer("opponent"),
                     counted(row.integer("policy_entries"), "policy entry", "policy entries"));
}

Table shards_table() {
  return {"shards",
          {{"file", text},
           {"game", text},
           {"generation", integer},
           {"seed", text},
           {"config_hash", text},
           {"written_by", text},
           {"games", integer},
           {"plies", integer, "plies"},
           {"full", integer, "plies"},
           {"cheap", integer, "plies"},
           {"opening", integer, "plies"},
           {"opponent", integer, "plies"},
           {"policy_entries", integer},
           {"first_model", integer},
           {"last_model", integer}},
          [](const TableRow& row) {
            return fmt::format(
                "{}\n  game {}, {}\n"
                "  written by {}{}\n"
                "  {}, {} ({:.1f} a game): {}\n",
                row.text("file"), row.text("game"), origin_text(row), row.text("written_by"), models_text(row),
                counted(row.integer("games"), "game"), counted(row.integer("plies"), "ply", "plies"),
                row.number("plies") / std::max(1.0, row.number("games")), kinds_text(row));
          }};
}

Table points_table() {
  return {"points", {{"file", text}, {"player", integer}, {"points", number}}, [](const TableRow& row) {
            return fmt::format("  player {}: {:.1f} points\n", row.integer("player"), row.number("points"));
          }};
}

Table ends_table() {
  return {"ends", {{"file", text}, {"games", integer}, {"end", text}}, [](const TableRow& row) {
            return fmt::format("  {} ended by {}\n", counted(row.integer("games"), "game"), end_text(row.text("end")));
          }};
}

// Whether the games are those of a match (selfplay/matches/match_files.h). Its shards have no configuration, and the
// kind that says `opening` elsewhere says nothing there.
bool is_match(const ShardData& data) {
  return data.info.config_hash.empty() &&
         std::ranges::all_of(data.ply_kind, [](std::uint8_t kind) { return PlyKind{kind} == PlyKind::opening; });
}

void show_summary(TableWriter& out, const std::string& file, const ShardData& data) {
  const ShardInfo& info = data.info;
  const bool match = is_match(data);
  const auto kinds = [&](PlyKind kind) { return std::ranges::count(data.ply_kind, static_cast<std::uint8_t>(kind)); };
  const std::vector<std::uint32_t>& models = data.game_model;
  out.begin(shards_table());
  // A seed may be larger than the numbers that JSON's readers hold exactly.
  out.row({file, info.game, match ? Cell() : Cell(info.generation), std::to_string(info.seed),
           match ? Cell() : Cell(info.config_hash), build_text(data.build), data.games(), data.plies(),
           kinds(PlyKind::full), kinds(PlyKind::cheap), match ? Cell() : Cell(kinds(PlyKind::opening)),
           kinds(PlyKind::opponent), data.policy_action.size(),
           models.empty() ? Cell() : Cell(std::ranges::min(models)),
           models.empty() ? Cell() : Cell(std::ranges::max(models))});
  std::vector<double> score(static_cast<std::size_t>(info.players));
  for (std::size_t i = 0; i < data.game_outcome.size(); ++i) score[i % score.size()] += data.game_outcome[i];
  out.begin(points_table());
  for (std::size_t player = 0; player < score.size(); ++player) out.row({file, player + 1, score[player]});
  std::vector<int> ends(kGameEnds);
  for (std::uint8_t end : data.game_end) ++ends[std::min<std::size_t>(end, ends.size() - 1)];
  out.begin(ends_table());
  for (std::size_t end = 0; end < ends.size(); ++end) {
    if (ends[end] > 0) out.row({file, ends[end], kGameEndNames[end]});
  }
}

// None where the game is over.
template <Game G>
ActionMask legal_in(const G& game, const Position<G>& position) {
  ActionMask legal;
  if (!game.outcome(position.state, position.history).over()) {
    game.legal_actions(position.state, position.history, legal);
  }
  return legal;
}

// The action of this ply. Throws UserError where it is not among the legal ones of the position.
template <Game G>
Action stored_action(const G& game, const Position<G>& position, const ActionMask& legal, const ShardData& data,
                     std::size_t row) {
  const Action action{data.ply_action[row]};
  if (!legal.test(action)) {
    throw UserError(fmt::format("ply {} of this game is not legal; see --verify", game.ply(position.state) + 1));
  }
  return action;
}

Table games_table() {
  return {"games",
          {{"file", text}, {"game", integer}, {"number", integer}, {"record", text}, {"plies", integer, "plies"}},
          [](const TableRow& row) { return row.text("record") + "\n\n"; }};
}

// The search's values, one column per player, and the policy as text: "e8 51.2% e3h 10.0%".
Table plies_table(std::size_t players) {
  std::vector<Column> columns = {
      {"file", text}, {"ply", integer}, {"player", integer}, {"action", text}, {"kind", text}};
  for (std::size_t player = 1; player <= players; ++player) {
    columns.push_back({fmt::format("value{}", player), number});
  }
  columns.push_back({"policy", text});
  return {"plies", columns, [players](const TableRow& row) {
            std::string line =
                fmt::format("{:>4} player {} {:<6}", row.integer("ply"), row.integer("player"), row.text("action"));
            if (!row.empty("kind")) line += fmt::format(" {:<8}", row.text("kind"));
            if (!row.empty("value1")) line += " value";
            for (std::size_t player = 1; player <= players && !row.empty("value1"); ++player) {
              line += fmt::format(" {:.2f}", row.number(fmt::format("value{}", player)));
            }
            return line + (row.empty("policy") ? "" : "  policy " + row.text("policy")) + "\n";
          }};
}

Table outcomes_table(std::size_t players) {
  std::vector<Column> columns = {{"file", text}, {"game", integer}, {"end", text}};
  for (std::size_t player = 1; player <= players; ++player) {
    columns.push_back({fmt::format("outcome{}", player), number});
  }
  return {"outcomes", columns, [players](const TableRow& row) {
            std::string line = fmt::format("ended by {}; outcome", end_text(row.text("end")));
            for (std::size_t player = 1; player <= players; ++player) {
              line += fmt::format(" {:.2f}", row.number(fmt::format("outcome{}", player)));
            }
            return line + "\n";
          }};
}

// The policy target of a ply as text, the `top` likeliest actions first; nothing for a ply without one.
template <Game G>
Cell policy_text(const G& game, const Position<G>& position, const ActionMask& legal, const ShardData& data,
                 std::size_t row, const InspectOptions& options) {
  std::vector<std::pair<int, Action>> policy;
  for (std::size_t i = 0; i < data.policy_count[row]; ++i) {
    const std::size_t entry = data.policy_first[row] + i;
    const Action action{data.policy_action[entry]};
    if (!legal.test(action)) {
      throw UserError(fmt::format("the policy of ply {} of this game has an action that is not legal; see --verify",
                                  game.ply(position.state) + 1));
    }
    policy.emplace_back(data.policy_probability[entry], action);
  }
  if (policy.empty()) return {};
  std::ranges::sort(policy, std::ranges::greater{});
  std::string words;
  for (std::size_t i = 0; i < std::min(policy.size(), static_cast<std::size_t>(options.top)); ++i) {
    words += fmt::format("{}{} {:.1f}%", i == 0 ? "" : " ",
                         game.print_action(position.state, policy[i].second, options.notation),
                         100.0 * policy[i].first / 65535.0);
  }
  return words;
}

// One game: the record in one line as in chess, then each ply with its search.
template <Game G>
void show_game(TableWriter& out, const std::string& file, const G& game, const ShardData& data, std::size_t which,
               const InspectOptions& options) {
  const Notation notation = options.notation;
  const std::size_t first = data.game_first_ply[which];
  const std::size_t plies = data.game_plies[which];
  const auto players = static_cast<std::size_t>(data.info.players);
  const bool match = is_match(data);
  int rounds = 0;
  std::string record;
  Table details = plies_table(players);
  Position position(game);
  for (std::size_t ply = 0; ply < plies; ++ply) {
    const std::size_t row = first + ply;
    const ActionMask legal = legal_in(game, position);
    const Action action = stored_action(game, position, legal, data, row);
    const std::string name = game.print_action(position.state, action, notation);
    // A round starts where the turn comes back to the player who began; a turn may have several plies.
    const bool begins = data.ply_player[row] == data.ply_player[first];
    if (begins && (ply == 0 || data.ply_player[row - 1] != data.ply_player[row])) {
      record += fmt::format("{}{}.", ply == 0 ? "" : " ", ++rounds);
    }
    record += " " + name;
    const Cell kind = match ? Cell() : Cell(kPlyKindNames.at(data.ply_kind[row]));
    std::vector<Cell> cells = {file, ply + 1, data.ply_player[row] + 1, name, kind};
    const bool searched = is_searched(data.kind(row));
    for (std::size_t player = 0; player < players; ++player) {
      cells.push_back(searched ? Cell(data.ply_value[row * players + player]) : Cell());
    }
    cells.push_back(policy_text(game, position, legal, data, row, options));
    details.add(std::move(cells));
    position.apply(game, action);
  }
  out.begin(games_table());
  out.row({file, which, data.game_number[which], record, plies});
  out.show(details);
  out.say(fmt::format("\n{}\n", game.print_board(position.state, notation, false)));
  std::vector<Cell> outcome = {file, which, kGameEndNames[std::min<std::size_t>(data.game_end[which], kGameEnds - 1)]};
  for (std::size_t player = 0; player < players; ++player) {
    outcome.push_back(data.game_outcome[which * players + player]);
  }
  out.begin(outcomes_table(players));
  out.row(std::move(outcome));
}

// Saves a game of the shard as SGF; one model played both colours.
template <Game G>
void write_game(const G& game, const ShardData& data, std::size_t which, const std::string& path) {
  require_sgf(game);
  Position position(game);
  std::vector<Action> actions;
  for (std::size_t ply = 0; ply < data.game_plies[which]; ++ply) {
    actions.push_back(stored_action(game, position, legal_in(game, position), data, data.game_first_ply[which] + ply));
    position.apply(game, actions.back());
  }
  const auto generation = static_cast<std::uint32_t>(data.info.generation);
  const std::string player =
      fmt::format("generation {}", data.game_model.empty() ? generation : data.game_model[which]);
  save_sgf(path, game, actions, player, player);
}

void inspect_game(TableWriter& out, const std::string& file, const ShardData& data, const InspectOptions& options) {
  const auto which = static_cast<std::size_t>(options.game);
  if (which >= data.games()) {
    throw UserError(fmt::format("{}: --game {}: it holds the games 0 to {}", file, options.game,
                                static_cast<long>(data.games()) - 1));
  }
  require_sizes_of_game(data, file);
  std::visit(
      [&](const auto& game) {
        if (options.sgf.empty()) {
          show_game(out, file, game, data, which, options);
        } else {
          write_game(game, data, which, options.sgf);
        }
      },
      parse_game(data.info.game));
}

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

void run_inspect(const InspectOptions& options) {
  TableWriter out = table_writer(options.tables);
  int damaged = 0;
  GamesCheck check;
  std::vector<std::string> named = options.files;
  for (std::string& name : named) {
    if (!std::filesystem::exists(name)) name = find_model(name);
  }
  const std::vector<std::string> files = named_shards(named);
  if (options.solver || options.variety) return judge_games(out, files, options);
  add_folders(options.files, check);
  for (const std::string& file : files) {
    const bool whole = is_whole(files, [&] {
      if (looks_like_model(file)) {
        if (options.game >= 0) throw UserError(fmt::format("{}: a model holds no games; --game is of shards", file));
        return show_model_card(out, file);
      }
      const ShardData data = read_shard(file);
      if (options.verify) {
        check.add(file, data);
        if (!verify(out, file, data)) ++damaged;
      } else if (options.game >= 0) {
        inspect_game(out, file, data, options);
      } else {
        show_summary(out, file, data);
      }
    });
    if (!whole) ++damaged;
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
      .required();
  inspect.add_option("--game", options->game, "Print the game at this place of the shard, with its policies")
      .range(0, 1 << 30);
  inspect.add_flag("--verify", options->verify,
                   "Replay every game, check every field, and that no game is there twice");
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
      .needs("--game")
      .excludes("--verify");
  inspect.add_option("--top", options->top, "Policy entries to show for each ply").range(0, 10000).show_default();
  add_notation(inspect, options->notation, "How actions are written");
  add_tables(inspect, options->tables,
             {"shards", "models", "truth", "variety", "plies", "verified", "points", "ends", "games", "outcomes",
              "training", "planes", "scalars", "metadata"});
  inspect.runs([options] { run_inspect(*options); });
}

}  // namespace koridor::cli
