// Pictures of every game: what a page draws and offers is what the rules say.
#include "selfplay/session/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/every_game.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using nlohmann::json;

json picture_of(const Session& session, const PictureOptions& options = {}) {
  return json::parse(picture(session, options));
}

Action random_action(const Session& session, Random& random) {
  const std::vector<Action> legal = session.legal();
  return legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))];
}

std::set<int> numbers(const json& actions) {
  std::set<int> result;
  for (const json& action : actions) result.insert(action["action"].get<int>());
  return result;
}

class Pictures : public testing::TestWithParam<std::string> {
 protected:
  AnyGame game_ = parse_game(GetParam());
  Session session_{game_};
  Random random_{5};
};

TEST_P(Pictures, HaveTheLegalActionsAndTheReasonsOfTheOthers) {
  for (int ply = 0; ply < 40 && !session_.outcome().over(); ++ply) {
    const json seen = picture_of(session_);
    std::set<int> legal;
    for (const Action action : session_.legal()) legal.insert(index(action));
    ASSERT_EQ(numbers(seen["legal"]), legal);
    for (const json& action : seen["legal"]) {
      EXPECT_EQ(action["text"], session_.text(Action{action["action"].get<std::uint16_t>()}));
    }
    for (const json& refused : seen["illegal"]) {
      const auto refusal = session_.play(Action{refused["action"].get<std::uint16_t>()});
      ASSERT_TRUE(refusal.has_value()) << refused;
      EXPECT_EQ(refused["message"], refusal->message);
      EXPECT_FALSE(refused["message"].get<std::string>().empty());
    }
    ASSERT_FALSE(session_.play(random_action(session_, random_)).has_value());
  }
}

// Each action's place tells it from all others: a page finds the action by where a person points.
TEST_P(Pictures, GiveEveryActionAPlaceOfItsOwn) {
  const json seen = picture_of(session_);
  std::set<std::string> places;
  for (const char* list : {"legal", "illegal"}) {
    for (const json& action : seen[list]) {
      const json place{action["kind"], action.value("at", json()), action.value("from", json())};
      EXPECT_TRUE(places.insert(place.dump()).second) << action;
      if (!action.contains("at")) continue;
      EXPECT_LT(action["at"][0].get<int>(), seen["board"]["rows"].get<int>());
      EXPECT_LT(action["at"][1].get<int>(), seen["board"]["columns"].get<int>());
    }
  }
}

// A whole game drawn from its moves alone: the shapes follow from what was played.
TEST_P(Pictures, FollowAGameToItsEnd) {
  constexpr PictureOptions kShort{.reasons = false};
  constexpr int kLongest = 400;  // plies; the games on small boards are over by then
  json before = picture_of(session_, kShort);
  EXPECT_TRUE(before["last"].is_null());
  while (!session_.outcome().over() && session_.ply() < kLongest) {
    const Action action = random_action(session_, random_);
    const json& legal = before["legal"];
    const json played =
        *std::find_if(legal.begin(), legal.end(), [&](const json& one) { return one["action"] == index(action); });
    ASSERT_FALSE(session_.play(action).has_value());
    const json now = picture_of(session_, kShort);
    json last = now["last"];
    EXPECT_EQ(last["seat"], before["mover"]);
    last.erase("seat");
    EXPECT_EQ(last, played);
    EXPECT_EQ(now["ply"], session_.ply());
    EXPECT_EQ(now["moves"].size(), session_.moves().size());
    const auto holds = [&](const char* list) {
      return std::ranges::any_of(
          now[list], [&](const json& one) { return one["at"] == played["at"] && one["seat"] == before["mover"]; });
    };
    if (played["kind"] == "pawn") {
      EXPECT_TRUE(holds("pawns"));
    } else if (played["kind"] == "horizontal" || played["kind"] == "vertical") {
      EXPECT_TRUE(holds("walls"));
    } else if (played["kind"] == "stone" && !holds("stones")) {  // suicide
      EXPECT_LE(now["stones"].size(), before["stones"].size());
    }
    before = now;
  }
  if (!session_.outcome().over()) return;
  EXPECT_TRUE(before["mover"].is_null());
  EXPECT_FALSE(before.contains("legal"));
  const Outcome outcome = session_.outcome();
  EXPECT_EQ(before["outcome"]["winner"], outcome.kind == Outcome::Kind::win ? json(outcome.winner) : json());
  EXPECT_EQ(before["outcome"]["values"].size(), static_cast<std::size_t>(session_.players()));
}

