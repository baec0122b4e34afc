#include "train/run/rating.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <variant>

#include "core/base/damage.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/random.h"
#include "core/base/terminal.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "models/backends.h"
#include "selfplay/matches/match.h"
#include "train/run/rating_openings.h"
#include "train/run/setting_text.h"
#include "train/run/yardstick_file.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The encounters of a generation's file. Throws UserError that names the file where it is damaged.
std::vector<Encounter> read_rating(const RunDirectory& run, int generation) {
  const fs::path path = run.rating(generation);
  const json file = read_json(path);
  const auto matches = file.find("matches");
  if (member(file, "generation", -1) != generation || matches == file.end() || !matches->is_array()) {
    throw UserError(
        fmt::format("{}: damaged: it does not hold the matches of generation {}", path.string(), generation));
  }
  std::vector<Encounter> encounters;
  for (const json& match : *matches) {
    const auto encounter = read_encounter(match);
    if (!encounter || encounter->a != RunDirectory::label(generation)) {
      throw UserError(fmt::format("{}: damaged: match {} is not one of generation {}", path.string(), encounters.size(),
                                  generation));
    }
    encounters.push_back(*encounter);
  }
  return encounters;
}

// Every encounter in the rating files of the run.
std::vector<Encounter> read_encounters(const RunDirectory& run) {
  std::vector<Encounter> encounters;
  for (int generation = 0, models = run.models(); generation < models; ++generation) {
    if (!fs::exists(run.rating(generation))) continue;
    const std::vector<Encounter> own = read_rating(run, generation);
    encounters.insert(encounters.end(), own.begin(), own.end());
  }
  return encounters;
}

// The first player's points. A point that several players share is not always a draw of all: they share it, too, where
// one of several others has lost by a fault (forfeited_by). Where the groups are not known it counts as a draw.
double points(const Encounter& encounter) {
  if (encounter.groups.groups() > 0) return encounter.groups.mean() * encounter.score.games;
  return encounter.score.wins + static_cast<double>(encounter.score.draws) / encounter.players;
}

// The games between players of these numbers: the first has one seat, the second all others.
ContestScore contest(const Encounter& encounter, int a, int b) {
  const double won = points(encounter);
  return {{{a, 1, won}, {b, encounter.players - 1, encounter.score.games - won}}, dispersion(encounter)};
}

}  // namespace

bool Ratings::due(int generation, bool last) const {
  if (fs::exists(run_.rating(generation))) {
    const auto damage = damage_of([&] { read_rating(run_, generation); });
    if (damage) print_message("koridor", *damage + "; its matches are played again");
    return damage.has_value();
  }
  return last || generation % config_.rating.every == 0 || generation == config_.run.generations;
}

bool Ratings::rate(int generation, const std::function<void(int, int)>& progress, const std::atomic<bool>& stop) {
  const std::vector<AnyGame> games = games_of(config_);
  const RatingConfig& rating = config_.rating;
  const SearchConfig& search = config_.match;
  std::vector<std::pair<std::string, std::string>> opponents;  // name, and the text for load_player
  for (const std::string& baseline : rating.baselines) opponents.emplace_back(baseline, baseline);
  for (int earlier = generation - 1, found = 0; earlier >= 0 && found < rating.previous; --earlier) {
    if (!fs::exists(run_.rating(earlier))) continue;
    opponents.emplace_back(RunDirectory::label(earlier), run_.model(earlier).string());
    ++found;
  }

  const MatchPlayer player = load_player(run_.model(generation).string(), rating.visits, search);
  const std::size_t matches = opponents.size() * games.size();
  std::vector<Encounter> encounters;
  for (std::size_t i = 0; i < matches; ++i) {
    const auto& [name, loadable] = opponents[i % opponents.size()];
    const AnyGame& game = games[i / opponents.size()];
    MatchOptions options;
    options.games = rating.games;
    options.seed = mix64(config_.run.seed ^ mix64(static_cast<std::uint64_t>(generation) * 1000 + i));
    set_openings(rating, game, options);
    options.threads = config_.run.threads;
    options.evaluation = match_evaluation(config_.selfplay.evaluation);
    options.progress = [&](int done, int all) {
      progress(static_cast<int>(i) * all + done, static_cast<int>(matches) * all);
    };
    const MatchPlayer opponent = load_player(loadable, rating.visits, search);
    const MatchResult result = play_match(game, player, opponent, options, stop);
    if (result.stopped) return false;
    Encounter encounter{.a = RunDirectory::label(generation), .b = name};
    std::visit(
        [&](const auto& known) {
          encounter.game = known.name();
          encounter.players = known.players();
        },
        game);
    encounter.score = result.total();
    encounter.groups = result.groups;
    encounters.push_back(encounter);
  }

  forget_past_evaluators();

  json results = json::array();
  for (const Encounter& encounter : encounters) results.push_back(encounter_json(encounter));
  json settings = json::object();
  for (const auto& [key, value] : search_texts(search, games.front())) settings[key] = value;
  const json file = {
      {"generation", generation}, {"visits", rating.visits}, {"settings", settings}, {"matches", results}};
  run_.require_there();
  write_json(run_.rating(generation), file);
  if (const auto whole = table_if_whole()) write_table(*whole);
  return true;
}

