// koridor inspect: what is in a shard.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/records.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/version.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "train/run/games_check.h"

namespace koridor::cli {
namespace {

struct InspectOptions {
  std::vector<std::string> files;
  int game = -1;
  bool verify = false;
  Notation notation = Notation::standard;
  int top = 5;
  std::string sgf;
};

constexpr const char* kKindNames[] = {"opening", "cheap", "full"};
constexpr const char* kEndNames[] = {"the goal", "the ply cap", "repetition", "passes", "the supply of stones"};

void print_summary(const std::string& file, const ShardData& data) {
  const ShardInfo& info = data.info;
  fmt::print("{}\n  game {}, generation {}, run seed {}, configuration {}\n", printable(file), printable(info.game),
             info.generation, info.seed, printable(info.config_hash));
  fmt::print("  written by {}\n", printable(build_text(data.build)));
  const auto kinds = [&](PlyKind kind) { return std::ranges::count(data.ply_kind, static_cast<std::uint8_t>(kind)); };
  fmt::print("  {} games, {} plies ({:.1f} a game): {} full, {} cheap, {} opening; {} policy entries\n", data.games(),
             data.plies(), static_cast<double>(data.plies()) / std::max<double>(1.0, static_cast<double>(data.games())),
             kinds(PlyKind::full), kinds(PlyKind::cheap), kinds(PlyKind::opening), data.policy_action.size());
  std::vector<double> score(static_cast<std::size_t>(info.players));
  for (std::size_t i = 0; i < data.game_outcome.size(); ++i) score[i % score.size()] += data.game_outcome[i];
  for (std::size_t player = 0; player < score.size(); ++player) {
    fmt::print("  player {}: {:.1f} points\n", player + 1, score[player]);
  }
  std::vector<int> ends(std::size(kEndNames));
  for (std::uint8_t end : data.game_end) ++ends[std::min<std::size_t>(end, ends.size() - 1)];
  for (std::size_t end = 0; end < ends.size(); ++end) {
    if (ends[end] > 0) fmt::print("  {} games ended by {}\n", ends[end], kEndNames[end]);
  }
}

// The action of this ply. Throws UserError where it is not legal in the position.
template <Game G>
Action stored_action(const G& game, const Position<G>& position, const ShardData& data, std::size_t row) {
  ActionMask legal;
  if (!game.outcome(position.state, position.history).over()) {
    game.legal_actions(position.state, position.history, legal);
  }
  const Action action{data.ply_action[row]};
  if (!legal.test(action)) {
    throw UserError(fmt::format("ply {} of this game is not legal; see --verify", game.ply(position.state) + 1));
  }
  return action;
}

// One game: the record in one line as in chess, then each ply with its search.
template <Game G>
void print_game(const G& game, const ShardData& data, std::size_t which, const InspectOptions& options) {
  const Notation notation = options.notation;
  const std::size_t first = data.game_first_ply[which];
  const std::size_t plies = data.game_plies[which];
  const auto players = static_cast<std::size_t>(data.info.players);
  int rounds = 0;
  std::string record;
  std::string details;
  Position position(game);
  for (std::size_t ply = 0; ply < plies; ++ply) {
    const std::size_t row = first + ply;
    const Action action = stored_action(game, position, data, row);
    const std::string name = game.print_action(position.state, action, notation);
    // A round starts where the turn comes back to the player who began; a turn may have several plies.
    const bool begins = data.ply_player[row] == data.ply_player[first];
    if (begins && (ply == 0 || data.ply_player[row - 1] != data.ply_player[row])) {
      record += fmt::format("{}{}.", ply == 0 ? "" : " ", ++rounds);
    }
    record += " " + name;

    details += fmt::format("{:>4} player {} {:<6} {:<8}", ply + 1, data.ply_player[row] + 1, name,
                           kKindNames[std::min<int>(data.ply_kind[row], 2)]);
    std::vector<std::pair<int, Action>> policy;
    for (std::size_t i = 0; i < data.policy_count[row]; ++i) {
      const std::size_t entry = data.policy_first[row] + i;
      policy.emplace_back(data.policy_probability[entry], Action{data.policy_action[entry]});
    }
    if (data.ply_kind[row] != static_cast<std::uint8_t>(PlyKind::opening)) {
      details += " value";
      for (std::size_t player = 0; player < players; ++player) {
        details += fmt::format(" {:.2f}", data.ply_value[row * players + player]);
      }
    }
    std::ranges::sort(policy, std::ranges::greater{});
    if (!policy.empty()) details += "  policy";
    for (std::size_t i = 0; i < std::min(policy.size(), static_cast<std::size_t>(options.top)); ++i) {
      details += fmt::format(" {} {:.1f}%", game.print_action(position.state, policy[i].second, notation),
                             100.0 * policy[i].first / 65535.0);
    }
    details += "\n";
    position.apply(game, action);
  }
  fmt::print("{}\n\n{}\n{}\nended by {}; outcome", record, details, game.print_board(position.state, notation, false),
             kEndNames[std::min<std::size_t>(data.game_end[which], std::size(kEndNames) - 1)]);
  for (std::size_t player = 0; player < players; ++player) {
    fmt::print(" {:.2f}", data.game_outcome[which * players + player]);
  }
  fmt::print("\n");
}

// Saves a game of the shard as SGF; one generation played both colours.
template <Game G>
void write_game(const G& game, const ShardData& data, std::size_t which, const std::string& path) {
  require_sgf(game);
  Position position(game);
  std::vector<Action> actions;
  for (std::size_t ply = 0; ply < data.game_plies[which]; ++ply) {
    actions.push_back(stored_action(game, position, data, data.game_first_ply[which] + ply));
    position.apply(game, actions.back());
  }
  const std::string player = fmt::format("generation {}", data.info.generation);
  save_sgf(path, game, actions, player, player);
}

void inspect_game(const std::string& file, const ShardData& data, const InspectOptions& options) {
  const auto which = static_cast<std::size_t>(options.game);
  if (which >= data.games()) {
    throw UserError(fmt::format("{}: --game {}: it holds the games 0 to {}", file, options.game,
                                static_cast<long>(data.games()) - 1));
  }
  std::visit(
      [&](const auto& game) {
        if (options.sgf.empty()) {
          print_game(game, data, which, options);
        } else {
          write_game(game, data, which, options.sgf);
        }
      },
      parse_game(data.info.game));
}

// The files that were named, and the shards in the folders that were.
std::vector<std::string> shards_of(const std::vector<std::string>& named, GamesCheck& check) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) {
      files.push_back(name);
      continue;
    }
    for (const std::filesystem::path& shard : shards_below(name)) {
      files.push_back(shard.string());
      check.add_folder(shard.parent_path());
    }
    if (files.empty()) throw UserError(fmt::format("{}: no shards (.h5) in this folder", name));
  }
  return files;
}

