#include "train/run/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/random.h"
#include "core/base/terminal.h"
#include "models/backends.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/sprt.h"
#include "train/run/rating_openings.h"
#include "train/run/run_shards.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kRoundGames = 32;              // on each board, before the test is asked
constexpr std::uint64_t kSeed = 0x67617465;  // apart from the seeds of ratings

// The generation whose model played the games of `generation`, by what the training on them has counted; nothing where
// that says nothing, or not one model alone.
std::optional<int> player_by_metrics(const RunDirectory& run, int generation) {
  try {
    const json games = object_in(read_json(run.metrics(generation + 1)), "selfplay");
    const double behind = member(games, "models_behind", -1.0);
    if (behind >= 0 && behind <= generation && behind == std::floor(behind)) {
      return generation - static_cast<int>(behind);
    }
  } catch (const UserError&) {
    // There was no such training yet, or its figures are damaged, which others say.
  }
  return std::nullopt;
}

}  // namespace

std::string gate_text(const GateDecision& decision) {
  const std::string met = fmt::format("{:.1f}% in {} against {}", 100 * decision.score, counted(decision.games, "game"),
                                      RunDirectory::label(decision.before));
  const std::string name = RunDirectory::label(decision.generation);
  return decision.accepted ? fmt::format("{} plays self-play from now on ({}).", name, met)
                           : fmt::format("{} is kept from self-play, which {} goes on playing ({}).", name,
                                         RunDirectory::label(decision.before), met);
}

std::optional<GateDecision> read_gate(const RunDirectory& run, int generation) {
  const fs::path path = run.gate(generation);
  if (!fs::exists(path)) return std::nullopt;
  const json file = read_json(path);
  const GateDecision decision{.generation = member(file, "generation", -1),
                              .before = member(file, "before", -1),
                              .accepted = member(file, "accepted", false),
                              .games = member(file, "games", 0),
                              .score = member(file, "score", 0.0),
                              .llr = member(file, "llr", 0.0)};
  if (decision.generation != generation || decision.before < 0 || decision.before >= generation) {
    throw UserError(
        fmt::format("{}: damaged: it does not hold the gate's decision on generation {}", path.string(), generation));
  }
  return decision;
}

int champion_of(const RunDirectory& run, const Config& config, int generation) {
  if (config.rating.gate.empty()) return generation;
  const std::optional<GateDecision> decision = read_gate(run, generation);
  return decision ? decision->champion() : player_by_metrics(run, generation).value_or(generation);
}

bool gate_due(const RunDirectory& run, const Config& config, int generation) {
  if (config.rating.gate.empty() || generation == 0 || generation >= config.run.generations) return false;
  try {
    if (read_gate(run, generation) || fs::exists(run.model(generation + 1))) return false;
    return RunShards(run, games_of(config).size()).of(generation).empty();
  } catch (const UserError& error) {
    print_message("koridor", std::string(error.what()) + "; its matches are played again");
    return true;
  }
}

std::optional<GateDecision> decide_gate(const RunDirectory& run, const Config& config, int generation,
                                        const std::function<void(int, int)>& progress, const std::atomic<bool>& stop) {
  const SprtSettings test = read_sprt(config.rating.gate, "rating.gate");
  const std::vector<AnyGame> games = games_of(config);
  GateDecision decision{.generation = generation, .before = champion_of(run, config, generation - 1)};
  const auto load = [&](int which) {
    return load_player(run.model(which).string(), config.rating.visits, config.match);
  };
  const MatchPlayer player = load(generation);
  const MatchPlayer champion = load(decision.before);
  GroupScores groups(players_of(games.front()));
  SprtState state = sprt_state(groups, test);
  const std::uint64_t seed = config.run.seed ^ mix64(kSeed + static_cast<std::uint64_t>(generation));
  std::vector<MatchOptions> boards(games.size());
  for (std::size_t board = 0; board < games.size(); ++board) {
    MatchOptions& options = boards[board];
    options.seed = seed;
    options.threads = config.run.threads;
    options.evaluation = match_evaluation(config.selfplay.evaluation);
    set_openings(config.rating, games[board], options);
  }
  const auto boards_count = static_cast<int>(games.size());
  std::uint64_t round = 0;
  while (state.verdict == SprtVerdict::undecided && decision.games < config.rating.gate_games) {
    // The last round may be shorter: check_openings() asks for as many openings as gate_games take.
    const int wanted = (config.rating.gate_games - decision.games + boards_count - 1) / boards_count;
    const int each_group = groups.players();
    const int round_games = (std::min(kRoundGames, wanted) + each_group - 1) / each_group * each_group;
    int played = decision.games;
    const int most = std::max(played + boards_count * round_games, config.rating.gate_games);
    for (std::size_t board = 0; board < games.size(); ++board) {
      MatchOptions& options = boards[board];
      options.games = round_games;
      if (progress) options.progress = [&, before = played](int done, int) { progress(before + done, most); };
      options.seed = mix64(seed ^ round++);
      const MatchResult result = play_match(games[board], player, champion, options, stop);
      if (result.stopped) return std::nullopt;
      played += round_games;
      for (const GroupScores::Entry& entry : result.groups.entries()) groups.add(entry.score, entry.groups);
      // The next round goes on in the openings where this one ended.
      options.first_opening += static_cast<std::size_t>(round_games / each_group);
    }
    state = sprt_state(groups, test);
    decision.games = static_cast<int>(groups.groups()) * groups.players();
  }
  forget_past_evaluators();
  decision.accepted = state.verdict == SprtVerdict::accept_h1;
  decision.score = groups.mean();
  decision.llr = state.llr;
  run.require_there();
  write_json(run.gate(generation), {{"generation", decision.generation},
                                    {"before", decision.before},
                                    {"accepted", decision.accepted},
                                    {"games", decision.games},
                                    {"score", decision.score},
                                    {"llr", decision.llr},
                                    {"test", sprt_text(test)}});
  return decision;
}

}  // namespace koridor
