// The UCI-like loop for wall games.
#pragma once

#include "selfplay/matches/engines/dialect.h"

namespace koridor {

class UciDialect final : public Dialect {
 public:
  UciDialect(const EngineDescription& description, const EngineGame& game) : description_(&description), game_(&game) {}

  std::vector<Exchange> introduce() const override;
  void learn(const Exchange& asked, std::string_view reply, EngineFeatures& features) const override;
  std::vector<Exchange> start(const EngineFeatures& features) const override;
  std::vector<Exchange> new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                 const EngineFeatures& features) override;
  std::vector<Exchange> play(const EngineMove& move, bool its_own, const EngineFeatures& features) override;
  std::vector<Exchange> choose(const EngineTurn& turn, const EngineFeatures& features) const override;
  std::string choice(std::string_view reply) const override;
  // Out of `score cp N`, a difference in Elo, or `score mate N`.
  std::optional<float> value(std::string_view line) const override;

 private:
  std::string limits(const EngineTurn& turn) const;

  const EngineDescription* description_;
  const EngineGame* game_;
  std::string moves_;  // of the game, each with a space before it
};

}  // namespace koridor
