// Players by name: what each kind makes of the text after its word, and the errors.
#include "selfplay/matches/players.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "selfplay/session/seat_player.h"
#include "selfplay/session/session.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using wall::WallGame;

MatchPlayer load(const std::string& text) {
  return load_player(text, 16, SearchConfig{});
}

std::string complaint(const std::string& text) {
  return error_of([&] { load(text); });
}

// A baseline of many matches must be the same player in each, however their networks search.
TEST(Players, MctsDoesNotDependOnTheNetworksSearch) {
  const AnyGame game = parse_game("go:5x5");
  const auto choices = [&](const SearchConfig& search) {
    std::string actions;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      std::atomic<bool> stop{false};
      SeatPlayer seat(game, load_player("mcts:200", 16, search), {}, seed, stop);
      actions += std::to_string(index(seat.think(stop, {})->action)) + " ";
    }
    return actions;
  };
  SearchConfig other = match_search();
  other.c_puct = 30.0f;
  other.fpu_reduction = 5.0f;
  EXPECT_EQ(choices(other), choices(SearchConfig{}));
  const AnyGame walls = parse_game("quoridor:5x5,walls=2");
  const auto plays = [&](const SearchConfig& search) {
    std::atomic<bool> stop{false};
    SeatPlayer seat(walls, load_player("mcts:60", 16, search), {}, 3, stop);
    std::vector<Action> actions;
    Session session(walls);
    while (!session.outcome().over()) {
      actions.push_back(seat.think(stop, {})->action);
      session.play(actions.back());
      seat.reset(actions);
    }
    return actions;
  };
  SearchConfig knowing = match_search();
  knowing.opponent_model = "greedy";
  knowing.proven_walls = 0;
  EXPECT_EQ(plays(knowing), plays(match_search()));
}

TEST(Players, EveryKindPlaysEveryGame) {
  for (const char* variant : {"quoridor:3x3,walls=1", "go:2x2,komi=0.5"}) {
    const AnyGame any = parse_game(variant);
    std::visit(
        [&]<Game G>(const G& game) {
          for (const char* text : {"random", "greedy", "alphabeta:2", "mcts:5", "mcts", "solver", "solver:64"}) {
            const MatchPlayer player = load(text);
            EXPECT_EQ(player.name, text);
            EXPECT_EQ(player.model, nullptr);
            const auto made = std::get<std::unique_ptr<Player<G>>>(player.prepare(any, kNeverStop)());
            Random random(1);
            Position<G> position(game);
            made->new_game(position, {});
            while (!game.outcome(position.state, position.history).over()) {
              made->begin(random);
              ASSERT_EQ(made->step(), PlayerStep::done);
              const Action action = made->action(0);
              ActionMask legal;
              game.legal_actions(position.state, position.history, legal);
              ASSERT_TRUE(legal.test(action)) << text;
              made->play(action);
              position.apply(game, action);
            }
            EXPECT_THROW(made->leaf(0), std::logic_error);
          }
        },
        any);
  }
}

// mcts:VISITS and mcts with as many visits play alike; the number behind the colon goes before the other.
TEST(Players, TheNumberBehindTheColonCounts) {
  const AnyGame any = parse_game("quoridor:5x5,walls=3");
  const auto choice = [&](const MatchPlayer& player) {
    const auto made = std::get<std::unique_ptr<Player<WallGame>>>(player.prepare(any, kNeverStop)());
    const auto& game = std::get<WallGame>(any);
    std::string actions;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      Position<WallGame> position(game);
      ActionMask legal;
      for (int ply = 0; ply < 4; ++ply) {
        game.legal_actions(position.state, position.history, legal);
        position.apply(game, legal.nth(random.below(legal.count())));
      }
      made->new_game(position, {});
      made->begin(random);
      made->step();
      actions += std::to_string(index(made->action(0))) + " ";
    }
    return actions;
  };
  EXPECT_EQ(choice(load_player("mcts:50", 3, {})), choice(load_player("mcts", 50, {})));
  EXPECT_NE(choice(load_player("mcts:50", 3, {})), choice(load_player("mcts", 3, {})));
  EXPECT_EQ(choice(load("greedy")), choice(load("alphabeta:1")));
  EXPECT_NE(choice(load("greedy")), choice(load("alphabeta:2")));
}

TEST(Players, AModelMayHaveItsOwnPrecision) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "x@y");
  const std::string path = folder.file("x@y/gen-0001.koridor");
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  save_model(path, small_random_model(std::get<WallGame>(game).encoding({})));
  const MatchPlayer plain = load(path);
  ASSERT_NE(plain.model, nullptr);
  EXPECT_EQ(plain.model->info.game, "quoridor:5x5,walls=3");
  EXPECT_TRUE(plain.precision.empty());
  const MatchPlayer quantised = load(path + "@int8");
  ASSERT_NE(quantised.model, nullptr);
  EXPECT_EQ(quantised.precision, "int8");
  EXPECT_EQ(quantised.name, path + "@int8");
}

