#include "cli/serve/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/json_text.h"
#include "core/reading.h"
#include "selfplay/shards/verify.h"
#include "train/run/live_words.h"
#include "train/run/rating.h"
#include "train/run/series.h"
#include "train/run/yardstick_file.h"

namespace koridor::serve {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// HDF5 may be built for one thread at a time.
std::mutex& shard_mutex() {
  static std::mutex mutex;
  return mutex;
}

constexpr std::size_t kMostGames = 500;

// The least number of a game in a file, by its name (ShardWriter); 0 where the name is another one.
int first_game(const std::string& file) {
  constexpr std::string_view kStart = "games-";
  const std::string name = fs::path(file).filename().string();
  int number = 0;
  if (name.starts_with(kStart)) std::from_chars(name.data() + kStart.size(), name.data() + name.size(), number);
  return number;
}

json series_json(const RunSeries& figures) {
  json series = json::array();
  for (const std::string& key : series_keys({figures})) {
    const SeriesName name = series_name(key);
    json points = json::array();
    for (const SeriesPoint& point : figures.series.at(key)) {
      points.push_back({point.generation, name.factor * point.value, name.factor * point.error});
    }
    series.push_back({{"key", key}, {"title", name.title}, {"unit", name.unit}, {"points", std::move(points)}});
  }
  return series;
}

json ratings_json(const std::vector<RatedPlayer>& players) {
  json ratings = json::array();
  for (const RatedPlayer& player : players) {
    json one{{"name", player.name},     {"generation", player.generation}, {"elo", player.elo},
             {"error95", player.error}, {"games", player.games},           {"score", player.score}};
    if (player.value_kept) one["value_kept"] = *player.value_kept;
    ratings.push_back(std::move(one));
  }
  return ratings;
}

}  // namespace

std::string RunView::stamp() const {
  std::string text = fmt::format("{}", run_.directory.models());
  std::error_code error;
  const auto add = [&](const fs::path& path) {
    const auto time = fs::last_write_time(path, error);
    text += fmt::format(" {}", error ? 0 : time.time_since_epoch().count());
  };
  add(run_.directory.figures());
  for (const fs::path& folder : {run_.directory.rating(0).parent_path(), run_.directory.metrics(0).parent_path(),
                                 run_.directory.yardstick(0).parent_path(), run_.directory.gate(0).parent_path()}) {
    add(folder);
  }
  return text;
}

json RunView::progress() const {
  json progress;
  for (const char* process : {"selfplay", "trainer", "loop"}) {
    const fs::path file = run_.directory.status(process);
    json status = live_progress(file);
    if (status.empty()) continue;
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (!error) {
      status["age"] = std::chrono::duration<double>(fs::file_time_type::clock::now() - time).count();
    }
    progress[process] = std::move(status);
  }
  return progress;
}

bool RunView::finished() const {
  if (const auto leader = read_heartbeat(run_.directory.leader())) {
    return state_of(*leader) == "finished";
  }
  // A run of a build without signs of life.
  return run_.directory.models() > run_.config.run.generations;
}

json RunView::figures(const std::string& since) {
  const std::string now = stamp();
  json result{{"stamp", now}, {"label", run_.label}, {"generations", run_.directory.models()}};
  result["progress"] = progress();
  result["finished"] = finished();
  if (since == now) {
    result["unchanged"] = true;
    return result;
  }
  const std::lock_guard lock(mutex_);
  if (figures_.first != now) {
    json all;
    std::vector<RatedPlayer> players;
    json damaged = json::array();
    try {
      players = Ratings(run_.directory, run_.config).table();
      for (const std::string& message : add_yardsticks(players, "", run_.directory, run_.config)) {
        damaged.push_back(message);
      }
    } catch (const UserError& error) {
      damaged.push_back(error.what());
    }
    const RunSeries figures = read_series(run_.directory, players, "");
    for (const std::string& message : figures.damaged) damaged.push_back(message);
    all["damaged"] = std::move(damaged);
    all["series"] = series_json(figures);
    all["ratings"] = ratings_json(players);
    json seconds = json::array();
    for (const auto& [generation, time] : figures.seconds) seconds.push_back({generation, time});
    all["seconds"] = std::move(seconds);
    json boards = json::array();
    for (const AnyGame& game : games_of(run_.config)) boards.push_back(name_of(game));
    all["games"] = std::move(boards);
    all["config"] = read_file(run_.directory.config());
    figures_ = {now, json_text(all)};
  }
  result.update(json::parse(figures_.second));
  return result;
}

