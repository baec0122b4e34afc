#include "selfplay/matches/engines/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "selfplay/matches/engines/gtp_dialect.h"
#include "selfplay/matches/engines/qtp_dialect.h"
#include "selfplay/matches/engines/uci_dialect.h"

namespace koridor {

std::string_view protocol_name(EngineProtocol protocol) {
  constexpr std::array<std::string_view, 3> kNames = {"gtp", "qtp", "uci"};
  return kNames[static_cast<std::size_t>(protocol)];
}

std::unique_ptr<Dialect> make_dialect(const EngineDescription& description, const EngineGame& game) {
  const bool go = game.family == "go";
  if (go != (description.protocol == EngineProtocol::gtp)) {
    throw UserError(fmt::format("player \"{}\": {} engines play {}, not {}; {}", description.name,
                                protocol_name(description.protocol), go ? "wall games" : "Go", game.variant,
                                go ? "write gtp:COMMAND" : "write qtp:COMMAND or uci:COMMAND"));
  }
  switch (description.protocol) {
    case EngineProtocol::gtp:
      return std::make_unique<GtpDialect>(description, game);
    case EngineProtocol::qtp:
      return std::make_unique<QtpDialect>(description, game);
    case EngineProtocol::uci:
      break;
  }
  return std::make_unique<UciDialect>(description, game);
}

}  // namespace koridor