// A player's options go before the visits of the match, and a level is what its table says.
TEST(Players, OptionsStandBehindCommas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a,b=c.koridor");  // a file's own commas are its name's
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  save_model(path, small_random_model(std::get<WallGame>(game).encoding({})));
  EXPECT_NE(load(path).model, nullptr);
  EXPECT_EQ(load(path + "@int8,level=easy,visits=3").precision, "int8");
  const PlayerText split = split_player(path + "@int8,level=easy,visits=3");
  EXPECT_EQ(split.base, path + "@int8");
  ASSERT_EQ(split.options.size(), 2u);
  EXPECT_EQ(split.options[1].key, "visits");
  EXPECT_EQ(split.options[1].value, "3");

  const auto choices = [&](const std::string& options, int visits) {
    const MatchPlayer player = load_player(path + options, visits, match_search());
    EXPECT_EQ(player.name, path + options);
    std::string actions;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      std::atomic<bool> stop{false};
      SeatPlayer seat(game, player, {}, seed, stop);
      actions += std::to_string(index(seat.think(stop, {})->action)) + " ";
    }
    return actions;
  };
  EXPECT_EQ(choices(",visits=7", 40), choices("", 7));
  EXPECT_EQ(choices(",level=beginner", 40), choices(",visits=0,temperature=4", 3));
  EXPECT_NE(choices(",level=beginner", 40), choices(",visits=0", 40));
  const std::string best = choices(",visits=0", 40);  // always the network's first choice
  EXPECT_EQ(best.substr(0, best.find(' ')), best.substr(best.rfind(' ', best.size() - 2) + 1, best.find(' ')));
}

// Whose visits are the match's is what loading shows, too.
TEST(Players, HaveTheirVisitsOrTheUsualOnes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("some.koridor");
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  save_model(path, small_random_model(std::get<WallGame>(game).encoding({})));
  int usual = 0;
  for (const std::string& text :
       {path, path + "@f32", path + ",visits=7", path + ",level=easy", path + ",seconds=1", path + ",c_puct=1",
        std::string("mcts"), std::string("mcts:7"), std::string("mcts,visits=7"), std::string("mcts,seconds=1"),
        std::string("random"), std::string("greedy"), std::string("alphabeta:3"), std::string("solver:64"),
        std::string("gtp:program"), std::string("uci:program"), std::string("uci:program,visits=7")}) {
    EXPECT_EQ(has_usual_visits(text), load_player(text, 11, {}).strength.visits == 11) << text;
    usual += has_usual_visits(text) ? 1 : 0;
  }
  EXPECT_EQ(usual, 5);
}

// In a race of three or more pawns every simulation may end at something proven while the root stays open.
TEST(Players, ASearchThatAsksForNothingGivesOthersTheirTurn) {
  const AnyGame any = parse_game("quoridor4:3x3,walls=0");
  const auto& game = std::get<WallGame>(any);
  const std::shared_ptr<const Model> model = test::tiny_model(any);
  for (const MatchPlayer& player :
       {load("mcts,seconds=100"), model_player("tiny", model, {.visits = 100'000'000}, match_search())}) {
    std::atomic<bool> stop{false};
    const auto made = std::get<std::unique_ptr<Player<WallGame>>>(player.prepare(any, stop)());
    const std::vector<float> policy(static_cast<std::size_t>(game.encoding(model->info.features).policy_size()));
    const std::vector<float> value{0.25f, 0.25f, 0.25f, 0.25f, 0};
    int paused = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Random random(seed);
      Position<WallGame> position(game);
      for (int ply = 0; ply < 2; ++ply) {
        const ActionMask legal = legal_actions_of(game, position);
        position.apply(game, legal.nth(random.below(legal.count())));
      }
      made->new_game(position, {});
      made->begin(random);
      for (int i = 0; i < 40; ++i) {
        const PlayerStep step = made->step();
        if (step == PlayerStep::done) break;
        paused += step == PlayerStep::paused ? 1 : 0;
        for (int leaf = 0; step == PlayerStep::evaluate && leaf < made->leaves(); ++leaf) {
          made->supply(leaf, {policy, value});
        }
      }
    }
    EXPECT_GT(paused, 5) << player.name;
  }
}

