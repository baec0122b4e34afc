#include "selfplay/matches/openings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/saved_game.h"
#include "core/saved_result.h"
#include "selfplay/matches/opening.h"
#include "selfplay/matches/yardstick/measure.h"

namespace koridor {
namespace {

constexpr int kRound = 128;      // openings that are drawn at once
constexpr int kVainRounds = 10;  // so many in a row without a new opening end the search
constexpr int kOverRounds = 2;   // and so many in which every game is over before the opening is

// One round of openings, played ply by ply. Those that end the game are left out.
std::vector<YardstickPosition> play_round(const AnyGame& game, const MatchPlayer& opener, YardstickOptions asking,
                                          int plies, const std::atomic<bool>& stop) {
  std::vector<YardstickPosition> lines(kRound, YardstickPosition{.actions = {}, .known = {}});
  // Each ply asks anew, and a large cache would take longer to make than a ply of few positions takes.
  asking.batch.evaluation.cache_mebibytes = std::min(asking.batch.evaluation.cache_mebibytes, 1);
  for (int ply = 0; ply < plies && !lines.empty(); ++ply) {
    asking.seed = mix64(asking.seed);
    const std::vector<YardstickAnswer> answers = ask_player(game, opener, lines, asking, stop);
    if (stop.load(std::memory_order_relaxed)) return {};
    for (std::size_t line = 0; line < lines.size(); ++line) lines[line].actions.push_back(answers[line].action);
    std::erase_if(lines, [&](const YardstickPosition& line) { return !result_of(game, line.actions).empty(); });
  }
  return lines;
}

}  // namespace

std::vector<std::vector<Action>> read_openings(const std::string& path, const AnyGame& game, int plies) {
  std::vector<SavedGame> games = read_saved_games(read_file(path), path, {.game = game});
  std::vector<std::vector<Action>> openings;
  for (std::size_t i = 0; i < games.size(); ++i) {
    std::vector<Action>& actions = games[i].actions;
    if (name_of(games[i].game) != name_of(game)) continue;
    if (plies >= 0 && std::ssize(actions) > plies) actions.resize(static_cast<std::size_t>(plies));
    if (!result_of(game, actions).empty()) {
      throw UserError(
          fmt::format("{}: game {} is over, and an opening may not end it; `koridor match --opening-plies` takes only "
                      "so many plies",
                      path, i + 1));
    }
    openings.push_back(std::move(actions));
  }
  if (openings.empty()) {
    throw UserError(
        fmt::format("{}: game 1 is of {}, and none is of {}", path, name_of(games.front().game), name_of(game)));
  }
  return openings;
}

std::vector<DrawnOpening> draw_openings(const AnyGame& any, const MatchPlayer& opener, const MatchPlayer& judge,
                                        const OpeningDraw& options, const std::atomic<bool>& stop) {
  std::vector<DrawnOpening> openings;
  std::visit(
      [&]<Game G>(const G& game) {
        if (game.players() != 2) {
          throw UserError(fmt::format("{} has more than two players, of whom one value says too little", game.name()));
        }
        Opening<G> trial(game);
        std::unordered_set<std::uint64_t> seen;
        const auto wanted = static_cast<std::size_t>(options.openings);
        int vain = 0;
        int over = 0;
        for (int round = 0; vain < kVainRounds && over < kOverRounds && openings.size() < wanted; ++round) {
          const std::size_t before = openings.size();
          Random random = Random::for_game(options.seed, 0, static_cast<std::uint64_t>(round));
          const YardstickOptions asking{
              .threads = options.threads, .seed = random.next(), .batch = options.batch, .progress = {}};
          std::vector<YardstickPosition> lines = play_round(any, opener, asking, options.plies, stop);
          over = lines.empty() ? over + 1 : 0;
          std::erase_if(lines, [&](const YardstickPosition& line) {
            Position<G> position(game);
            for (const Action action : line.actions) position.apply(game, action);
            return !seen.insert(game.repetition_key(position.state)).second || trial.decided(position, random);
          });
          const std::vector<YardstickAnswer> answers = ask_player(any, judge, lines, asking, stop);
          if (stop.load(std::memory_order_relaxed)) return;
          for (std::size_t line = 0; line < lines.size() && openings.size() < wanted; ++line) {
            if (!answers[line].value) {
              throw UserError(fmt::format("{} has no opinion of a position, by which one could be even", judge.name));
            }
            const float value = *answers[line].value;
            if (std::abs(value - 0.5) > options.even) continue;
            openings.push_back({std::move(lines[line].actions), value});
          }
          vain = openings.size() > before ? 0 : vain + 1;
          if (options.progress) options.progress(static_cast<int>(openings.size()));
        }
      },
      any);
  return openings;
}

}  // namespace koridor
