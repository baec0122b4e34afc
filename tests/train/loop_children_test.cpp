// The loop's children: shell scripts in place of the trainer and of self-play.
#include "train/run/loop_children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>

#include "core/base/json_file.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class LoopChildren : public testing::Test {
 protected:
  using Clock = ChildSigns::Clock;

  LoopChildren() {
    for (const char* folder : {"logs", "models", "status"}) fs::create_directories(run_.root() / folder);
    write_file_atomically(run_.root() / "config.toml", to_toml(config_));
  }

  void program(const std::string& name, const std::string& commands) {
    const fs::path path = programs_ / name;
    write_file_atomically(path, "#!/bin/sh\ncat > /dev/null\ncd " + run_.root().string() + "\n" + commands + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  LoopTrainer trainer(const std::string& commands, int count = 1) {
    program("koridor-trainer", commands);
    return {run_, config_, programs_, count, stop_};
  }
  LoopWorker worker(const std::string& commands, std::optional<LoopWorker::Board> board = {}) {
    program("koridor", commands);
    return {run_, config_, programs_, board, stop_};
  }
  template <class Child>
  static void wait_until_it_ended(Child& child) {
    ASSERT_TRUE(eventually([&] { return !child.runs(); }));
  }
  // Until the child has said that it is there, by making this file.
  void wait_for_file(const std::string& name) const {
    ASSERT_TRUE(eventually([&] { return fs::exists(run_.root() / name); }));
  }
  template <class Child>
  static std::string failure_of(Child& child) {
    return error_of([&] { child.check(); });
  }
  void complete(int generation) {
    fs::create_directories(run_.complete(generation).parent_path());
    write_file_atomically(run_.complete(generation), "");
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "run"};
  fs::path programs_ = folder_.path() / "programs";
  Config config_ = parse_config("run.game = \"quoridor:3x3,walls=1\"\nrun.generations = 2", "test", {});
  std::atomic<bool> stop_{false};
};

TEST_F(LoopChildren, AMinuteWithoutProgressIsSilence) {
  ChildSigns signs(run_, "selfplay");
  EXPECT_EQ(signs.silence(7, Clock::now() - 50s), "");
  EXPECT_EQ(signs.silence(7, Clock::now() - 90s), "no sign of life from process 7 for 1:30");
  EXPECT_EQ(signs.silence(0, Clock::now() - 90s), "no sign of life from a trainer for 1:30");
  write_file_atomically(run_.status("selfplay"), "{}");
  EXPECT_EQ(signs.silence(7, Clock::now() - 90s), "") << "it has just written";
  EXPECT_EQ(signs.silence(7, Clock::now() - 90s), "") << "and a minute has not passed since";
}

TEST_F(LoopChildren, WarningsAreToldOnceAndLastWordsAreThoseOfTheError) {
  write_file_atomically(run_.log("selfplay"), "koridor: warning: of an earlier start\n");
  ChildSigns signs(run_, "selfplay");
  write_file_atomically(run_.log("selfplay"),
                        "koridor: warning: of an earlier start\nkoridor: warning: one\nchatter\n");
  EXPECT_THAT(signs.new_warnings({}), ElementsAre("koridor: warning: one"));
  EXPECT_THAT(signs.new_warnings({}), IsEmpty());
  write_file_atomically(run_.log("selfplay"),
                        "koridor: warning: of an earlier start\nkoridor: warning: one\nchatter\n"
                        "koridor: warning: two\nkoridor: the disk is full\n");
  EXPECT_THAT(signs.new_warnings(3), ElementsAre("koridor: warning: two"));
  EXPECT_EQ(signs.last_words(), "koridor: the disk is full (log: " + run_.log("selfplay").string() + ")");
}

// A child that fails has said why while it still ran.
TEST_F(LoopChildren, TheNewestLineWaitsUntilItIsNoLastWord) {
  const auto say = [&](const std::string& line) { std::ofstream(run_.log("selfplay"), std::ios::app) << line << "\n"; };
  const std::vector<std::string> one{"koridor: one"};
  const auto start = Clock::now();
  const auto begin = [&] {
    ChildSigns signs(run_, "selfplay");
    say(one.front());
    EXPECT_THAT(signs.new_warnings({}, start), IsEmpty());
    return signs;
  };
  EXPECT_THAT(begin().new_warnings(2, start + 100ms), IsEmpty()) << "it is in the error";
  EXPECT_EQ(begin().new_warnings(0, start + 100ms), one);
  EXPECT_EQ(begin().new_warnings(128 + SIGTERM, start + 100ms), one) << "it was stopped, and there is no error";
  ChildSigns signs = begin();
  EXPECT_THAT(signs.new_warnings({}, start + 900ms), IsEmpty());
  EXPECT_EQ(signs.new_warnings({}, start + 1100ms), one) << "it goes on";
  EXPECT_THAT(signs.new_warnings({}, start + 1200ms), IsEmpty()) << "once";
  signs = begin();
  say("generation 1: 30 steps");
  EXPECT_EQ(signs.new_warnings({}, start + 100ms), one);
}

TEST_F(LoopChildren, ATrainerThatEndsBeforeTheLastModelHasLeftWork) {
  LoopTrainer child = trainer("echo koridor-trainer: lost; exit 4");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(child));
  EXPECT_TRUE(child.has_left_work());
  EXPECT_THAT(failure_of(child), HasSubstr("the trainer ended with status 4: koridor-trainer: lost (log: "));
  stop_ = true;
  EXPECT_EQ(failure_of(child), "no error") << "who asked for a stop gets no error";
  stop_ = false;
  write_file_atomically(run_.model(2), "");
  EXPECT_FALSE(child.has_left_work());
  EXPECT_EQ(failure_of(child), "no error");
  fs::remove(run_.root() / "config.toml");
  EXPECT_THAT(failure_of(child), HasSubstr("has vanished: config.toml is not there"));
}

