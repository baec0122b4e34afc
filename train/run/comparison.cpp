#include "train/run/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/random.h"
#include "core/base/terminal.h"
#include "models/backends.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/player_text.h"
#include "train/run/rating_openings.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string player_name(const LabelledRun& run, int generation) {
  return fmt::format("{}/{}", run.label, RunDirectory::label(generation));
}

bool searches_as_rated(const std::string& player) {
  try {
    return has_usual_visits(player);
  } catch (const UserError&) {
    return false;  // its file of players is gone, and its games remain
  }
}

// Baselines are the same players in every run but for the visits of those that search.
std::string baseline_name(const LabelledRun& run, const std::string& baseline) {
  if (baseline == "mcts") return fmt::format("mcts:{}", run.config.rating.visits);
  return searches_as_rated(baseline) ? fmt::format("{},visits={}", baseline, run.config.rating.visits) : baseline;
}

}  // namespace

void warn_of_missing_models(std::span<const LabelledRun> runs) {
  for (const LabelledRun& run : runs) {
    const std::optional<int> missing = run.directory.missing_model();
    if (!missing) continue;
    print_message("koridor", fmt::format("{}: this model is missing, and the generations behind it are left out",
                                         run.directory.model(*missing).string()));
  }
}

struct Comparison::Entry {
  const LabelledRun* run = nullptr;  // null: a player
  int generation = 0;
  std::string player{};
};

struct Comparison::Result {
  Encounter games{};  // its players by their identities; a < b

  // Where it is to be played.
  Entry entry_a{};
  Entry entry_b{};

  bool same_match(const Result& other) const {
    return games.a == other.games.a && games.b == other.games.b && games.game == other.games.game;
  }
};

std::vector<LabelledRun> load_runs(const std::vector<std::string>& paths) {
  std::vector<LabelledRun> runs;
  std::set<fs::path> seen;
  std::map<std::string, int> names;
  const auto folder_name = [](const std::string& path) {
    const fs::path clean = fs::weakly_canonical(path);
    return clean.filename().string();
  };
  for (const std::string& path : paths) {
    const RunDirectory run{fs::path(path)};
    Config config = load_run_config(run);
    if (!seen.insert(fs::weakly_canonical(path)).second)
      throw UserError(fmt::format("the run {} is named twice", path));
    ++names[folder_name(path)];
    runs.push_back({run, std::move(config), folder_name(path)});
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (names[runs[i].label] > 1) runs[i].label = paths[i];
  }
  return runs;
}

fs::path store_of(const std::vector<LabelledRun>& runs, const fs::path& given) {
  if (!given.empty()) return given;
  std::vector<fs::path> folders;
  for (const LabelledRun& run : runs) folders.push_back(fs::weakly_canonical(run.directory.root()).parent_path());
  return *std::ranges::min_element(folders) / "cross-matches.json";
}

Comparison::Comparison(std::vector<LabelledRun> runs, CrossOptions options)
    : runs_(std::move(runs)), options_(std::move(options)) {
  for (const LabelledRun& run : runs_) {
    const std::set<std::string> first = boards_of(runs_.front().config);
    const std::set<std::string> boards = boards_of(run.config);
    if (boards != first) {
      throw UserError(fmt::format("{} plays {} and {} plays {}: only runs of the same game have one scale",
                                  runs_.front().directory.root().string(), fmt::join(first, " and "),
                                  run.directory.root().string(), fmt::join(boards, " and ")));
    }
  }
  options_.store = store_of(runs_, options_.store);
  for (const std::string& player : options_.players) {
    load({.player = player});  // throws where it is none
    if (std::ranges::count(options_.players, player) > 1) {
      throw UserError(fmt::format("player \"{}\" is named twice", player));
    }
  }
}

// The generations of the run that play cross matches, in rising order.
std::vector<int> Comparison::chosen(const LabelledRun& run) const {
  std::vector<int> rated;
  for (int generation = 0, models = run.directory.models(); generation < models; ++generation) {
    if (fs::exists(run.directory.rating(generation))) rated.push_back(generation);
  }
  std::vector<int> chosen;
  if (!options_.chosen.empty()) {
    for (const int generation : rated) {
      if (std::ranges::find(options_.chosen, generation) != options_.chosen.end()) chosen.push_back(generation);
    }
    return chosen;
  }
  const auto count = std::min(static_cast<int>(rated.size()), options_.generations);
  for (int i = 1; i <= count; ++i) {
    chosen.push_back(rated[rated.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(count) - 1]);
  }
  return chosen;
}