void run_inspect(const InspectOptions& options) {
  int damaged = 0;
  GamesCheck check;
  const std::vector<std::string> files = shards_of(options.files, check);
  for (const std::string& file : files) {
    try {
      const ShardData data = read_shard(file);
      if (options.verify) {
        check.add(file, data);
        const std::vector<std::string> faults = verify_shard(data);
        for (const std::string& fault : faults) print_message(file, fault);
        if (!faults.empty()) ++damaged;
        if (faults.empty())
          fmt::print("{}: {} games, {} plies, all good\n", printable(file), data.games(), data.plies());
      } else if (options.game >= 0) {
        inspect_game(file, data, options);
      } else {
        print_summary(file, data);
      }
    } catch (const UserError& error) {
      if (files.size() == 1) throw;
      print_message("koridor", error.what());
      ++damaged;
    }
  }
  const std::vector<std::string> faults = options.verify ? check.faults() : std::vector<std::string>{};
  for (const std::string& fault : faults) fmt::print(stderr, "{}\n", fault);
  if (damaged > 0) throw UserError(fmt::format("{} of {} files are not whole, see above", damaged, files.size()));
  if (!faults.empty()) throw UserError("not every game is there once, see above");
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* inspect = app.add_subcommand("inspect", "Show what is in a shard of games");
  inspect->add_option("file", options->files, "Shards (.h5), or folders of them, as RUN/shards")->required();
  inspect->add_option("--game", options->game, "Print the game at this place of the shard, with its policies")
      ->check(CLI::Range(0, 1 << 30));
  inspect->add_flag("--verify", options->verify,
                    "Replay every game, check every field, and that no game is there twice");
  inspect->add_option("--sgf", options->sgf, "Write the game of --game as SGF (games of Go); -: to standard output")
      ->type_name("FILE")
      ->needs("--game")
      ->excludes("--verify");
  inspect->add_option("--top", options->top, "Policy entries to show for each ply")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  add_notation(*inspect, options->notation, "How actions are written");
  inspect->callback([options] { run_inspect(*options); });
}

}  // namespace koridor::cli