TEST_P(Pictures, ShowAPositionThatWasReturnedToWithTheMovesBehindIt) {
  for (int ply = 0; ply < 6 && !session_.outcome().over(); ++ply) {
    ASSERT_FALSE(session_.play(random_action(session_, random_)).has_value());
  }
  ASSERT_TRUE(session_.go_to(2));
  const json back = picture_of(session_);
  EXPECT_EQ(back["ply"], 2);
  EXPECT_EQ(back["moves"].size(), session_.moves().size());
  EXPECT_EQ(back["last"], back["moves"][1]);
  Session again(game_);
  for (const SessionMove& move : session_.moves().first(2)) ASSERT_FALSE(again.play(move.action).has_value());
  const json straight = picture_of(again);
  for (const auto& [key, value] : straight.items()) {
    if (key == "moves") continue;
    EXPECT_EQ(back[key], value) << key;
  }
}

TEST_P(Pictures, HaveWhatASearchSaysWithThePlacesOfItsActions) {
  Session thinking(game_, {.thinker = {.model = test::tiny_model(game_), .name = "test"}});
  const Analysis& analysis = thinking.search({.visits = 8, .lines = 2});
  const json seen = json::parse(analysis_picture(thinking, analysis));
  ASSERT_EQ(seen["candidates"].size(), analysis.candidates.size());
  EXPECT_EQ(seen["candidates"][0]["text"], analysis.best_text);
  EXPECT_TRUE(seen["candidates"][0].contains("kind"));
  ASSERT_EQ(seen["line"].size(), analysis.line.size());
  EXPECT_EQ(seen["line"][0]["action"], index(analysis.best));
  EXPECT_EQ(seen["line"][0]["seat"], thinking.seat_to_move());
  EXPECT_EQ(seen["values"].size(), static_cast<std::size_t>(thinking.players()));
}

// What was found before the notation changed is said in the new one, to the end of each line.
TEST(Picture, OfASearchHasItsLinesInEachNotation) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  Session thinking(game, {.thinker = {.model = test::tiny_model(game), .name = "test"}});
  const Analysis& analysis = thinking.search({.visits = 32, .lines = 2});
  const auto actions = [&] {
    const json seen = json::parse(analysis_picture(thinking, analysis));
    std::vector<int> found;
    for (const json& line : {seen["line"], seen["candidates"][1]["line"]}) {
      for (const json& one : line) found.push_back(one["action"].get<int>());
    }
    return found;
  };
  const std::vector<int> found = actions();
  EXPECT_EQ(found.size(), analysis.actions.size() + analysis.candidates[1].actions.size());
  thinking.set_notation(Notation::modern);
  EXPECT_EQ(actions(), found);
}

INSTANTIATE_TEST_SUITE_P(, Pictures, testing::ValuesIn(test::every_game()), test::letters_of);

TEST(Picture, OfAGameThatIsOverByRepetitionSaysOfNobodyThatHeIsToMove) {
  Session session(parse_game("quoridor:repetition=3"));
  EXPECT_NE(picture(session).find("to move"), std::string::npos);
  for (const char* move : {"e8", "e2", "e9", "e1", "e8", "e2", "e9", "e1"}) ASSERT_FALSE(session.play(move)) << move;
  ASSERT_TRUE(session.outcome().over());
  EXPECT_EQ(picture(session).find("to move"), std::string::npos);
  EXPECT_EQ(session.board(false).find("to move"), std::string::npos);
  EXPECT_EQ(json::parse(picture(session))["outcome"]["reason"], "repetition");
}