void Ratings::save_table() const {
  write_table(table());
}

void Ratings::write_table(const std::vector<RatedPlayer>& table) const {
  json elo = json::array();
  for (const RatedPlayer& rated : table) {
    elo.push_back({{"name", rated.name}, {"elo", rated.elo}, {"error95", rated.error}, {"games", rated.games}});
  }
  const std::string text = elo.dump(2) + "\n";
  run_.require_there();
  if (!fs::exists(run_.elo()) || read_file(run_.elo()) != text) write_file_atomically(run_.elo(), text);
}

std::vector<std::pair<std::string, std::string>> search_texts(SearchConfig search, const AnyGame& game) {
  search = std::visit([&](const auto& any) { return search_for_game(search, any); }, game);
  SettingList list;
  list.begin_section("match");
  describe_settings(search, list);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const Setting& setting : list.settings()) texts.emplace_back(setting.key(), value_text(setting));
  return texts;
}

std::string match_choice_text(const SearchConfig& search, int visits, const AnyGame& game,
                              const Evaluation& evaluation) {
  std::string text = fmt::format("visits={}", visits);
  if (evaluation.backend != "onednn" || evaluation.precision != "auto") {
    text += fmt::format("\nbackend={}\nprecision={}", evaluation.backend, evaluation.precision);
  }
  for (const auto& [key, value] : search_texts(search, game)) text += fmt::format("\n{}={}", key, value);
  return text;
}

std::vector<RatedPlayer> rated_players(std::span<const Encounter> encounters, const std::vector<std::string>& baselines,
                                       std::size_t boards,
                                       const std::function<PlayerOfRun(const std::string&)>& player_of) {
  std::vector<RatedPlayer> players;
  const auto place = [&](const std::string& name) {
    const auto found = std::ranges::find(players, name, &RatedPlayer::name);
    if (found != players.end()) return static_cast<int>(found - players.begin());
    const PlayerOfRun player = player_of(name);
    players.push_back({.name = name, .run = player.run, .generation = player.generation});
    return static_cast<int>(players.size()) - 1;
  };
  // Points and games of a player (by its number) against a baseline on a board: a baseline may be met in several
  // matches.
  std::map<std::tuple<std::size_t, std::string, std::string>, std::pair<double, int>> against;
  std::vector<ContestScore> scores;
  for (const Encounter& encounter : encounters) {
    const int a = place(encounter.a);
    const int b = place(encounter.b);
    scores.push_back(contest(encounter, a, b));
    const int games = encounter.score.games;
    if (games == 0) continue;
    const auto count = [&](int player, const std::string& baseline, double got) {
      auto& [points_got, all] = against[{static_cast<std::size_t>(player), baseline, encounter.game}];
      points_got += got;
      all += games;
    };
    const auto is_baseline = [&](int player) { return players[static_cast<std::size_t>(player)].generation < 0; };
    if (is_baseline(b)) {
      count(a, encounter.b, points(encounter));
    } else if (is_baseline(a) && encounter.players == 2) {  // with more, the one has a seat and the other the rest
      count(b, encounter.a, games - points(encounter));
    }
  }
  for (const auto& [key, got] : against) {
    const auto& [player, baseline, board] = key;
    // The mean over the boards.
    players[player].score[baseline] += got.first / got.second / static_cast<double>(boards);
  }
  if (players.empty()) return players;

  const std::string anchor = baselines.empty() ? "" : baselines.back();
  const auto anchored = std::ranges::find(players, anchor, &RatedPlayer::name);
  RatingOptions options;
  options.anchor = anchored == players.end() ? 0 : static_cast<int>(anchored - players.begin());
  const auto fit = std::make_shared<const RatingFit>(fit_contests(static_cast<int>(players.size()), scores, options));
  for (std::size_t i = 0; i < players.size(); ++i) {
    const Rating& rating = fit->ratings[i];
    players[i].elo = rating.elo;
    players[i].error = rating.error95;
    players[i].games = static_cast<int>(rating.games);
    players[i].fit = fit;
    players[i].place_in_fit = i;
  }
  std::ranges::sort(players, {}, [](const RatedPlayer& player) {
    return std::tuple(player.generation < 0, player.run, player.generation, player.elo);
  });
  return players;
}