std::vector<std::string> RunView::shard_files(int generation, int board) const {
  std::vector<std::string> files;
  for (const fs::path& file : shards_in(run_.directory.shards(generation, board))) files.push_back(file.string());
  return files;
}

const ShardData& RunView::shard(const std::string& file) {
  if (!shard_ || shard_->first != file) {
    const std::lock_guard one_reader(shard_mutex());
    shard_.reset();
    shard_.emplace(file, read_shard(file));
  }
  return shard_->second;
}

json RunView::games(int generation, int board) {
  const std::lock_guard lock(mutex_);
  json games = json::array();
  for (const std::string& file : shard_files(generation, board)) {
    const ShardData& data = shard(file);
    const auto players = static_cast<std::size_t>(data.info.players);
    for (std::size_t i = 0; i < data.games() && games.size() < kMostGames; ++i) {
      const auto first = data.game_outcome.begin() + static_cast<std::ptrdiff_t>(i * players);
      games.push_back({{"number", data.game_number[i]},
                       {"plies", data.game_plies[i]},
                       {"values", std::vector<float>(first, first + data.info.players)}});
    }
    if (games.size() >= kMostGames) break;
  }
  return games;
}

json RunView::game(int generation, int board, int number) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> files = shard_files(generation, board);
  std::erase_if(files, [number](const std::string& file) { return first_game(file) > number; });
  // It is most likely in the last file that can have it.
  std::ranges::reverse(files);
  for (const std::string& file : files) {
    const ShardData& data = shard(file);
    const auto found = std::ranges::find(data.game_number, static_cast<std::uint32_t>(number));
    if (found == data.game_number.end()) continue;
    const auto which = static_cast<std::size_t>(found - data.game_number.begin());
    const std::size_t first = data.game_first_ply[which];
    const auto players = static_cast<std::size_t>(data.info.players);
    const AnyGame any = game_of(data, file);
    json plies = json::array();
    std::visit(
        [&]<Game G>(const G& game) {
          if (game.players() != data.info.players) throw UserError(file + ": damaged: the players are not the game's");
          Position<G> position(game);
          for (std::size_t ply = first; ply < first + data.game_plies[which]; ++ply) {
            const Action action{data.ply_action[ply]};
            if (objection_to(game, position.state, position.history, action)) {
              throw UserError(fmt::format("{}: damaged: game {} has an illegal action", file, number));
            }
            const auto value = data.ply_value.begin() + static_cast<std::ptrdiff_t>(ply * players);
            json one{{"text", game.print_action(position.state, action)},
                     {"kind", kPlyKindNames.at(data.ply_kind[ply])},
                     {"values", std::vector<float>(value, value + data.info.players)}};
            json policy = json::array();
            for (std::size_t i = 0; i < data.policy_count[ply]; ++i) {
              const std::size_t entry = data.policy_first[ply] + i;
              policy.push_back({data.policy_action[entry], data.probability(entry)});
            }
            one["policy"] = std::move(policy);
            plies.push_back(std::move(one));
            position.apply(game, action);
          }
        },
        any);
    return {{"game", data.info.game}, {"number", number}, {"plies", std::move(plies)}};
  }
  throw UserError(fmt::format("generation {} has no game {} in its files", generation, number));
}

}  // namespace koridor::serve
