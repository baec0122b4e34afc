// What `koridor status` says of a run: who lives, what each process does and what is stuck.
#include "train/run/run_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/base/identity.h"
#include "core/base/json_file.h"
#include "selfplay/generator/worker_sign.h"
#include "tests/tiny_model.h"
#include "tests/train/led_run.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RunStatusTest : public test::LedRun {};

TEST_F(RunStatusTest, AnyWordsCanBeAFault) {
  WorkerSign sign(run_.workers(), "joined", milliseconds(10000));
  sign.heartbeat().say({{"fault", "cannot write /runs/K\xf6nig"}});
  sign.heartbeat().write();
  EXPECT_THAT(stuck(), Contains(HasSubstr("cannot write /runs/K")));
}

TEST_F(RunStatusTest, TheStatusOfUnreadableLeasesIsOne) {
  write_file_atomically(run_.shards(0) / "leases", "no folder");
  EXPECT_THAT(stuck(), Contains(HasSubstr("leases")));
}

TEST_F(RunStatusTest, WhoLivesAndDoesNotMoveIsNamed) {
  WorkerSign sign(run_.workers(), "joined", milliseconds(10));
  sign.heartbeat().say({{"ranges", 2}, {"seconds_without_a_move", 119.0}});
  EXPECT_THAT(stuck(), IsEmpty());
  sign.heartbeat().say({{"seconds_without_a_move", 200.0}});
  sign.heartbeat().write();
  EXPECT_THAT(stuck(), Contains(testing::AllOf(HasSubstr("has not moved for 3:20"), HasSubstr("2 ranges"))));
}

TEST_F(RunStatusTest, AFinishedRunWithoutALeaderIsNotStuck) {
  fs::remove(run_.leader());
  config_.run.generations = 1;
  save_run_config(run_, config_);
  const auto model = test::tiny_model(games_of(config_)[0]);
  save_model(run_.model(0).string(), *model);
  EXPECT_THAT(stuck(), Contains(HasSubstr("nobody leads the run")));
  save_model(run_.model(1).string(), *model);
  EXPECT_THAT(stuck(), IsEmpty());
}

TEST_F(RunStatusTest, WhoHasEndedDoesNothingAndIsNotSilent) {
  lead("finished");
  RunStatus now = status();
  EXPECT_EQ(now.state, "finished");
  EXPECT_EQ(now.phase, "");
  EXPECT_EQ(now.generation, -1);
  EXPECT_EQ(now.processes.at(0).doing, "");
  EXPECT_EQ(now.processes.at(0).still, std::nullopt);
  lead("stopped");
  now = status();
  EXPECT_EQ(now.phase, "play") << "where the run stands";
  EXPECT_EQ(now.processes.at(0).doing, "");
}

TEST_F(RunStatusTest, SignsOfLifeMakeARunWithoutItsConfiguration) {
  fs::remove(run_.config());
  EXPECT_THAT(stuck(), Contains(HasSubstr("config.toml: missing")));
  fs::remove(run_.leader());
  EXPECT_THROW(stuck(), UserError);
}

// A run whose processes all fell silent at once, as with a machine that vanished.
TEST_F(RunStatusTest, SilenceIsCountedByTheFileSystemsClock) {
  leader_["host"] = "elsewhere";
  write_json(run_.leader(), leader_);
  fs::last_write_time(run_.leader(), fs::last_write_time(run_.leader()) - std::chrono::minutes(10));
  const RunStatus now = status();
  EXPECT_NEAR(now.processes.at(0).still.value_or(0.0), 600, 60);
}

// Also the signs that need not be watched, so that they are of the same time as the files that are read at the end.
TEST_F(RunStatusTest, AllSignsAreReadAgainAfterTheWatch) {
  const ProcessIdentity self = this_process();
  const auto at = [&](int generation) {
    leader_.update({{"host", self.host}, {"machine", self.machine}, {"pid", self.pid}, {"start", self.start}});
    leader_["generation"] = generation;
    write_json(run_.leader(), leader_);
  };
  at(0);
  write_json(run_.workers() / "elsewhere.json", {{"state", "running"}, {"counter", 3}, {"host", "elsewhere"}});
  auto watched = std::async(std::launch::async, [&] { return run_status(run_, milliseconds(1000), stop_); });
  std::this_thread::sleep_for(milliseconds(200));
  at(5);
  EXPECT_EQ(watched.get().generation, 5);
}