// The last line of its progress is not why it ended, nor is what an earlier child has said.
TEST_F(LoopChildren, OfAKilledChildTheSignalIsTheReason) {
  write_file_atomically(run_.log("trainer"), "koridor-trainer: an error of yesterday\n");
  const std::string log = " (log: " + run_.log("trainer").string() + "); the same command goes on";
  const auto error_after = [&](const std::string& commands) {
    LoopTrainer child = trainer(commands);
    wait_until_it_ended(child);
    return failure_of(child);
  };
  EXPECT_EQ(error_after("kill -KILL $$"), "the trainer was killed by signal 9 (no memory left?)" + log);
  EXPECT_EQ(error_after("echo generation 4: loss 2.901; kill -KILL $$"),
            "the trainer was killed by signal 9 (no memory left?)" + log);
  EXPECT_EQ(error_after("echo koridor-trainer: out of GPUs; kill -SEGV $$"),
            "the trainer was ended by signal 11 (Segmentation fault): koridor-trainer: out of GPUs" + log);
  LoopWorker play = worker("kill -KILL $$");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(play));
  EXPECT_THAT(failure_of(play), HasSubstr("self-play was killed by signal 9 (no memory left?) (log: "));
}

TEST_F(LoopChildren, ATrainerThatWasToldToEndHasLeftNoWork) {
  LoopTrainer child = trainer(": > there; exec sleep 60");
  ASSERT_NO_FATAL_FAILURE(wait_for_file("there"));
  EXPECT_FALSE(child.has_left_work());
  EXPECT_THAT(child.silence(Clock::now() - 90s), HasSubstr("process " + std::to_string(child.pid())));
  EXPECT_EQ(child.end(), "");
  EXPECT_FALSE(child.runs());
  EXPECT_FALSE(child.has_left_work());
  EXPECT_EQ(child.silence(Clock::now() - 90s), "");
}

// On a full disk, for one: the steps since the last checkpoint are gone, and somebody has to say so.
TEST_F(LoopChildren, WhatFailsAtItsStopIsSaid) {
  LoopTrainer train =
      trainer("trap 'echo koridor-trainer: disk full; exit 2' TERM; : > there; while :; do sleep 0.01; done");
  ASSERT_NO_FATAL_FAILURE(wait_for_file("there"));
  EXPECT_THAT(train.end(),
              HasSubstr("What the trainer had not saved is lost, since it failed when it was told to stop: "
                        "koridor-trainer: disk full (log: "));
  // A Ctrl-C reaches the children by itself, and they may have failed before the loop tells them to stop.
  LoopWorker play = worker("echo koridor: disk full; exit 2");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(play));
  EXPECT_EQ(play.end(), "") << "its error says it";
  stop_ = true;
  EXPECT_THAT(play.end(), HasSubstr("koridor: disk full"));
  LoopWorker stopped = worker("kill -INT $$");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(stopped));
  EXPECT_EQ(stopped.end(), "");
}

