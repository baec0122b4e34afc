// docs/formats.md names everything that is in the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/cli/words_of.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

std::string page() {
  return read_file(std::string(KORIDOR_DOCS) + "/formats.md");
}

// Every match of the pattern's first group in a file of the sources.
std::set<std::string> words_in_source(const std::string& file, const std::string& pattern) {
  return test::words_of(read_file(std::string(KORIDOR_SOURCES) + "/" + file), pattern);
}

TEST(FormatsPage, NamesAllMetadataOfAModel) {
  const test::TemporaryFolder folder;
  ModelInfo info;
  info.network = {.blocks = 1, .channels = 8, .policy_channels = 2, .value_channels = 2, .value_hidden = 4};
  info.signature = {.planes = 13, .scalars = 10, .policy_planes = 3, .players = 2};
  const std::string path = (folder / "model.koridor").string();
  save_model(path, random_model(info, 1));
  const std::string content = read_file(path);
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  const auto header = nlohmann::json::parse(content.substr(8, length));
  for (const auto& [key, value] : header["__metadata__"].items()) EXPECT_THAT(page(), HasSubstr("`" + key + "`"));
}

TEST(FormatsPage, NamesAllOfAShard) {
  const auto datasets = words_in_source("selfplay/shards/shard.cpp", R"re(visit\("(/[a-z]+/[a-z_]+)")re");
  EXPECT_GE(datasets.size(), 15u);
  for (const std::string& name : datasets) EXPECT_THAT(page(), HasSubstr("`" + name + "`"));
  const auto attributes = words_in_source("selfplay/shards/shard.cpp", R"re(file\.attribute\("([a-z_]+)")re");
  EXPECT_GE(attributes.size(), 10u);
  for (const std::string& name : attributes) EXPECT_THAT(page(), HasSubstr("`" + name + "`"));
}

TEST(FormatsPage, NamesAllOfACheckpoint) {
  const auto entries = words_in_source("train/learner/checkpoint.cpp", R"re([{(]"([a-z_.0-9]+)", )re");
  EXPECT_GE(entries.size(), 15u);
  for (const std::string& name : entries) EXPECT_THAT(page(), HasSubstr("`" + name + "`"));
}

TEST(FormatsPage, NamesTheFilesOfARun) {
  for (const char* file : {"config.toml", "lock", "models/", "shards/", "complete", "checkpoints/", "metrics/",
                           "ratings/", "elo.json", "status/", "logs/", "events/"}) {
    EXPECT_THAT(page(), HasSubstr(file));
  }
}

}  // namespace
}  // namespace koridor
