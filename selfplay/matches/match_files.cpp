#include "selfplay/matches/match_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/foreign_name.h"
#include "core/base/json_file.h"
#include "core/base/terminal.h"
#include "core/game_end.h"
#include "core/saved_result.h"
#include "selfplay/matches/match_line.h"
#include "selfplay/shards/describe_game.h"
#include "selfplay/shards/game_record.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kShardGames = 256;
// The names of what every folder has from its beginning, and from its first game on.
constexpr const char* kLockFile = "lock";
constexpr const char* kHeadFile = "match.json";
constexpr const char* kLinesFile = "games.jsonl";

// Names of files may be any bytes, and JSON holds UTF-8 alone.
json identity_json(const AnyGame& game, const MatchIdentity& identity) {
  json players = json::array();
  for (const std::string& player : identity.players) players.push_back(printable(player));
  const auto options = [](const std::map<std::string, std::string>& values) {
    json object = json::object();
    for (const auto& [name, value] : values) object[name] = printable(value);
    return object;
  };
  return {{"format", "koridor match"},
          {"format_version", 2},
          {"game", name_of(game)},
          {"players", players},
          {"settings", options(identity.settings)},
          {"schedule", options(identity.schedule)}};
}

// What can be done where a directory's match goes no further.
std::string way_out(const fs::path& folder) {
  return fmt::format("name another directory, or remove {}", folder.string());
}

// Throws UserError with the first thing in which the match of the directory differs from the one asked for.
void require_same(const json& there, const json& wanted, const fs::path& path) {
  const auto differs = [&](const std::string& what, const json& was, const json& is) {
    const auto text = [](const json& value) { return value.is_null() ? std::string("not set") : value.dump(); };
    throw UserError(fmt::format("{} is of another match: its {} is {}, not {}; name another directory", path.string(),
                                what, text(was), text(is)));
  };
  if (member(there, "format", std::string()) != "koridor match" || member(there, "format_version", 0) != 2) {
    throw UserError(
        fmt::format("{}: damaged, or of another version of Koridor; {}", path.string(), way_out(path.parent_path())));
  }
  for (const char* name : {"game", "players"}) {
    if (there.value(name, json()) != wanted[name]) differs(name, there.value(name, json()), wanted[name]);
  }
  const auto compare = [&](json was, const json& is) {
    if (!was.is_object()) was = json::object();
    for (const auto& [name, value] : is.items()) {
      if (was.value(name, json()) != value) differs(name, was.value(name, json()), value);
    }
    for (const auto& [name, value] : was.items()) {
      if (!is.contains(name)) differs(name, value, json());
    }
  };
  compare(there.value("settings", json()), wanted["settings"]);
  compare(there.value("schedule", wanted["schedule"]), wanted["schedule"]);
}