Table ratings_table(std::span<const RatedPlayer> players, const std::vector<std::string>& baselines) {
  using enum ColumnType;
  std::size_t width = 14;
  for (const RatedPlayer& player : players) width = std::max(width, player.name.size());
  std::vector<Column> columns = {{"name", text, "", "", -static_cast<int>(width), "{}"},
                                 {"run", text},
                                 {"generation", integer},
                                 {"elo", number, "Elo", "Elo", 6, "{:.0f}"},
                                 {"error95", number, "Elo", "95%", 7, "+-{:.0f}"},
                                 {"games", integer, "", "games", 7, "{}"}};
  for (const std::string& baseline : baselines) {
    const std::string heading = "vs " + baseline;
    const int wide = std::max(6, static_cast<int>(heading.size()));
    columns.push_back({"score_against_" + baseline, number, "share", heading, wide, "{:.1f}%", 100.0});
  }
  const bool kept =
      std::ranges::any_of(players, [](const RatedPlayer& player) { return player.value_kept.has_value(); });
  columns.push_back({"value_kept", number, "share", "kept", 6, kept ? "{:.1f}%" : "", 100.0});
  Table table("ratings", std::move(columns));
  for (const RatedPlayer& player : players) {
    const bool rated = player.generation >= 0;
    std::vector<Cell> row = {player.name,
                             player.run.empty() ? Cell() : Cell(player.run),
                             rated ? Cell(player.generation) : Cell(),
                             player.elo,
                             player.error,
                             player.games};
    for (const std::string& baseline : baselines) {
      const auto score = player.score.find(baseline);
      row.push_back(score == player.score.end() ? Cell() : Cell(score->second));
    }
    row.push_back(player.value_kept);
    table.add(std::move(row));
  }
  return table;
}

std::vector<Encounter> Ratings::encounters() const {
  return read_encounters(run_);
}

std::vector<RatedPlayer> Ratings::table() const {
  const auto player_of = [](const std::string& name) {
    return PlayerOfRun{.generation = RunDirectory::generation_of(name).value_or(-1)};
  };
  return rated_players(read_encounters(run_), config_.rating.baselines, games_of(config_).size(), player_of);
}

std::optional<std::vector<RatedPlayer>> Ratings::table_if_whole() const {
  try {
    return table();
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::string Ratings::changed_search() const {
  const int visits = config_.rating.visits;
  const auto settings = search_texts(config_.match, games_of(config_).front());
  const auto changed = [](int generation, const std::string& key, const std::string& now, const std::string& before) {
    return fmt::format("{} = {}, and {} was rated with {}: the table of Elo mixes the two", key, now,
                       RunDirectory::label(generation), before);
  };
  for (int generation = 0, models = run_.models(); generation < models; ++generation) {
    json file;
    try {
      if (!fs::exists(run_.rating(generation))) continue;
      file = read_json(run_.rating(generation));
    } catch (const UserError&) {
      continue;  // due() names it
    }
    const int visits_before = member(file, "visits", visits);
    if (visits_before != visits) {
      return changed(generation, "rating.visits", std::to_string(visits), std::to_string(visits_before));
    }
    json settings_before = object_in(file, "settings");
    // Before there was the key, PUCT played the most visits.
    const bool by_visits = member(settings_before, "algorithm", std::string()) == "\"puct\"";
    if (by_visits && !settings_before.contains("lower_bound")) settings_before["lower_bound"] = "0";
    for (const auto& [key, now] : settings) {
      const std::string before = member(settings_before, key.c_str(), now);
      if (before != now) return changed(generation, "match." + key, now, before);
    }
  }
  return "";
}

std::vector<std::string> add_yardsticks(std::span<RatedPlayer> players, const std::string& label,
                                        const RunDirectory& run, const Config& config) {
  std::vector<std::string> damaged;
  for (RatedPlayer& player : players) {
    if (player.generation < 0 || player.run != label) continue;
    try {
      const auto results = read_yardstick(run, player.generation, config.rating.visits);
      player.value_kept = mean_kept(results);
      player.value_kept_error = mean_kept_error(results);
    } catch (const UserError& error) {
      damaged.push_back(fmt::format("{}; `koridor rate --solver` measures it again", error.what()));
    }
  }
  return damaged;
}

std::string Ratings::table_text() const {
  return ratings_table(table(), config_.rating.baselines).text();
}

}  // namespace koridor
