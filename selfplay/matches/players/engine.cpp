// External engines: programs that speak the protocols of engines/.
#include <chrono>
#include <thread>

#include "core/base/notice.h"
#include "selfplay/matches/engines/engine_player.h"
#include "selfplay/matches/players/kind.h"

namespace koridor {
namespace {

constexpr double kLongestSeconds = 1e6;

// Waits until the engine has answered all. Throws UserError where it has failed, or `stop` was set.
void wait_for(ExternalEngine& engine, const std::string& name, const std::atomic<bool>& stop) {
  constexpr std::chrono::milliseconds kPause{1};
  for (;;) {
    const ExternalEngine::Status status = engine.step();
    if (status == ExternalEngine::Status::ready) return;
    if (status == ExternalEngine::Status::failed) {
      throw UserError(fmt::format("player \"{}\": {}", name, engine.fault().text()));
    }
    if (stop.load(std::memory_order_relaxed)) throw UserError(fmt::format("player \"{}\": stopped", name));
    std::this_thread::sleep_for(kPause);
  }
}

// Starts the engine once, so that one that cannot play the game is found before the first game.
PlayerFactory prepare(const EngineDescription& description, const AnyGame& game, const std::atomic<bool>& stop) {
  auto team = std::make_shared<EngineTeam>();
  team->setup = std::make_shared<EngineSetup>(EngineSetup{.description = description, .game = engine_game(game)});
  auto engine = std::make_unique<ExternalEngine>(team->setup);
  engine->introduce(team->setup->features);
  wait_for(*engine, description.name, stop);
  engine->new_game({}, {});
  wait_for(*engine, description.name, stop);
  if (const std::string& untold = team->setup->game.untold; !untold.empty()) {
    notice(fmt::format("warning: player \"{}\": its protocol cannot say {}; its own options must", description.name,
                       untold));
  }
  team->spare = std::move(engine);
  return factory_of<EnginePlayer>(game, team);
}

// The words that `koridor engine` takes for granted in this protocol, unless the options say others.
WallWords words_of(const PlayerRequest& request, EngineProtocol protocol) {
  WallWords words;
  if (protocol == EngineProtocol::qtp) words = {.naming = Naming::qtp, .first = Colour::black};
  if (protocol == EngineProtocol::uci) words = {.naming = Naming::standard, .first = Colour::white};
  try {
    if (const std::string* name = find_option(request, "notation")) words.naming = parse_naming(*name);
    if (const std::string* name = find_option(request, "first")) {
      const auto colour = parse_colour(*name);
      if (!colour) throw UserError(unknown_word("colour", *name, {"white", "black"}));
      words.first = *colour;
    }
  } catch (const UserError& error) {
    throw UserError(fmt::format("player \"{}\": {}", request.text, error.what()));
  }
  return words;
}

MatchPlayer load_engine(const PlayerRequest& request, EngineProtocol protocol) {
  const auto missing = [&] {
    return UserError(fmt::format("player \"{}\": say which program; write {}:COMMAND, for example {}:./engine",
                                 request.text, protocol_name(protocol), protocol_name(protocol)));
  };
  if (!request.detail || request.detail->find_first_not_of(' ') == std::string::npos) throw missing();
  EngineDescription description{.name = request.text, .protocol = protocol, .command = *request.detail};
  description.directory = request.directory;
  description.log = request.log;
  description.commands = request.commands;
  for (const PlayerOption& option : request.engine_options) description.options.emplace_back(option.key, option.value);
  description.usual_visits = request.visits;
  description.seconds = number_option(request, "seconds", 0.001, kLongestSeconds, 0.0);
  description.patience = number_option(request, "patience", 0.001, kLongestSeconds, description.patience);
  description.margin = number_option(request, "margin", 0.0, kLongestSeconds, description.margin);
  if (find_option(request, "visits") != nullptr) {
    description.visits = number_option(request, "visits", 1, kMaxPlayerVisits, 1);
  }
  description.words = words_of(request, protocol);
  MatchPlayer player{.name = {}, .timed = true};
  if (protocol == EngineProtocol::uci) {
    player.strength.visits = description.visits.value_or(description.seconds > 0 ? 0 : request.visits);
  }
  player.prepare = [description](const AnyGame& game, const std::atomic<bool>& stop) {
    return prepare(description, game, stop);
  };
  return player;
}

template <EngineProtocol protocol>
PlayerKind describe_engine(const char* usage, const char* help, std::vector<std::string> keys) {
  return {.word = std::string(protocol_name(protocol)),
          .usage = usage,
          .example = "",
          .help = help,
          .keys = std::move(keys),
          .command = true,
          .load = [](const PlayerRequest& request) { return load_engine(request, protocol); }};
}

}  // namespace

struct GtpPlayerKind {
  static PlayerKind describe() {
    return describe_engine<EngineProtocol::gtp>("gtp:COMMAND", "an engine for Go: a program that speaks GTP",
                                                {"seconds", "margin", "patience"});
  }
};
template PlayerKind describe_kind<GtpPlayerKind>();

struct QtpPlayerKind {
  static PlayerKind describe() {
    return describe_engine<EngineProtocol::qtp>("qtp:COMMAND", "an engine for wall games: a program that speaks QTP",
                                                {"seconds", "margin", "patience", "notation", "first"});
  }
};
template PlayerKind describe_kind<QtpPlayerKind>();

struct UciPlayerKind {
  static PlayerKind describe() {
    return describe_engine<EngineProtocol::uci>("uci:COMMAND", "an engine for wall games that speaks the UCI-like loop",
                                                {"visits", "seconds", "margin", "patience", "notation", "first"});
  }
};
template PlayerKind describe_kind<UciPlayerKind>();

}  // namespace koridor
