#include "cli/play/words.h"

#include <fmt/format.h>

namespace koridor::cli {
namespace {

constexpr const char* kWallHelp =
    "  e8        move the pawn to e8\n"
    "  e3h, e3v  place a horizontal or vertical wall, named by the square north-west\n"
    "            of its middle\n";
constexpr const char* kGoHelp =
    "  D4        place a stone on D4\n"
    "  pass      pass; two in a row end the game (territory: the phase)\n";
constexpr const char* kCommands =
    "  hint      the model's best actions      undo      take back your last action\n"
    "  actions   every legal action            moves     the game so far\n"
    "  board     the board again               turn      turn the board\n"
    "  resign    give the game up              save [F]  save the game (in the file F)\n"
    "  help      this                          quit      end\n";
constexpr const char* kGoCommands =
    "  owners    who will own each point       score     the count as the board stands\n";

}  // namespace

std::string action_help(const Session& session) {
  return session.family() == "go" ? kGoHelp : kWallHelp;
}

std::string command_help(const Session& session) {
  return session.family() == "go" ? fmt::format("{}{}", kGoCommands, kCommands) : kCommands;
}

std::string refusal_text(const Refusal& refusal) {
  return fmt::format("{}.\n`actions` lists the legal ones, `help` says more.", refusal.message);
}

}  // namespace koridor::cli