// Both are told at once, and waited for one after the other.
TEST_F(LoopChildren, WhoWasToldToEndMayHaveEndedBeforeItIsWaitedFor) {
  LoopTrainer train =
      trainer("trap 'echo koridor-trainer: disk full; exit 2' TERM; : > there; while :; do sleep 0.01; done");
  ASSERT_NO_FATAL_FAILURE(wait_for_file("there"));
  train.tell_to_end();
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(train));
  EXPECT_FALSE(train.has_left_work());
  EXPECT_THAT(train.end(), HasSubstr("failed when it was told to stop: koridor-trainer: disk full"));
  LoopWorker play = worker("trap 'exit 0' TERM; : > here; while :; do sleep 0.01; done");
  ASSERT_NO_FATAL_FAILURE(wait_for_file("here"));
  play.tell_to_end();
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(play));
  EXPECT_EQ(play.end(), "");
}

// What a program is started by may take it for the value of a variable.
TEST_F(LoopChildren, ATrainerMayLieInAFolderWithAnEqualsSign) {
  programs_ = folder_.path() / "version=1";
  LoopTrainer child = trainer("echo $RANK of $WORLD_SIZE > place");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(child));
  ASSERT_NO_FATAL_FAILURE(wait_for_file("place"));
  EXPECT_EQ(read_file(run_.root() / "place"), "0 of 1\n");
}

TEST_F(LoopChildren, WhereOthersTrainThereIsNothingToEnd) {
  LoopTrainer child = trainer("exit 1", 0);
  EXPECT_EQ(child.pid(), 0);
  EXPECT_FALSE(child.runs());
  EXPECT_FALSE(child.has_left_work());
  EXPECT_EQ(child.end(), "");
}

// A shell that ignores SIGTERM, and whose `sleep` inherits that.
TEST_F(LoopChildren, WhatDoesNotEndIsKilledAndTheWordsSaySo) {
  const std::string deaf = "trap '' TERM; : > there; exec sleep 60";
  LoopTrainer train = trainer(deaf);
  ASSERT_NO_FATAL_FAILURE(wait_for_file("there"));
  const std::string trainer_process = std::to_string(train.pid());
  EXPECT_EQ(train.end(1s), "Killed the trainer (process " + trainer_process +
                               "), which did not end within 1 s; what it had not saved is lost.");
  EXPECT_FALSE(train.runs());
  fs::remove(run_.root() / "there");
  LoopWorker play = worker(deaf);
  ASSERT_NO_FATAL_FAILURE(wait_for_file("there"));
  EXPECT_THAT(play.end(1s), MatchesRegex("Killed self-play \\(process [0-9]+\\), which did not end within 1 s; .*"));
  EXPECT_FALSE(play.runs());
  EXPECT_EQ(play.end(1s), "") << "it has ended";
}

TEST_F(LoopChildren, AWorkerOfOneGenerationMayEndOnceItIsComplete) {
  LoopWorker child = worker("exit 0", LoopWorker::Board{.generation = 1});
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(child));
  complete(0);
  EXPECT_TRUE(child.has_left_games());
  EXPECT_THAT(failure_of(child), HasSubstr("self-play ended before its games were complete (log: "));
  stop_ = true;
  EXPECT_FALSE(child.has_left_games());
  EXPECT_EQ(failure_of(child), "no error");
  stop_ = false;
  complete(1);
  EXPECT_FALSE(child.has_left_games());
  EXPECT_EQ(failure_of(child), "no error");
}

TEST_F(LoopChildren, AWorkerOfAllGenerationsMayEndOnceThoseWithoutAModelAreComplete) {
  LoopWorker child = worker("echo koridor: no more; exit 0");
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(child));
  complete(1);
  EXPECT_THAT(failure_of(child), HasSubstr("self-play ended with status 0: koridor: no more (log: "))
      << "generation 0 is not complete";
  write_file_atomically(run_.model(0), "");
  write_file_atomically(run_.model(1), "");
  EXPECT_FALSE(child.has_left_games()) << "model 1 was learned from the games of generation 0";
}

TEST_F(LoopChildren, AWorkerThatFailsIsNotExcusedByItsGeneration) {
  LoopWorker child = worker("echo koridor: the disk is full; exit 3", LoopWorker::Board{.generation = 0});
  ASSERT_NO_FATAL_FAILURE(wait_until_it_ended(child));
  EXPECT_THAT(failure_of(child), HasSubstr("self-play ended with status 3: koridor: the disk is full (log: "));
  fs::remove(run_.root() / "config.toml");
  EXPECT_THAT(failure_of(child), HasSubstr("has vanished: config.toml is not there")) << "whatever its last words are";
}

}  // namespace
}  // namespace koridor
