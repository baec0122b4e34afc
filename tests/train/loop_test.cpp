// The loop with programs that do at once what the test wants, in place of the trainer and of self-play.
#include "train/run/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/figure_lines.h"
#include "train/run/open_run.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Ends a loop that would go on for ever.
class Limit {
 public:
  explicit Limit(std::chrono::seconds limit)
      : thread_([this, limit](const std::stop_token& over) {
          const auto end = std::chrono::steady_clock::now() + limit;
          while (!over.stop_requested() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
          if (!over.stop_requested()) stop = true;
        }) {}

  std::atomic<bool> stop{false};

 private:
  std::jthread thread_;
};

class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    // The matches were played before: no player is needed.
    for (int generation = 0; generation <= 2; ++generation) {
      const nlohmann::json match = {{"a", RunDirectory::label(generation)},
                                    {"b", "random"},
                                    {"game", "quoridor:3x3,walls=1"},
                                    {"players", 2},
                                    {"wins", 3},
                                    {"draws", 0},
                                    {"losses", 1}};
      write_json(run_.rating(generation), {{"generation", generation}, {"matches", {match}}});
    }
    program("koridor", "echo played > shards/gen-000$6/complete");
  }

  void program(const std::string& name, const std::string& commands) {
    const fs::path path = folder_.path() / "programs" / name;
    write_file_atomically(path, "#!/bin/sh\ncat > /dev/null\ncd " + run_.root().string() +
                                    "\nmkdir -p models shards/gen-0000 shards/gen-0001\n" + commands + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }

  // What the loop prints, and the line that it fails with.
  std::string train(int generations, const std::vector<std::string>& more = {}) {
    Limit limit(std::chrono::seconds(20));
    std::vector<std::string> settings = {"run.game=\"quoridor:3x3,walls=1\"", "rating.baselines=[\"random\"]",
                                         "rating.games=2", "run.generations=" + std::to_string(generations)};
    settings.insert(settings.end(), more.begin(), more.end());
    testing::internal::CaptureStdout();
    std::string failure;
    try {
      run_loop(parse_config("", "test", settings),
               {.run = run_.root(),
                .programs = folder_.path() / "programs",
                .command = "again",
                .settings = more,
                .trainers = trainers_},
               limit.stop);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    EXPECT_FALSE(limit.stop) << "it did not end";
    return testing::internal::GetCapturedStdout() + failure;
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "run"};
  int trainers_ = 1;
};

TEST_F(LoopTest, AMissingModelIsRefusedByName) {
  program("koridor-trainer", "touch models/gen-0000.koridor models/gen-0002.koridor");
  EXPECT_THAT(train(2), AllOf(HasSubstr("models/gen-0001.koridor: this model is missing"), HasSubstr("gen-0000 ")))
      << "made while the loop waits";
  program("koridor-trainer", "sleep 30");
  EXPECT_THAT(train(2), AllOf(HasSubstr("models/gen-0001.koridor: this model is missing"), Not(HasSubstr("learns"))))
      << "before anything is done";
  fs::rename(run_.model(2), run_.root() / "models" / "gen-2.koridor");
  EXPECT_EQ(run_.missing_model(), std::nullopt) << "a name that the run does not give";
}

// A model was made of the games of the generation before, whether they are still there or not.
TEST_F(LoopTest, GamesThatWereLearnedFromAreNotPlayedAgain) {
  program("koridor-trainer",
          "while [ ! -e shards/gen-0001/complete ]; do sleep 0.02; done\n: > models/gen-0002.koridor");
  const auto model = test::tiny_model(parse_game("quoridor:3x3,walls=1"));
  save_model(run_.model(0).string(), *model);
  save_model(run_.model(1).string(), *model);
  EXPECT_THAT(train(2), HasSubstr("\ngen-0002 "));
  EXPECT_TRUE(fs::exists(run_.complete(1)));
  EXPECT_FALSE(fs::exists(run_.complete(0)));
}

// What the loop looks at while matches are played may not be readable any more.
TEST_F(LoopTest, AFaultWhileMatchesArePlayedIsOneLine) {
  fs::remove(run_.rating(0));
  save_model((run_.root() / "tiny.koridor").string(), *test::tiny_model(parse_game("quoridor:3x3,walls=1")));
  program("koridor-trainer",
          "mv tiny.koridor models/gen-0000.koridor\n"
          "until grep -q '\"phase\": \"rate\"' leader.json; do sleep 0.05; done\nsleep 0.5\nmv models elsewhere\nln -s "
          "models models");
  EXPECT_THAT(train(1, {"rating.games=200000"}), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(LoopTest, WarningsOfAChildThatEndsAtOnceAreShown) {
  program("koridor", "echo koridor: warning: a shard was moved aside\n: > shards/gen-0000/complete");
  program("koridor-trainer",
          ": > models/gen-0000.koridor\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          "echo koridor-trainer: a shard was skipped\n: > models/gen-0001.koridor");
  const std::string text = train(1);
  EXPECT_THAT(text, AllOf(HasSubstr("\nkoridor: warning: a shard was moved aside\n"),
                          HasSubstr("\nkoridor-trainer: a shard was skipped\n"), HasSubstr("\ngen-0001 ")));
}

TEST_F(LoopTest, SeveralTrainersAreToldTheirPlacesAndEndTheRunTogether) {
  trainers_ = 2;
  program("koridor", ": > shards/gen-0000/complete");
  const std::string trainer = R"([ -z "$RANK" ] && exit
echo "$RANK of $WORLD_SIZE, $LOCAL_RANK at $MASTER_ADDR" > place-$RANK
echo "$MASTER_PORT" > port-$RANK
[ "$RANK" = 0 ] && : > models/gen-0000.koridor
while [ ! -e shards/gen-0000/complete ] || [ ! -e port-1 ]; do sleep 0.02; done
)";
  program("koridor-trainer", trainer + "echo koridor-trainer $RANK: lost; exit $((RANK + 2))");
  EXPECT_THAT(train(1), ContainsRegex("the trainer ended with status [23]: koridor-trainer "));
  EXPECT_EQ(read_file(run_.root() / "place-0"), "0 of 2, 0 at 127.0.0.1\n");
  EXPECT_EQ(read_file(run_.root() / "place-1"), "1 of 2, 1 at 127.0.0.1\n");
  EXPECT_EQ(read_file(run_.root() / "port-0"), read_file(run_.root() / "port-1"));
  EXPECT_NE(read_file(run_.root() / "port-0"), "\n");
  program("koridor-trainer", trainer + "[ $RANK = 1 ] || : > models/gen-0001.koridor");
  EXPECT_THAT(train(1), HasSubstr("\ngen-0001 "));
}

TEST_F(LoopTest, OneTrainerIsAloneWhateverTheLoopsOwnPlace) {
  ::setenv("WORLD_SIZE", "4", 1);
  program("koridor", ": > shards/gen-0000/complete");
  program("koridor-trainer", R"([ -z "$RANK" ] && exit
echo $RANK of $WORLD_SIZE > place
: > models/gen-0000.koridor
: > models/gen-0001.koridor)");
  train(1);
  ::unsetenv("WORLD_SIZE");
  EXPECT_EQ(read_file(run_.root() / "place"), "0 of 1\n");
}

TEST_F(LoopTest, ATrainerThatFailsEndsThoseThatWaitForIt) {
  trainers_ = 2;
  program("koridor-trainer", R"([ -z "$RANK" ] && exit
[ "$RANK" = 1 ] && exit 3
exec sleep 30)");
  EXPECT_THAT(train(1), HasSubstr("the trainer ended with status 3"));
}

TEST_F(LoopTest, OthersMayTrain) {
  trainers_ = 0;
  program("koridor", ": > shards/gen-0000/complete; (sleep 0.2; : > models/gen-0001.koridor) &");
  program("koridor-trainer", ": > started");
  const std::jthread other([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    write_file_atomically(run_.model(0), "");
  });
  EXPECT_THAT(train(1), HasSubstr("\ngen-0001 "));
  EXPECT_FALSE(fs::exists(run_.root() / "started"));
  EXPECT_TRUE(fs::exists(run_.workers())) << "workers of a run before would wait for it";
}

// So that workers see that a finished run is about to go on.
TEST_F(LoopTest, ARunThatIsThereIsLockedBeforeTheChecks) {
  program("koridor-trainer", R"([ "$1" = --check ] || exit 3
grep -q "POSIX .*:$(stat -c %i lock) " /proc/locks && : > locked
exit 4)");
  train(1, {"training.device=cuda"});
  EXPECT_FALSE(fs::exists(run_.lock())) << "nothing is written before the checks of a run that is not there";
  write_file_atomically(run_.lock(), "");
  train(1, {"training.device=cuda"});
  EXPECT_TRUE(fs::exists(run_.root() / "locked"));
}

TEST_F(LoopTest, NothingStandsBetweenTheLinesOfGenerations) {
  program("koridor", R"(echo '{"generation": 0, "choice": "1 thread x 8 slots; tried"}' > status/selfplay.json
sleep 0.3
: > shards/gen-0000/complete)");
  program("koridor-trainer",
          "mkdir -p status; : > models/gen-0000.koridor\n"
          "while [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          ": > models/gen-0001.koridor");
  const std::string text = train(1);
  const std::size_t header = text.find("  time    loss");
  ASSERT_NE(header, std::string::npos) << text;
  const std::size_t first = text.find("\ngen-0000 ", header);
  EXPECT_EQ(first, text.find('\n', header)) << text;
  EXPECT_EQ(text.find("\ngen-0001 "), text.find('\n', first + 1)) << text;
}

// The first generation whose cost reaches run.max_cost is the last, also after a stop, and as the last it is rated.
TEST_F(LoopTest, ARunEndsWhenItsCostIsSpent) {
  // A training sample on this board is worth far more than a microsecond of the reference core.
  const auto metrics = [&](int generation, int batch) {
    write_json(run_.metrics(generation),
               {{"generation", generation},
                {"steps", 1000},
                {"batch", batch},
                {"selfplay", {{"games", 1}, {"positions", 10}, {"evaluations", 0}, {"simulations", 0}}}});
  };
  metrics(1, 1);
  metrics(2, 1000000);
  fs::remove(run_.rating(1));
  fs::remove(run_.rating(2));
  const std::string model = (folder_.path() / "model.koridor").string();
  test::write_tiny_model(model, 1);
  program("koridor-trainer",
          ": > models/gen-0000.koridor\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          "cp " +
              model +
              " models/1.tmp; mv models/1.tmp models/gen-0001.koridor\n"
              "while [ ! -e shards/gen-0001/complete ]; do sleep 0.02; done\ncp " +
              model + " models/2.tmp; mv models/2.tmp models/gen-0002.koridor\nexec sleep 30");
  const std::string text = train(100, {"run.max_cost=1000", "rating.every=5", "rating.visits=2", "rating.previous=0"});
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("\ngen-0002 "), Not(HasSubstr("gen-0003")),
          HasSubstr("run.max_cost was reached (2 of 100 generations).\nTo train on:\n"
                    "  again --set rating.every=5 --set rating.visits=2 --set rating.previous=0 --set run.max_cost=")));
  EXPECT_EQ(run_.models(), 3);
  EXPECT_FALSE(fs::exists(run_.rating(1)));
  EXPECT_TRUE(fs::exists(run_.rating(2)));
  EXPECT_TRUE(read_figure_lines(run_.figures()).lines.back().figures.contains("rating"));
  EXPECT_THAT(train(1, {"rating.visits=2", "run.generations=1", "rating.previous=0"}),
              HasSubstr("run.generations was reached (2 generations).\nTo train on:\n"
                        "  again --set rating.visits=2 --set rating.previous=0 --set run.generations=4\n"))
      << "twice the limit is no more than it has";
  EXPECT_THAT(
      train(2, {"run.max_cost=1000", "rating.visits=2", "rating.previous=0"}),
      HasSubstr("run.generations was reached (2 of 2 generations).\nTo train on:\n"
                "  again --set rating.visits=2 --set rating.previous=0 --set run.generations=4 --set run.max_cost="))
      << "both limits are reached";
}

// It plays no games.
TEST_F(LoopTest, AGenerationThatIsTheLastByItsCostIsNotAskedForEntry) {
  program("koridor-trainer",
          ": > models/gen-0000.koridor\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          ": > models/gen-0001.koridor\nexec sleep 30");
  write_json(run_.metrics(1),
             {{"generation", 1},
              {"steps", 1000},
              {"batch", 1000000},
              {"selfplay", {{"games", 1}, {"positions", 10}, {"evaluations", 0}, {"simulations", 0}}}});
  EXPECT_THAT(train(100, {"run.max_cost=1000", "rating.gate=elo0=0,elo1=100"}), HasSubstr("Trained for"));
  EXPECT_FALSE(fs::exists(run_.gate(1)));
}

// Else a start that finds games would have played them in no time.
TEST_F(LoopTest, ASpeedIsThatOfGamesThatWerePlayedWithoutAStop) {
  struct Case {
    bool begun;
    int positions;
    bool known;
  };
  for (const auto& [begun, positions, known] :
       {Case{false, 100, true}, Case{true, 100, false}, Case{false, 0, false}}) {
    program("koridor", "echo '{\"generation\": 0, \"positions\": " + std::to_string(positions) +
                           ", \"positions_per_second\": 50}' > status/selfplay.json\n: > shards/gen-0000/complete");
    program("koridor-trainer", std::string(begun ? "" : "rmdir shards/gen-0000\n") +
                                   "mkdir -p status; : > models/gen-0000.koridor\n"
                                   "while [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
                                   ": > models/gen-0001.koridor");
    const std::string text = train(1);
    const FigureLines figures = read_figure_lines(run_.figures());
    ASSERT_EQ(figures.lines.size(), 2u) << text;
    EXPECT_EQ(object_in(figures.lines.back().figures, "selfplay").contains("positions_per_second"), known)
        << begun << " " << positions;
    for (const char* folder : {"models", "shards", "events", "figures.jsonl"}) fs::remove_all(run_.root() / folder);
  }
}

TEST_F(LoopTest, AnotherSearchThanGenerationsWereRatedWithIsSaid) {
  program("koridor-trainer", "exit 0");
  fs::create_directories(run_.model(0).parent_path());
  for (int generation = 0; generation <= 1; ++generation) test::write_tiny_model(run_.model(generation).string(), 1);
  EXPECT_THAT(train(1), Not(HasSubstr("was rated with"))) << "files of older builds do not say";
  nlohmann::json rating = read_json(run_.rating(0));
  rating.erase("checksum");
  rating["visits"] = 7;
  write_json(run_.rating(0), rating);
  EXPECT_THAT(train(1, {"rating.visits=8"}), HasSubstr("\nrating.visits = 8, and gen-0000 was rated with 7"));
}

TEST_F(LoopTest, ACostThatIsNotKnownEndsTheRunWithALine) {
  program("koridor-trainer",
          ": > models/gen-0000.koridor\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          ": > models/gen-0001.koridor\nexec sleep 30");
  write_json(run_.metrics(1), {{"generation", 1}, {"selfplay", {{"games", 1}}}});
  EXPECT_THAT(train(100, {"run.max_cost=1000"}), HasSubstr("gen-0001.json: the cost of generation 1 is not known"));
}

// At once: one worker plays all generations beside the trainer.
TEST_F(LoopTest, AContinuousRunStartsSelfPlayOnce) {
  program("koridor", "echo started >> starts\n: > shards/gen-0000/complete\nsleep 0.1\n: > shards/gen-0001/complete");
  program("koridor-trainer",
          "echo $OMP_WAIT_POLICY > policy\n"
          ": > models/gen-0000.koridor\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n"
          ": > models/gen-0001.koridor\nwhile [ ! -e shards/gen-0001/complete ]; do sleep 0.02; done\n"
          ": > models/gen-0002.koridor");
  EXPECT_THAT(train(2, {"run.mode=continuous"}),
              AllOf(HasSubstr("\ngen-0000 "), HasSubstr("\ngen-0001 "), HasSubstr("\ngen-0002 ")));
  EXPECT_EQ(read_file(run_.root() / "starts"), "started\n");
  EXPECT_EQ(read_file(run_.root() / "policy"), "passive\n") << "threads that spin would take the cores from self-play";
}

TEST_F(LoopTest, AContinuousRunEndsWithTheLineOfItsWorker) {
  program("koridor", "echo koridor: the disk is full; exit 3");
  program("koridor-trainer", ": > models/gen-0000.koridor\nexec sleep 30");
  EXPECT_THAT(train(2, {"run.mode=continuous"}), HasSubstr("self-play ended with status 3: koridor: the disk is full"));
  program("koridor", ": > shards/gen-0001/complete");
  EXPECT_THAT(train(2, {"run.mode=continuous"}), HasSubstr("self-play ended with status 0"))
      << "the generation before its last one is not complete";
}

// Its directory is not made anew, in which another run's figures would stand once it is back.
TEST_F(LoopTest, ADirectoryThatVanishesIsSaidAndNotMadeAnew) {
  const std::string away = (folder_.path() / "away").string();
  for (const char* mode : {"step", "continuous"}) {
    program("koridor", "while [ -e models ]; do sleep 0.02; done; cd /; exit 2");
    program("koridor-trainer", ": > models/gen-0000.koridor\nsleep 0.3; cd /; mv " + run_.root().string() + " " + away +
                                   "; exec sleep 30");
    EXPECT_THAT(train(2, {std::string("run.mode=") + mode}), HasSubstr("has vanished: config.toml is not there"))
        << mode;
    EXPECT_FALSE(fs::exists(run_.root())) << mode;
    fs::remove_all(run_.root());
    fs::rename(away, run_.root());
    fs::remove_all(run_.model(0).parent_path());
    fs::remove(run_.config());
  }
}

// The trainer publishes a last model while it is told to end.
TEST_F(LoopTest, AContinuousRunThatTimeEndsShowsItsNewestModel) {
  program("koridor", "while :; do sleep 0.02; done");
  program("koridor-trainer",
          "trap ': > models/gen-0002.koridor; exit 0' TERM\n: > models/gen-0000.koridor\n: > models/gen-0001.koridor\n"
          "while :; do sleep 0.02; done");
  const std::string text = train(50, {"run.mode=continuous", "run.max_minutes=0.0001"});
  EXPECT_THAT(text, AllOf(HasSubstr("\ngen-0001 "), HasSubstr("\ngen-0002 "), HasSubstr("Trained for"),
                          HasSubstr("\n  again --set run.mode=continuous --set run.max_minutes=1\n")));
}

// Once the time is over the trainer takes no more games, and waits until it is told to end.
TEST_F(LoopTest, AContinuousRunAwaitsNoModelThatTheTrainerBeginsNoMore) {
  program("koridor", "while :; do sleep 0.02; done");
  program("koridor-trainer",
          "mkdir -p status; echo '{\"generation\": 1, \"time_over\": true}' > status/trainer.json\n"
          ": > models/gen-0000.koridor\nexec sleep 30");
  const std::string text = train(50, {"run.mode=continuous", "run.max_minutes=0.02"});
  EXPECT_THAT(text, AllOf(HasSubstr("\ngen-0000 "), Not(HasSubstr("\ngen-0001 ")), HasSubstr("Trained for")));
}

// The loop was stopped while its ratings were behind the models: their lines are still to come.
TEST_F(LoopTest, AContinuousRunShowsTheLinesThatItStillOwes) {
  fs::create_directories(run_.model(0).parent_path());
  for (int generation = 0; generation <= 2; ++generation) test::write_tiny_model(run_.model(generation).string(), 1);
  program("koridor-trainer", "exit 0");
  const std::string text = train(2, {"run.mode=continuous"});
  EXPECT_THAT(text, AllOf(HasSubstr("Columns: "), HasSubstr("\ngen-0001     0:0"), HasSubstr("\ngen-0002     0:0")));
  for (const FigureLine& line : read_figure_lines(run_.figures()).lines) EXPECT_TRUE(line.figures.contains("seconds"));
  EXPECT_THAT(train(2, {"run.mode=continuous"}), Not(HasSubstr("Columns: "))) << "once";
}

// The lines of generations before it need the table, which is not there before its matches are played again.
TEST_F(LoopTest, ADamagedRatingThatComesLaterEndsNothing) {
  fs::create_directories(run_.model(0).parent_path());
  for (int generation = 0; generation <= 2; ++generation) test::write_tiny_model(run_.model(generation).string(), 1);
  for (int generation = 1; generation <= 2; ++generation) write_file_atomically(run_.rating(generation), "{");
  program("koridor-trainer", "exit 0");
  EXPECT_THAT(train(2, {"run.mode=continuous", "rating.visits=2", "rating.previous=0"}),
              AllOf(HasSubstr("\ngen-0002 "), HasSubstr("Trained for")));
  for (const FigureLine& line : read_figure_lines(run_.figures()).lines) EXPECT_TRUE(line.figures.contains("rating"));
}

// A run that has ended is no failure, whatever is wrong with what a longer one has left.
TEST_F(LoopTest, ADamagedRatingBeyondTheLastGenerationIsNamed) {
  fs::create_directories(run_.model(0).parent_path());
  for (int generation = 0; generation <= 2; ++generation) test::write_tiny_model(run_.model(generation).string(), 1);
  write_file_atomically(run_.rating(2), "{");
  program("koridor-trainer", "exit 0");
  EXPECT_THAT(train(1), AllOf(HasSubstr("gen-0002.json:"), HasSubstr("`koridor"), HasSubstr("Trained for")));
}

// Generations may be complete out of order where the loop runs at once.
TEST_F(LoopTest, AllGamesThatWereNotLearnedFromAreLookedThroughAgain) {
  fs::create_directories(run_.shards(0));
  write_file_atomically(run_.complete(1), "");
  open_run(run_, parse_config("", "test"));
  EXPECT_FALSE(fs::exists(run_.complete(1)));
}

// A generation that is no better than the one before it is not let through; the last one plays no games and is not
// asked.
TEST_F(LoopTest, AGateKeepsAGenerationFromSelfPlay) {
  const std::string model = (folder_.path() / "model.koridor").string();
  test::write_tiny_model(model, 1);
  program("koridor-trainer",
          "copy() { cp " + model + " models/$1.tmp; mv models/$1.tmp models/$1.koridor; }\n" +
              "copy gen-0000\nwhile [ ! -e shards/gen-0000/complete ]; do sleep 0.02; done\n" +
              "copy gen-0001\nwhile [ ! -e shards/gen-0001/complete ]; do sleep 0.02; done\ncopy gen-0002");
  const std::string text = train(2, {"rating.gate=elo0=0,elo1=100"});
  EXPECT_THAT(text, HasSubstr("\ngen-0001 is kept from self-play, which gen-0000 goes on playing"));
  EXPECT_TRUE(fs::exists(run_.gate(1)));
  EXPECT_FALSE(fs::exists(run_.gate(2)));
}

}  // namespace
}  // namespace koridor
