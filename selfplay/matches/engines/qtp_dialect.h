// QTP, the protocol of GTP's shape for wall games.
#pragma once

#include "selfplay/matches/engines/gtp_dialect.h"

namespace koridor {

class QtpDialect final : public CommandDialect {
 public:
  using CommandDialect::CommandDialect;

  std::vector<Exchange> new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                 const EngineFeatures& features) override;
  std::vector<Exchange> play(const EngineMove& move, bool its_own, const EngineFeatures& features) override;
  std::vector<Exchange> choose(const EngineTurn& turn, const EngineFeatures& features) const override;

 protected:
  std::string colour(int seat) const override;
};

}  // namespace koridor