// What an entry is, wherever it lies: its model's bytes or its text, how it chooses, and the file of openings. A model
// is read once.
std::string Comparison::identity(const Entry& entry) const {
  const auto key = std::tuple(entry.run, entry.generation, entry.player);
  if (const auto known = identities_.find(key); known != identities_.end()) return known->second;
  return identities_[key] = make_identity(entry);
}

std::string Comparison::make_identity(const Entry& entry) const {
  const Config& first = runs_.front().config;
  const Config& config = entry.run != nullptr ? entry.run->config : first;
  const std::string choice =
      match_choice_text(config.match, config.rating.visits, games_of(config).front(), first.selfplay.evaluation) +
      openings_text(first.rating);
  if (entry.run != nullptr) return file_hash(entry.run->directory.model(entry.generation), choice);
  const NamedPlayer meant = meant_player(entry.player);
  const std::string player = !meant.place.empty() ? description_of(meant) : entry.player;
  const std::string base = split_player(player).base;
  const std::string file = fs::is_regular_file(base) ? base : base.substr(0, base.rfind('@'));
  // What stands behind the file, its precision as well, is how it plays.
  if (fs::is_regular_file(file)) return file_hash(file, player.substr(file.size()) + choice);
  return fmt::format("player {} {:016x}", player, Checksum(0).add(choice).value());
}

std::string Comparison::name(const Entry& entry) const {
  return entry.run != nullptr ? player_name(*entry.run, entry.generation) : baseline_name(runs_.front(), entry.player);
}

MatchPlayer Comparison::load(const Entry& entry) const {
  const Config& config = entry.run != nullptr ? entry.run->config : runs_.front().config;
  const std::string text = entry.run != nullptr ? entry.run->directory.model(entry.generation).string() : entry.player;
  return load_player(text, config.rating.visits, config.match);
}

// Adds the matches of two entries on every board, unless they are one player.
void Comparison::add_matches(const Entry& a, const Entry& b, std::vector<Result>& matches) const {
  Result match{.games = {.a = identity(a), .b = identity(b)}, .entry_a = a, .entry_b = b};
  if (match.games.a == match.games.b) return;
  if (match.games.b < match.games.a) {
    std::swap(match.games.a, match.games.b);
    std::swap(match.entry_a, match.entry_b);
  }
  for (const AnyGame& game : games_of(runs_.front().config)) {
    match.games.game = name_of(game);
    match.games.players = players_of(game);
    matches.push_back(match);
  }
}

// All cross matches, finished or not: the chosen generations of each two runs meet in their order, and each meets every
// other player.
std::vector<Comparison::Result> Comparison::wanted() const {
  if (!options_.matches.empty()) return listed();
  std::vector<Result> matches;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    for (std::size_t k = i + 1; k < runs_.size(); ++k) {
      const std::vector<int> first = chosen(runs_[i]);
      const std::vector<int> second = chosen(runs_[k]);
      const std::size_t pairs = first.empty() || second.empty() ? 0 : std::max(first.size(), second.size());
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        // The shorter list's last one meets the rest of the longer list.
        const int a = first[std::min(pair, first.size() - 1)];
        const int b = second[std::min(pair, second.size() - 1)];
        add_matches({&runs_[i], a}, {&runs_[k], b}, matches);
      }
    }
  }
  for (const std::string& player : options_.players) {
    for (const LabelledRun& run : runs_) {
      for (const int generation : chosen(run)) add_matches({&run, generation}, {.player = player}, matches);
    }
  }
  return matches;
}

Comparison::Entry Comparison::entry_of(const CrossSide& side) const {
  if (!side.player.empty()) return {.player = side.player};
  return {.run = &runs_[side.run], .generation = side.generation};
}