TEST_F(RunStatusTest, ARunThatNobodyPlaysIsStuck) {
  leader_.update({{"selfplay", false}});
  write_json(run_.leader(), leader_);
  EXPECT_THAT(stuck(), Contains(HasSubstr("nobody plays the run")));
  const WorkerSign sign(run_.workers(), "joined", milliseconds(10));
  EXPECT_THAT(stuck(), IsEmpty());
}

// Trainers that the loop did not start have signs of life like workers.
TEST_F(RunStatusTest, TrainersThatWereStartedOtherwiseAreShown) {
  leader_.update({{"phase", "train"}, {"generation", 6}, {"trainer", 0}});
  write_json(run_.leader(), leader_);
  EXPECT_THAT(stuck(), Contains(HasSubstr("(--trainers 0), and no koridor-trainer has joined it")));
  const ProcessIdentity self = this_process();
  const auto sign = [&](int rank, std::uint64_t start) {
    write_json(run_.trainer(rank), {{"state", "running"},
                                    {"counter", 3},
                                    {"host", self.host},
                                    {"machine", self.machine},
                                    {"pid", self.pid},
                                    {"start", start},
                                    {"rank", rank},
                                    {"trainers", 2}});
  };
  sign(0, self.start);
  sign(1, self.start);
  const auto doing = [&] {
    std::vector<std::string> words;
    for (const RunProcess& process : status().processes) {
      if (process.process == "trainer") words.push_back(process.state + ", " + process.doing);
    }
    return words;
  };
  EXPECT_THAT(doing(), testing::ElementsAre("living, makes generation 6 (trainer 1 of 2)",
                                            "living, trains along (trainer 2 of 2)"));
  EXPECT_THAT(stuck(), Not(Contains(HasSubstr("trains"))));
  json failed = read_json(run_.trainer(1));
  failed.update({{"state", "failed"}, {"fault", "No space left on device"}});
  write_json(run_.trainer(1), failed);
  EXPECT_EQ(doing().at(1), "failed, (trainer 2 of 2)") << "it does nothing any more";
  EXPECT_THAT(stuck(), Contains(HasSubstr("No space left on device")));
  sign(0, 1);
  sign(1, 1);
  EXPECT_THAT(stuck(), testing::AllOf(Contains(HasSubstr("trainer 2 of 2 (process")),
                                      Contains(HasSubstr("(--trainers 0), and the trainers have ended"))));
}

TEST_F(RunStatusTest, TheDeadAreNamedWithWhatTheyHold) {
  ProcessIdentity self = this_process();
  json dead{{"state", "running"}, {"counter", 3}, {"host", self.host}, {"machine", self.machine},
            {"pid", self.pid},    {"start", 1},   {"doing", "plays"}};
  write_json(run_.workers() / "somebody.json", dead);
  write_file_atomically(run_.shards(0) / "leases" / "000000-000007.0.lease", "somebody\n");
  write_file_atomically(run_.shards(0) / "leases" / "000008-000015.done", "{}\n");
  const RunStatus now = status();
  EXPECT_EQ(now.games, 8);
  EXPECT_EQ(now.processes.at(1).state, "dead") << "another process has this number now";
  EXPECT_THAT(now.stuck, Contains(HasSubstr("is dead and holds 1 range of games: a worker on " + self.host +
                                            " takes them over when no other games are left")));
  // Where the loop runs at once, games of later generations are played as well.
  write_file_atomically(run_.shards(2) / "leases" / "000000-000007.0.lease", "somebody\n");
  EXPECT_THAT(stuck(), Contains(HasSubstr("is dead and holds 1 range of games")));
  leader_["phase"] = "continuous";
  write_json(run_.leader(), leader_);
  EXPECT_THAT(stuck(), Contains(HasSubstr("is dead and holds 2 ranges of games")));
  leader_.update({{"fault", "No space left on device"}, {"state", "failed"}});
  write_json(run_.leader(), leader_);
  EXPECT_THAT(stuck(), Contains("the loop: No space left on device"));
}

}  // namespace
}  // namespace koridor
