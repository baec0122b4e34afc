#include "train/run/continuous_watch.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/signs_of_life.h"
#include "train/run/live_words.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

}  // namespace

ContinuousWatch::ContinuousWatch(const RunDirectory& run, double now)
    : run_(run), newest_(std::max(0, run.models() - 1)), first_whole_(newest_), began_(now), last_(now) {
  std::error_code ignored;
  while (fs::exists(run_.shards(first_whole_), ignored)) ++first_whole_;
  json unused;
  add_waits(unused);
}

int ContinuousWatch::look(double now) {
  std::error_code ignored;
  while (fs::exists(run_.model(newest_ + 1), ignored)) {
    ++newest_;
    seen_[newest_] = {now, speeds(newest_, now - std::exchange(last_, now))};
  }
  return newest_;
}

double ContinuousWatch::seconds_of(int generation) const {
  const auto found = seen_.find(generation);
  return found == seen_.end() ? began_ : found->second.seconds;
}

json ContinuousWatch::speeds_of(int generation) const {
  const auto found = seen_.find(generation);
  return found == seen_.end() ? json::object() : found->second.speeds;
}

json ContinuousWatch::speeds(int generation, double seconds) {
  json speeds = json::object();
  add_waits(speeds);
  if (generation - 1 < first_whole_ || seconds <= 0) return speeds;
  const json games = live_progress(run_.metrics(generation)).value("selfplay", json::object());
  const double plies = member(games, "plies", 0.0) * member(games, "games", 0.0);
  if (plies > 0) speeds["positions_per_second"] = plies / seconds;
  if (games.contains("evaluations")) speeds["evaluations_per_second"] = member(games, "evaluations", 0.0) / seconds;
  const json own = live_progress(run_.status("selfplay"));
  if (own.contains("cache_hit_share")) speeds["cache_hit_share"] = member(own, "cache_hit_share", 0.0);
  return speeds;
}

void ContinuousWatch::add_waits(json& speeds) {
  double sum = 0;
  int workers = 0;
  for_each_sign(run_.workers(), [&](const fs::path& path, const json& sign) {
    const double waited = member(sign, "waited_seconds", -1.0);
    if (waited < 0 || !may_run(sign)) return true;
    sum += std::max(0.0, waited - std::exchange(waited_[path], waited));
    ++workers;
    return true;
  });
  if (workers > 0) speeds["waited_seconds"] = sum / workers;
}

}  // namespace koridor