// The matches that are given; two of the same models are one.
std::vector<Comparison::Result> Comparison::listed() const {
  std::vector<Result> matches;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const CrossMatch& match : options_.matches) {
    std::vector<Result> of_boards;
    add_matches(entry_of(match.a), entry_of(match.b), of_boards);
    for (Result& result : of_boards) {
      if (seen.emplace(result.games.a, result.games.b, result.games.game).second) matches.push_back(std::move(result));
    }
  }
  return matches;
}

namespace {

// The results in a file of cross matches, none where there is no such file. Throws UserError where it is damaged.
std::vector<Encounter> read_cross_matches(const fs::path& path) {
  std::vector<Encounter> results;
  if (!fs::exists(path)) return results;
  const std::string way_out = "remove it, and its matches are played again";
  const json file = read_json(path, way_out);
  const auto damaged = [&] {
    return UserError(
        fmt::format("{}: damaged: it does not hold the results of cross matches; {}", path.string(), way_out));
  };
  const auto matches = file.find("cross_matches");
  if (file.size() != 1 || matches == file.end() || !matches->is_array()) throw damaged();
  for (const json& match : *matches) {
    const auto games = read_encounter(match);
    if (!games || games->a > games->b || games->game.empty()) throw damaged();
    results.push_back(*games);
  }
  return results;
}

}  // namespace

void check_cross_matches(const fs::path& path) {
  read_cross_matches(path);
}

std::vector<Comparison::Result> Comparison::stored() const {
  std::vector<Result> results;
  for (Encounter& games : read_cross_matches(options_.store)) results.push_back({.games = std::move(games)});
  return results;
}

// Adds a result to those in the file, which another process may have added to meanwhile.
void Comparison::keep(const Result& result) const {
  std::vector<Result> results = stored();
  const auto same = [&](const Result& other) { return other.same_match(result); };
  std::erase_if(results, same);
  results.push_back(result);
  json matches = json::array();
  for (const Result& each : results) matches.push_back(encounter_json(each.games));
  write_json(options_.store, {{"cross_matches", matches}});
}

int Comparison::games() const {
  return options_.games > 0 ? options_.games : runs_.front().config.rating.games;
}

// The wanted ones that are not in the file, or with fewer games than are asked for.
std::vector<Comparison::Result> Comparison::unplayed() const {
  std::vector<Result> matches = wanted();
  const std::vector<Result> done = stored();
  std::erase_if(matches, [&](const Result& match) {
    return std::ranges::any_of(
        done, [&](const Result& other) { return other.same_match(match) && other.games.score.games >= games(); });
  });
  return matches;
}

int Comparison::missing() const {
  return static_cast<int>(unplayed().size());
}

int Comparison::matches() const {
  return static_cast<int>(wanted().size());
}

bool Comparison::play(const std::function<void(const std::string&, int, int)>& progress,
                      const std::atomic<bool>& stop) {
  const Config& config = runs_.front().config;
  std::vector<Result> missing = unplayed();
  if (!missing.empty()) {
    for (const AnyGame& game : games_of(config)) check_openings(config.rating, game, games());
  }
  for (Result& match : missing) {
    const std::string on = games_of(config).size() > 1 ? " on " + match.games.game : "";
    const std::string what = fmt::format("{} against {}{}", name(match.entry_a), name(match.entry_b), on);
    MatchOptions options;
    options.games = games();
    options.seed = mix64(Checksum(0).add(match.games.a).add(match.games.b).add(match.games.game).value());
    const AnyGame game = parse_game(match.games.game);
    set_openings(config.rating, game, options);
    options.threads = config.run.threads;
    options.evaluation = match_evaluation(config.selfplay.evaluation);
    options.progress = [&](int played, int all) { progress(what, played, all); };
    const MatchResult result = play_match(game, load(match.entry_a), load(match.entry_b), options, stop);
    if (result.stopped) return false;
    match.games.score = result.total();
    match.games.groups = result.groups;
    keep(match);
    // Each model's evaluator would stay, with its memory.
    if (!options_.matches.empty()) forget_past_evaluators();
  }
  return true;
}

