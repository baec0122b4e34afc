// `koridor serve` and `koridor page` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "core/base/files.h"
#include "tests/cli/background_command.h"
#include "tests/cli/command.h"
#include "tests/eventually.h"
#include "tests/serve/client.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ServeCommand, SaysWhereItServesAndEndsWithCtrlC) {
  const test::TemporaryFolder folder;
  test::Command server({"serve", "--port", "0"}, folder / "log");
  ASSERT_TRUE(eventually([&] { return server.output().ends_with("\n"); })) << server.output();
  const std::string address = "http://127.0.0.1:";
  ASSERT_THAT(server.output(), AllOf(StartsWith(address), EndsWith("/ - Ctrl-C ends it\n")));
  const int port = std::stoi(server.output().substr(address.size()));
  serve::test::Client client(port);
  ASSERT_TRUE(client.send("GET /api/info HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n"));
  EXPECT_THAT(client.read("alphabeta"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("alphabeta")));
  ASSERT_EQ(::kill(server.pid(), SIGINT), 0);
  EXPECT_EQ(server.wait_for(std::chrono::seconds(20)), 0) << server.output();
}

TEST(PageCommand, WritesAmongOtherFilesOnlyByForce) {
  const test::TemporaryFolder folder;
  const std::string page = (folder / "page").string();
  write_file_atomically(page + "/notes.txt", "mine");
  test::expect_refused("page --out " + page, "page: this folder holds files that koridor page has not written");
  EXPECT_FALSE(std::filesystem::exists(page + "/index.html"));
  const test::CommandResult forced = test::koridor("page --force --out " + page);
  EXPECT_EQ(forced.status, 0) << forced.output;
  EXPECT_TRUE(std::filesystem::exists(page + "/index.html"));
  EXPECT_EQ(read_file(page + "/notes.txt"), "mine");
}

}  // namespace
}  // namespace koridor
