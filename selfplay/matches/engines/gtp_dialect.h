// The Go Text Protocol, version 2 (Farnebäck 2002), with the extensions of kgsGtp and KataGo that an engine knows.
#pragma once

#include "selfplay/matches/engines/dialect.h"

namespace koridor {

// What the protocols of GTP's shape share: commands with replies of the form "= TEXT" and "? TEXT".
class CommandDialect : public Dialect {
 public:
  CommandDialect(const EngineDescription& description, const EngineGame& game)
      : description_(&description), game_(&game) {}

  std::vector<Exchange> introduce() const override;
  void learn(const Exchange& asked, std::string_view reply, EngineFeatures& features) const override;
  std::vector<Exchange> start(const EngineFeatures& features) const override;
  std::string choice(std::string_view reply) const override;

 protected:
  // A command that must succeed, and one whose failure changes nothing.
  static Exchange command(std::string line) { return {.line = std::move(line), .reply = Exchange::Reply::block}; }
  static Exchange wish(std::string line);
  // time_settings and time_left, where the engine knows them.
  void add_time_settings(const TimeControl& time, const EngineFeatures& features, std::vector<Exchange>& out) const;
  void add_time_left(const EngineTurn& turn, const EngineFeatures& features, std::vector<Exchange>& out) const;
  // The name of the colour that sits there.
  virtual std::string colour(int seat) const = 0;

  const EngineDescription& description() const { return *description_; }
  const EngineGame& game() const { return *game_; }

 private:
  const EngineDescription* description_;
  const EngineGame* game_;
};

class GtpDialect final : public CommandDialect {
 public:
  using CommandDialect::CommandDialect;

  std::vector<Exchange> new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                 const EngineFeatures& features) override;
  std::vector<Exchange> play(const EngineMove& move, bool its_own, const EngineFeatures& features) override;
  std::vector<Exchange> choose(const EngineTurn& turn, const EngineFeatures& features) const override;

 protected:
  std::string colour(int seat) const override { return seat == 0 ? "B" : "W"; }
};

// Seconds as GTP engines read them: whole ones, as the protocol has it, but two decimals where they matter.
std::string gtp_seconds(double seconds);

}  // namespace koridor