TEST(Picture, SaysWhichRuleEndedTheGame) {
  const auto reason = [](const std::string& game, std::initializer_list<const char*> moves) {
    Session session(parse_game(game));
    for (const char* const move : moves) EXPECT_FALSE(session.play(move).has_value()) << move;
    return json::parse(picture(session))["outcome"].value("reason", "");
  };
  EXPECT_EQ(reason("quoridor:3x3,walls=0", {"b2", "a1", "b1"}), "goal");
  EXPECT_EQ(reason("quoridor:max_plies=2", {"e8", "e2"}), "ply_cap");
  EXPECT_EQ(reason("go:5x5", {"pass", "pass"}), "passes");
}

TEST(Picture, OfBlockadeHasBothStocksAndThePhaseOfTheTurn) {
  Session session(parse_game("blockade"));
  json seen = picture_of(session);
  EXPECT_EQ(seen["phase"], "move");
  EXPECT_EQ(seen["stocks"][1], json({{"horizontal", 9}, {"vertical", 9}}));
  EXPECT_EQ(seen["pawns"].size(), 4U);
  ASSERT_FALSE(session.play(session.legal()[0]).has_value());
  seen = picture_of(session);
  EXPECT_EQ(seen["phase"], "wall");
  EXPECT_EQ(seen["mover"], 0);
  EXPECT_EQ(seen["legal"][0]["kind"], "horizontal");
}

TEST(Picture, OfQuoridorNamesTheWallInTheWay) {
  Session session(parse_game("quoridor:5x5,walls=3"));
  for (const char* move : {"c4h", "a1h"}) ASSERT_FALSE(session.play(move).has_value());
  const json seen = picture_of(session);
  EXPECT_EQ(seen["walls"].size(), 2U);
  EXPECT_EQ(seen["stocks"][0]["any"], 2);
  const auto refused = std::ranges::find_if(seen["illegal"], [](const json& one) {
    return one["kind"] == "pawn" && one["at"] == json({3, 2});
  });
  ASSERT_NE(refused, seen["illegal"].end());
  EXPECT_EQ((*refused)["reason"], "wall_between");
  EXPECT_EQ(session.text(Action{(*refused)["wall"].get<std::uint16_t>()}), "c4h");
}

TEST(Picture, OfGoHasPrisonersAndTheKo) {
  Session session(parse_game("go:5x5,rules=japanese"));
  for (const char* move : {"B3", "C3", "C4", "D4", "C2", "D2", "A1", "E3", "D3"}) {
    ASSERT_FALSE(session.play(move).has_value()) << move;
  }
  const json seen = picture_of(session);
  EXPECT_EQ(seen["prisoners"], json({1, 0}));
  EXPECT_EQ(seen["ko"], json({2, 2}));
  EXPECT_EQ(seen["board"]["column_labels"][0], "A");
}

TEST(Picture, OfAGivenPositionNeedsNoSession) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  Session session(game);
  ASSERT_FALSE(session.play("c4").has_value());
  EXPECT_EQ(picture(game, {session.start(), session.moves(), 1}), picture(session));
  const json bare = json::parse(picture(session, {.actions = false, .reasons = false}));
  EXPECT_FALSE(bare.contains("legal"));
  EXPECT_FALSE(bare.contains("illegal"));
}

TEST(Picture, OfARefusalNamesItsReason) {
  Session session(parse_game("quoridor:5x5,walls=3"));
  const json seen = json::parse(refusal_picture(*session.play("c1")));
  EXPECT_EQ(seen["reason"], "occupied");
}

}  // namespace
}  // namespace koridor
