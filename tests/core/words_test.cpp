// What is said about actions, in random games of every kind: an objection to each illegal action and to no other, texts
// as people type them, and help whose examples are legal.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/reading.h"
#include "core/registry.h"
#include "tests/every_game.h"

namespace koridor {
namespace {

constexpr Notation kNotations[] = {Notation::standard, Notation::modern};

// Every registered game by its own rules, and rules and boards that bring out what these do not.
std::vector<std::string> all_games() {
  std::vector<std::string> names{"quoridor:5x5,walls=3",
                                 "quoridor:3x4,walls=2",
                                 "quoridor4:5x5,walls=2,third_pawn_diagonal=false",
                                 "quoridor4:7x7,players=3",
                                 "pinko-pallino:5x5,walls=4,jumps=true,diagonal_step=both",
                                 "blockade:5x7,walls=3",
                                 "blockade:4x4,walls=2,win_pawns=2",
                                 "blockade:7x7,wall_after_move=false,step=orthogonal,jumps=true",
                                 "go:5x5,leaflet-strict",
                                 "go:3x3,chinese",
                                 "go:2x2,ko=situational",
                                 "go:4x3,ko=simple"};
  for (const GameInfo& info : registered_games()) names.push_back(info.variant);
  return names;
}

class Words : public testing::TestWithParam<std::string> {
 protected:
  // Calls check(game, position) at the positions of random games, at most at so many.
  template <class Check>
  void at_positions(int most, const Check& check) {
    std::visit(
        [&](const auto& game) {
          Position position(game);
          for (int seen = 0; seen < most && !HasFailure(); ++seen) {
            check(game, position);
            ActionMask legal;
            game.legal_actions(position.state, position.history, legal);
            position.apply(game, legal.nth(random_.below(legal.count())));
            if (game.outcome(position.state, position.history).over()) position = Position(game);
          }
        },
        game_);
  }