// Nobody waits for what it would have chosen.
TEST(Players, ADeepAlphaBetaIsStopped) {
  const AnyGame any = parse_game("quoridor");
  std::atomic<bool> stop{false};
  const auto made = std::get<std::unique_ptr<Player<WallGame>>>(load("alphabeta:8").prepare(any, stop)());
  Random random(1);
  made->new_game(Position(std::get<WallGame>(any)), {});
  made->begin(random);
  stop = true;
  EXPECT_EQ(made->step(), PlayerStep::waiting);
}

TEST(Players, LevelsRiseFromBeginnerToFull) {
  EXPECT_EQ(levels().front().name, "beginner");
  EXPECT_EQ(levels().back().name, "full");
  for (std::size_t i = 1; i < levels().size(); ++i) {
    const Strength& weaker = levels()[i - 1].strength;
    const Strength& stronger = levels()[i].strength;
    EXPECT_TRUE(stronger.visits > weaker.visits || stronger.temperature < weaker.temperature) << levels()[i].name;
    EXPECT_THAT(players_help(), HasSubstr(levels()[i].name));
  }
  EXPECT_EQ(find_level("full").strength.visits, 400);
  EXPECT_THAT(error_of([] { find_level("begginer"); }),
              HasSubstr("unknown level 'begginer'; did you mean 'beginner'?"));
}

TEST(Players, MistakesOfOptionsAreNamed) {
  EXPECT_THAT(complaint("random,visits=3"), HasSubstr("random has nothing to set; write random"));
  EXPECT_THAT(complaint("mcts,vists=3"), HasSubstr("unknown key 'vists'; did you mean 'visits'?"));
  EXPECT_THAT(complaint("mcts,visits=3,visits=4"), HasSubstr("visits is given twice"));
  EXPECT_THAT(complaint("mcts:3,visits=4"), HasSubstr("its visits are given twice"));
  EXPECT_THAT(complaint("mcts,visits=x"), HasSubstr("visits=x: visits must be a number from 1 to 1000000"));
  EXPECT_THAT(complaint("mcts,visits=0"), HasSubstr("visits must be a number from 1"));
  EXPECT_EQ(complaint("mcts,visits"), "visits needs a value: mcts,visits=500");
  EXPECT_EQ(complaint("mcts:3,visits"), "visits needs a value: mcts:3,visits=500");
  EXPECT_EQ(complaint("mcts,visits,seconds=1"), "visits needs a value: mcts,visits=500");
  EXPECT_EQ(complaint("runs/model.koridor,level"), "level needs a value: runs/model.koridor,level=easy");
  EXPECT_THAT(complaint("random,visits"), HasSubstr("random has nothing to set; write random"));
  EXPECT_THAT(complaint("gredy,visits=1"), HasSubstr("did you mean \"greedy\"?"));
  const TemporaryFolder folder;
  const std::string path = folder.file("model.koridor");
  save_model(path, small_random_model(std::get<WallGame>(parse_game("quoridor:5x5,walls=3")).encoding({})));
  EXPECT_THAT(complaint(path + ",level=hrad"), HasSubstr("did you mean 'hard'?"));
  EXPECT_THAT(complaint(path + ",temperature=nan"), HasSubstr("temperature must be a number from 0 to 100"));
}

TEST(Players, MistakesAreNamed) {
  EXPECT_THAT(complaint("gredy"), HasSubstr("did you mean \"greedy\"?"));
  EXPECT_THAT(complaint("nobody-at-all"), HasSubstr("a player is random, greedy, alphabeta:DEPTH, mcts[:VISITS], "));
  EXPECT_THAT(complaint("random:3"), HasSubstr("nothing is known to stand behind the colon; write random"));
  EXPECT_THAT(complaint("alphabeta"), HasSubstr("alphabeta:3"));
  for (const char* text : {"alphabeta:", "alphabeta:x", "alphabeta:0", "alphabeta:9", "alphabeta:3:3"}) {
    EXPECT_THAT(complaint(text), HasSubstr("from 1 to 8")) << text;
  }
  EXPECT_THAT(complaint("mcts:-1"), HasSubstr("visits"));
  EXPECT_THAT(complaint("solver:much"), HasSubstr("MiB of memory"));
  EXPECT_THAT(complaint("/nonexistent/model.koridor"), HasSubstr("/nonexistent/model.koridor"));
}

TEST(Players, TheHelpNamesEveryKind) {
  for (const PlayerKind& kind : player_kinds()) {
    EXPECT_THAT(players_help(), HasSubstr("\n  " + kind.usage)) << kind.word;
    EXPECT_FALSE(kind.help.empty());
    // What is offered where a text is misspelt is a player itself.
    if (!kind.example.empty()) {
      EXPECT_EQ(complaint(kind.example), "no error");
    }
  }
}

}  // namespace
}  // namespace koridor
