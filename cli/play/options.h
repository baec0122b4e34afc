// What `koridor play` was asked for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/game.h"
#include "models/evaluation.h"
#include "selfplay/matches/adjudication.h"

namespace koridor::cli {

constexpr int kUsualVisits = 400;  // of a move where no clock runs, and of hints

struct PlayOptions {
  std::string game;                            // empty: that of the file, or of the first model
  std::string model;                           // sits wherever nobody else does
  std::string level;                           // of that model; empty: as strong as `visits`
  std::array<std::string, kMaxPlayers> seats;  // PLAYER or "human"; empty: nobody said
  int seat = 0;                                // the person's, from 1; 0: nobody said, which means 1
  int visits = 0;                              // of players that do not say how many; 0: nobody said
  std::string clock = "none";                  // of every seat
  std::string resign;                          // the rule by which models give up; empty: by the game
  bool hints = false;
  Notation notation = Notation::standard;
  std::string colour = "auto";
  int view = 1;                         // the seat whose side is at the bottom of the board
  std::optional<std::uint64_t> seed{};  // nothing: another one each time
  std::uint64_t draws = 0;              // seed of this game's random choices, by `seed` and the game's number
  std::string load;
  int load_game = 1;  // the number of the game in the file, from 1
  std::string moves;
  std::string save;
  Evaluation evaluation{};
  std::vector<std::string> search;
};

// What --resign says. Throws UserError.
ResignRule resign_rule(const PlayOptions& options);

// --visits, or what is usual where nobody said: no limit beside a clock.
int visits_of(const PlayOptions& options);

// The options besides the game, its file and its seats that differ from the usual ones, each with a space before it:
// " --visits 200 --hints". Beside seats that are all named they give the same players, advice and screen.
std::string further_options(const PlayOptions& options);

}  // namespace koridor::cli