  const AnyGame game_ = parse_game(GetParam());
  Random random_{5};
};

template <Game G>
ActionMask legal_of(const G& game, const Position<G>& position) {
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  return legal;
}

TEST_P(Words, ThereIsAnObjectionToEachIllegalActionAndToNoOther) {
  at_positions(60, [&]<Game G>(const G& game, const Position<G>& position) {
    const ActionMask legal = legal_of(game, position);
    for (int i = 0; i < game.num_actions(); ++i) {
      const Action action{static_cast<std::uint16_t>(i)};
      const auto objection = objection_to(game, position.state, position.history, action);
      ASSERT_EQ(objection.has_value(), !legal.test(action)) << game.print_action(position.state, action);
      if (!objection) continue;
      EXPECT_FALSE(objection->kind == Objection::Kind::game_over || objection->kind == Objection::Kind::unreadable)
          << objection->message;
      if constexpr (requires { game.objection(position.state, position.history, action, Notation::standard); }) {
        EXPECT_NE(objection->kind, Objection::Kind::illegal) << objection->message;
      }
      EXPECT_EQ(objection->kind == Objection::Kind::cuts_off, !objection->players.empty());
      ASSERT_FALSE(objection->message.empty());
      EXPECT_NE(objection->message.back(), '.');
      EXPECT_TRUE(std::ranges::all_of(objection->message, [](char c) { return c >= ' ' && c <= '~'; }));
      EXPECT_LE(objection->message.size(), 120u) << objection->message;
    }
    const auto none = objection_to(game, position.state, position.history, kNoAction);
    ASSERT_TRUE(none.has_value());
    EXPECT_EQ(none->kind, Objection::Kind::unreadable);
  });
}

// The text of an illegal action is refused for the same reason, and what is proposed instead is legal.
TEST_P(Words, TextsOfIllegalActionsAreRefusedForTheSameReason) {
  at_positions(25, [&]<Game G>(const G& game, const Position<G>& position) {
    const ActionMask legal = legal_of(game, position);
    for (const Notation notation : kNotations) {
      for (int i = 0; i < game.num_actions(); ++i) {
        const Action action{static_cast<std::uint16_t>(i)};
        const std::string text = game.print_action(position.state, action, notation);
        const Reading reading = read_action(game, position.state, position.history, text, notation);
        ASSERT_EQ(reading.action.has_value(), legal.test(action)) << text;
        ASSERT_EQ(reading.action, game.parse_action(position.state, position.history, text, notation));
        if (reading.action) continue;
        const auto objection = objection_to(game, position.state, position.history, action, notation);
        EXPECT_EQ(reading.objection->kind, objection->kind) << text;
        EXPECT_EQ(reading.objection->message, objection->message) << text;
        if (reading.nearest != kNoAction) {
          EXPECT_TRUE(legal.test(reading.nearest)) << text;
        }
      }
    }
  });
}

// The text as people type it: in either case, with spaces around, and with spaces or hyphens between its parts.
std::string as_typed(std::string_view text, Random& random) {
  const auto gap = [&] {
    static const std::vector<std::string> gaps{" ", "  ", "-", " - ", ", ", ""};
    return gaps[static_cast<std::size_t>(random.below(static_cast<int>(gaps.size())))];
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string typed(static_cast<std::size_t>(random.below(3)), ' ');
  if (text == "--") {
    typed += text;
  } else {
    char before = ' ';
    for (const char c : text) {
      if (c == '-') continue;
      if (before != ' ' && is_digit(before) != is_digit(c)) typed += gap();
      typed += random.chance(0.5) ? static_cast<char>(std::toupper(c)) : static_cast<char>(std::tolower(c));
      before = c;
    }
  }
  return typed + std::string(static_cast<std::size_t>(random.below(3)), ' ');
}

TEST_P(Words, LegalActionsAreReadAsPeopleTypeThem) {
  at_positions(25, [&]<Game G>(const G& game, const Position<G>& position) {
    const ActionMask legal = legal_of(game, position);
    if constexpr (!requires { game.interpret(position.state, "", Notation::standard); }) return;
    for (const Notation notation : kNotations) {
      legal.for_each([&](Action action) {
        const std::string text = game.print_action(position.state, action, notation);
        ASSERT_EQ(game.parse_action(position.state, position.history, text, notation), action) << text;
        const std::string typed = as_typed(text, random_);
        const Reading reading = read_action(game, position.state, position.history, typed, notation);
        ASSERT_EQ(reading.action, action) << text << " typed as \"" << typed << "\"";
        ASSERT_FALSE(reading.objection.has_value());
        ASSERT_EQ(game.parse_action(position.state, position.history, text + "x", notation), std::nullopt) << text;
      });
    }
  });
}

// Whatever is typed is read as a legal action or refused with a reason that can be printed.
TEST_P(Words, AnythingCanBeTyped) {
  static constexpr std::string_view kCharacters = "abcdefghiklmnhvhv0123456789123 --, \t\033\n\"xXHV\xff";
  at_positions(15, [&]<Game G>(const G& game, const Position<G>& position) {
    const ActionMask legal = legal_of(game, position);
    for (int trial = 0; trial < 60; ++trial) {
      std::string text(static_cast<std::size_t>(random_.below(trial == 0 ? 5000 : 8)), ' ');
      for (char& c : text)
        c = kCharacters[static_cast<std::size_t>(random_.below(static_cast<int>(kCharacters.size())))];
      for (const Notation notation : kNotations) {
        const Reading reading = read_action(game, position.state, position.history, text, notation);
        ASSERT_NE(reading.action.has_value(), reading.objection.has_value()) << text;
        if (reading.action) {
          ASSERT_TRUE(legal.test(*reading.action));
          continue;
        }
        ASSERT_TRUE(reading.nearest == kNoAction || legal.test(reading.nearest)) << text;
        ASSERT_TRUE(std::ranges::all_of(reading.objection->message, [](char c) { return c >= ' ' && c <= '~'; }));
        ASSERT_LE(reading.objection->message.size(), 200u);
      }
    }
  });
}

// What kind of action a text shows: Go's stones and passes; walls by their last letter; a pawn's move.
std::string kind_of(const std::string& text) {
  if (text == "pass" || text == "--") return "pass";
  return text.back() == 'h' || text.back() == 'v' ? std::string(1, text.back()) : "square";
}

TEST_P(Words, HelpShowsEveryKindOfActionByOneThatIsLegal) {
  at_positions(60, [&]<Game G>(const G& game, const Position<G>& position) {
    const ActionMask legal = legal_of(game, position);
    for (const Notation notation : kNotations) {
      std::set<std::string> kinds, shown;
      legal.for_each(
          [&](Action action) { kinds.insert(kind_of(game.print_action(position.state, action, notation))); });
      const ActionHelp help = help_for(game, position.state, position.history, notation);
      for (const Example& example : help.examples) {
        EXPECT_TRUE(legal.test(example.action));
        EXPECT_EQ(game.parse_action(position.state, position.history, example.text, notation), example.action);
        EXPECT_FALSE(example.meaning.empty());
        shown.insert(kind_of(example.text));
      }
      EXPECT_EQ(shown, kinds);
      std::istringstream lines(help_text(help));
      std::size_t beginning_with_examples = 0;
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80u) << line;
        EXPECT_NE(line.find_last_not_of(' '), std::string::npos);
        for (const Example& example : help.examples) {
          beginning_with_examples += line.starts_with("  " + example.text + "  ") ? 1 : 0;
        }
      }
      EXPECT_EQ(beginning_with_examples, help.examples.size());
    }
  });
}

TEST_P(Words, NothingIsPlayedWhenTheGameIsOver) {
  std::visit(
      [&]<Game G>(const G& game) {
        Position position(game);
        Action last = kNoAction;
        while (!game.outcome(position.state, position.history).over()) {
          const ActionMask legal = legal_of(game, position);
          last = legal.nth(random_.below(legal.count()));
          position.apply(game, last);
        }
        const auto objection = objection_to(game, position.state, position.history, last);
        ASSERT_TRUE(objection.has_value());
        EXPECT_EQ(objection->kind, Objection::Kind::game_over);
        const Reading reading = read_action(game, position.state, position.history, "e3h");
        ASSERT_TRUE(reading.objection.has_value());
        EXPECT_EQ(reading.objection->kind, Objection::Kind::game_over);
        EXPECT_TRUE(help_for(game, position.state, position.history).examples.empty());
      },
      game_);
}

INSTANTIATE_TEST_SUITE_P(AllGames, Words, testing::ValuesIn(all_games()), test::letters_of);

TEST(HelpText, WrapsAtEightyColumns) {
  const std::string meaning(70, 'm');
  EXPECT_EQ(help_text({.examples = {{Action{0}, "e8", "move"}}, .notes = {}}), "  e8        move\n");
  const std::string text =
      help_text({.examples = {{Action{0}, "d11-d9", "one " + meaning}}, .notes = {meaning, "two."}});
  EXPECT_EQ(text, "  d11-d9    one\n" + std::string(12, ' ') + meaning.substr(0, 70) + "\n  " + meaning + " two.\n");
}

TEST(Parts, SpacesHyphensAndCaseMakeNoDifference) {
  const auto parts = parts_of(" E3 -  h\t");
  ASSERT_TRUE(parts.has_value());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].word, "e");
  EXPECT_EQ((*parts)[1].number, 3);
  EXPECT_EQ((*parts)[2].word, "h");
  EXPECT_EQ(parts_of("e3!"), std::nullopt);
  EXPECT_EQ(parts_of("99999999999999999999")->front().number, 9999);
  EXPECT_TRUE(parts_of("--")->empty());
}

TEST(InQuotes, IsShortAndPlain) {
  EXPECT_EQ(in_quotes("e3"), "\"e3\"");
  EXPECT_EQ(in_quotes("\033[2J\x9b"), "\"?[2J?\"");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')).size(), 35u);
}

}  // namespace
}  // namespace koridor