// A file that grows; throws UserError where it cannot.
void open_to_append(std::ofstream& file, const fs::path& path) {
  file.open(path, std::ios::app | std::ios::binary);
  if (!file) throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

void append(std::ofstream& file, const std::string& text, const fs::path& path) {
  file << text;
  file.flush();
  if (!file) throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

// SGF's letter for a result that was not played out.
const char* sgf_letter(const EndReason& reason) {
  if (reason.kind != EndReason::Kind::forfeit) return "";
  switch (reason.forfeit.kind) {
    case Forfeit::Kind::time:
      return "T";
    case Forfeit::Kind::resign:
      return "R";
    default:
      return "F";
  }
}

// The game as a shard has it: every ply of the kind `opening`, since a match stores no searches.
template <Game G>
GameRecord record_of(const G& game, const MatchGame& played) {
  GameRecord record;
  record.clear(static_cast<std::uint32_t>(played.number), 0);
  Position<G> position(game);
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  for (const Action action : played.actions) {
    record.states.resize(record.states.size() + bytes);
    game.pack(position.state, std::span(record.states).last(bytes));
    record.actions.push_back(static_cast<std::uint16_t>(index(action)));
    record.players.push_back(static_cast<std::uint8_t>(game.player_to_move(position.state)));
    record.kinds.push_back(PlyKind::opening);
    record.values.push_back({});
    record.policy_counts.push_back(0);
    record.add_search(0, 0, 0);
    position.apply(game, action);
  }
  record.end =
      played.reason.kind == EndReason::Kind::rules ? game_end(game, position.state, played.outcome) : GameEnd::decided;
  record.outcome = played.outcome.values;
  for (int player = 0; player < game.players(); ++player) {
    record.auxiliary[static_cast<std::size_t>(player)] = game.auxiliary(position.state, player);
  }
  return record;
}

}  // namespace

SavedGame saved_match_game(const AnyGame& game, std::span<const std::string> players, const MatchGame& played) {
  SavedGame saved{.game = game, .actions = played.actions};
  const int seats = players_of(game);
  for (int seat = 0; seat < seats; ++seat) {
    saved.names.push_back(players[static_cast<std::size_t>(played.seats[static_cast<std::size_t>(seat)])]);
  }
  const bool by_rules = played.reason.kind == EndReason::Kind::rules;
  saved.result =
      by_rules ? result_of(game, played.actions) : decided_result(game, played.outcome, sgf_letter(played.reason));
  saved.headers = {{"Round", fmt::to_string(played.number + 1)},
                   {"OpeningPlies", fmt::to_string(played.opening_plies)}};
  if (!by_rules) saved.headers.emplace_back("Termination", played.reason.text());
  return saved;
}

void refuse_other_files(const fs::path& folder, std::string_view what) {
  std::error_code ignored;
  // What is wrong with a folder that has one of these alone, MatchFiles says.
  if (fs::exists(folder / kHeadFile, ignored) || fs::exists(folder / kLinesFile, ignored)) return;
  refuse_foreign_files(
      folder, [](std::string_view name) { return name == kHeadFile || name == kLockFile; }, what);
}

MatchFiles::MatchFiles(fs::path folder, const AnyGame& game, const MatchIdentity& identity, const Schedule& schedule,
                       std::uint64_t seed)
    : folder_(std::move(folder)), game_(game), players_(identity.players), lock_(folder_ / kLockFile) {
  if (!lock_.try_take()) {
    throw UserError(fmt::format("{} is in use by another: {}", folder_.string(), process_text(lock_.holder())));
  }
  remove_stale_temporaries(folder_);
  const fs::path head = folder_ / kHeadFile;
  const json wanted = identity_json(game, identity);
  if (fs::exists(head)) {
    require_same(read_json(head, way_out(folder_)), wanted, head);
  } else {
    if (fs::exists(lines_path()))
      throw UserError(fmt::format("{} is missing beside its games; {}", head.string(), way_out(folder_)));
    write_json(head, wanted);
  }
  shard_.info = describe_game(game);
  shard_.info.seed = seed;
  read_lines(schedule);
  rewrite_text();
  open_to_append(lines_, lines_path());
  open_to_append(text_, text_path());
}

MatchFiles::~MatchFiles() {
  try {
    close();
  } catch (const std::exception&) {
    // The lines hold every game, and the next start makes the shard from them.
  }
}

fs::path MatchFiles::lines_path() const {
  return folder_ / kLinesFile;
}

fs::path MatchFiles::text_path() const {
  return folder_ / (std::holds_alternative<go::GoGame>(game_) ? "games.sgf" : "games.txt");
}

void MatchFiles::read_lines(const Schedule& schedule) {
  if (!fs::exists(lines_path())) return;
  const std::string text = read_file(lines_path());
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  std::vector<char> seen(static_cast<std::size_t>(schedule.games()));
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t end = text.find('\n', begin);
    const auto game = read_match_line(game_, text.substr(begin, end - begin));
    begin = end + 1;
    const auto damaged = [&](const std::string& what) {
      return UserError(fmt::format("{}:{}: {}", lines_path().string(), played_.size() + 1, what));
    };
    if (!game) throw damaged("damaged; remove this line, and the game is played again");
    if (game->number >= schedule.games()) {
      throw damaged(fmt::format("game {} of a longer match; this one has {}", game->number, schedule.games()));
    }
    const ScheduledGame expected = schedule.game(game->number);
    if (game->contest != expected.contest || game->group != expected.group || game->seats != expected.seats) {
      throw damaged("a game of another schedule; name another directory, or as many games as before");
    }
    if (std::exchange(seen[static_cast<std::size_t>(game->number)], 1) != 0)
      throw damaged("a game that is there twice");
    played_.push_back(*game);
  }
  if (whole < text.size()) fs::resize_file(lines_path(), whole);
  for (const MatchGame& game : played_) extend_shard(game);
}

void MatchFiles::rewrite_text() {
  std::string text;
  for (const MatchGame& game : played_) text += write_saved_game(saved_match_game(game_, players_, game));
  write_file_atomically(text_path(), text);
}

void MatchFiles::add(const MatchGame& game) {
  append(lines_, match_line(game), lines_path());
  append(text_, write_saved_game(saved_match_game(game_, players_, game)), text_path());
  extend_shard(game);
}

void MatchFiles::extend_shard(const MatchGame& game) {
  if (!game.actions.empty()) {
    append_game(std::visit([&](const auto& known) { return record_of(known, game); }, game_), shard_);
    // Without searches there is nothing to say of what they took, which is another thing than nothing.
    shard_.game_simulations.clear();
    shard_.game_evaluations.clear();
    shard_.game_model.clear();
  }
  unwritten_ = true;
  if (++line_count_ % kShardGames == 0) write_block();
}

void MatchFiles::write_block() {
  if (shard_.games() > 0) write_shard((folder_ / fmt::format("games-{:06}{}", block_, kShardEnding)).string(), shard_);
  unwritten_ = false;
  if (line_count_ % kShardGames != 0) return;
  block_ = line_count_;
  ShardInfo info = std::move(shard_.info);
  shard_ = ShardData{};
  shard_.info = std::move(info);
}

void MatchFiles::close() {
  if (unwritten_) write_block();
}

}  // namespace koridor
