#include "cli/play/words.h"

#include <fmt/format.h>

namespace koridor::cli {
namespace {

constexpr const char* kCommands =
    "  hint      the model's best actions    undo      take back your last action\n"
    "  actions   every legal action          moves     the game so far\n"
    "  board     the board again             turn      turn the board\n"
    "  help      this                        quit      end, without saving\n";
constexpr const char* kOfTwo = "  resign    give the game up            save [F]  save the game (in the file F)\n";
constexpr const char* kOfSeveral = "  save [F]  save the game (in the file F)\n";
constexpr const char* kGoCommands = "  owners    who will own each point     score     the count as the board stands\n";

}  // namespace

std::string help_of(const Session& session) {
  return fmt::format("{}{}{}{}", help_text(session.help()), session.family() == "go" ? kGoCommands : "",
                     session.players() == 2 ? kOfTwo : kOfSeveral, kCommands);
}

}  // namespace koridor::cli