std::vector<std::string> Comparison::baselines() const {
  std::vector<std::string> names;
  const auto add = [&](const LabelledRun& run, const std::string& baseline) {
    const std::string name = baseline_name(run, baseline);
    std::erase(names, name);
    names.push_back(name);
  };
  for (const LabelledRun& run : runs_) {
    for (const std::string& baseline : run.config.rating.baselines) add(run, baseline);
  }
  for (const std::string& baseline : runs_.front().config.rating.baselines) add(runs_.front(), baseline);
  return names;
}

// The scale of the matches that are given, without those that are not played yet. Byte-equal models of several runs
// are one player, whose rating each of their names has.
std::vector<RatedPlayer> Comparison::table_of_listed() const {
  // By identity, in the order of the matches. A name may have two, as "mcts" and "mcts:64" are one player.
  std::map<std::string, std::vector<std::string>> names;
  std::map<std::string, PlayerOfRun> players;
  for (const CrossMatch& match : options_.matches) {
    for (const CrossSide& side : {match.a, match.b}) {
      const Entry entry = entry_of(side);
      const PlayerOfRun player = entry.run == nullptr ? PlayerOfRun{} : PlayerOfRun{entry.run->label, entry.generation};
      std::vector<std::string>& same = names[identity(entry)];
      if (players.emplace(name(entry), player).second || same.empty()) same.push_back(name(entry));
    }
  }
  std::vector<Encounter> encounters;
  const std::vector<Result> done = stored();
  for (const Result& match : listed()) {
    const auto found = std::ranges::find_if(done, [&](const Result& other) { return other.same_match(match); });
    if (found == done.end()) continue;
    Encounter& encounter = encounters.emplace_back(found->games);
    encounter.a = names.at(found->games.a).front();
    encounter.b = names.at(found->games.b).front();
  }
  std::vector<RatedPlayer> rated = rated_players(encounters, baselines(), boards_of(runs_.front().config).size(),
                                                 [&](const std::string& name) { return players.at(name); });
  for (const auto& [identity, same] : names) {
    const auto found = std::ranges::find(rated, same.front(), &RatedPlayer::name);
    if (found == rated.end()) continue;
    const RatedPlayer first = *found;
    for (std::size_t i = 1; i < same.size(); ++i) {
      RatedPlayer& other = rated.emplace_back(first);
      other.name = same[i];
      other.run = players.at(same[i]).run;
      other.generation = players.at(same[i]).generation;
    }
  }
  return rated;
}

std::vector<RatedPlayer> Comparison::table() const {
  if (!options_.matches.empty()) return table_of_listed();
  std::vector<Encounter> encounters;
  std::map<std::string, PlayerOfRun> players;
  std::map<std::string, std::string> names;  // by identity
  for (const LabelledRun& run : runs_) {
    for (const std::string& baseline : run.config.rating.baselines) players[baseline_name(run, baseline)] = {};
    for (int generation = 0, models = run.directory.models(); generation < models; ++generation) {
      players[player_name(run, generation)] = {run.label, generation};
      // Copies of one model in several runs are different players by name; cross matches count for the first.
      names.emplace(identity({&run, generation}), player_name(run, generation));
    }
    for (Encounter encounter : Ratings(run.directory, run.config).encounters()) {
      const auto global = [&](const std::string& name) {
        const std::string full = run.label + "/" + name;
        return players.contains(full) ? full : baseline_name(run, name);
      };
      encounter.a = global(encounter.a);
      encounter.b = global(encounter.b);
      encounters.push_back(std::move(encounter));
    }
  }
  for (const std::string& player : options_.players)
    names.emplace(identity({.player = player}), name({.player = player}));
  for (const Result& result : stored()) {
    const auto a = names.find(result.games.a);
    const auto b = names.find(result.games.b);
    if (a == names.end() || b == names.end()) continue;
    Encounter& encounter = encounters.emplace_back(result.games);
    encounter.a = a->second;
    encounter.b = b->second;
  }
  return rated_players(encounters, baselines(), boards_of(runs_.front().config).size(), [&](const std::string& name) {
    const auto found = players.find(name);
    return found == players.end() ? PlayerOfRun{} : found->second;
  });
}

}  // namespace koridor
