// The server's sockets: many connections, slow ones, ones that leave, and bounds on all of them.
#include "cli/serve/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/eventually.h"
#include "tests/serve/client.h"

namespace koridor::serve {
namespace {

using test::Client;

constexpr std::size_t kLarge = 16 * 1024 * 1024;  // bytes, more than the server's socket keeps
constexpr int kRoom = 64 * 1024;                  // bytes that a slow reader's keeps
constexpr std::size_t kLine = 256 * 1024;
constexpr std::string_view kGet = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";

class Server : public testing::Test {
 protected:
  void start(ServerSettings settings) {
    settings.address = "127.0.0.1";
    server_ = std::make_unique<HttpServer>(
        settings, [this](const HttpRequest& request, Reply& reply) { handle(request, reply); });
    thread_ = std::thread([this] { server_->run(stop_); });
  }
  void TearDown() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }
  void handle(const HttpRequest& request, Reply& reply) {
    if (request.path == "/error") throw UserError("no");
    if (request.path == "/nothing") return;
    if (request.path == "/large") return reply.send({.body = std::string(kLarge, 'a')});
    if (request.path == "/lines") return many_lines(reply);
    if (request.path != "/wait") return reply.send({.body = request.path + request.body});
    reply.begin({});
    reply.write("begun\n");
    while (!reply.gone() && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++left_;
    reply.end("ended\n");
  }
  // Lines until one finds no room, and the last.
  void many_lines(Reply& reply) {
    const std::string line(kLine, 'a');
    reply.begin({});
    for (int i = 0; i < 1000 && !reply.gone(); ++i) {
      if (!reply.write(line)) ++left_out_;
      std::this_thread::sleep_for(std::chrono::milliseconds(left_out_ > 0 ? 0 : 1));
    }
    reply.end("the last\n");
  }

  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<int> left_{0};
  std::atomic<int> left_out_{0};
};

TEST_F(Server, AnswersSeveralRequestsOfOneConnection) {
  start({});
  Client client(server_->port());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(client.send(kGet));
    EXPECT_TRUE(client.read("/echo").starts_with("HTTP/1.1 200 OK"));
  }
  // Two at once are answered in turn.
  ASSERT_TRUE(client.send(std::string(kGet) + "POST /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                              "Content-Length: 3\r\n\r\nabc"));
  const std::string answer = client.read();
  EXPECT_NE(answer.find("/echo"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("/babc"));
}

TEST_F(Server, TakesRequestsThatComeInPieces) {
  start({});
  Client client(server_->port());
  const std::string request = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd";
  for (const std::size_t at : {std::size_t{1}, std::size_t{22}, request.size() - 6, request.size() - 2}) {
    ASSERT_TRUE(client.send(request.substr(0, at)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(client.send(request.substr(at)));
    const std::string answer = client.read("/echoabcd");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK")) << at << answer;
  }
}

TEST_F(Server, TakesBodiesInChunksAndThoseThatWaitForItsWord) {
  start({});
  Client client(server_->port());
  const std::string chunks = "4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n";
  ASSERT_TRUE(client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (const char byte : chunks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(client.send(std::string(1, byte)));
  }
  EXPECT_TRUE(client.read("/echoabcdefg").starts_with("HTTP/1.1 200 OK"));
  ASSERT_TRUE(client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_EQ(client.read("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send("xy"));
  EXPECT_TRUE(client.read("/echoxy").starts_with("HTTP/1.1 200 OK"));
}

// A word that it may go on gives a client no more time.
TEST_F(Server, EndsABodyThatItHasAskedForAndThatDoesNotCome) {
  start({.request_seconds = 0.3});
  Client client(server_->port());
  ASSERT_TRUE(client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(client.read(), "HTTP/1.1 100 Continue\r\n\r\n") << "and then the end";
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8)) << "sooner than the time for writing";
}

// Whoever asks on and on without reading has no more than some requests under way, and nobody else is the worse for it.
TEST_F(Server, LivesOnBesideAFloodOfRequests) {
  start({});
  std::string flood;
  while (flood.size() < 256 * 1024) flood += kGet;
  for (int round = 0; round < 20; ++round) {
    Client client(server_->port());
    client.send(flood);
  }
  Client other(server_->port());
  ASSERT_TRUE(other.send(kGet));
  EXPECT_TRUE(other.read("/echo").starts_with("HTTP/1.1 200 OK"));
}

TEST_F(Server, SaysWhatIsWrong) {
  start({});
  const auto answer = [&](const std::string& path) {
    Client client(server_->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.read();
  };
  EXPECT_NE(answer("/error").find("400 Bad Request"), std::string::npos);
  EXPECT_NE(answer("/error").find(R"({"error":"no"})"), std::string::npos);
  EXPECT_NE(answer("/nothing").find("404 Not Found"), std::string::npos);
}

// The rest of a refused request is still on its way: the client reads the answer all the same.
TEST_F(Server, RefusesATooLargeBodyBeforeItIsThere) {
  start({});
  Client client(server_->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" + std::string(200'000, 'a'));
  EXPECT_TRUE(client.read().starts_with("HTTP/1.1 413"));
}

// Line by line, as a parser may forget to count them.
TEST_F(Server, RefusesATooLongHeadThatComesInPieces) {
  start({});
  Client client(server_->port());
  client.send("GET /echo HTTP/1.1\r\nHost: x\r\n");
  for (int i = 0; i < 20; ++i) {
    client.send("A: " + std::string(1000, 'a') + "\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  client.send("\r\n");
  EXPECT_TRUE(client.read("\r\n").starts_with("HTTP/1.1 431"));
}

TEST_F(Server, EndsARefusedConnectionThatSendsOnAndOn) {
  start({});
  Client client(server_->port());
  client.send("nonsense\r\n\r\n");
  const std::string more(1 << 20, 'a');
  const auto begin = std::chrono::steady_clock::now();
  while (client.send(more) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

TEST_F(Server, EndsARequestThatComesTooSlowly) {
  start({.request_seconds = 0.3, .idle_seconds = 60});
  Client client(server_->port());
  const auto begin = std::chrono::steady_clock::now();
  for (char c : std::string(kGet)) {
    if (!client.send(std::string(1, c))) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(2)) break;
  }
  EXPECT_EQ(client.read(), "");
}

// The time counts from the first byte to the body's last, not from one piece to the next.
TEST_F(Server, EndsABodyThatComesTooSlowly) {
  start({.request_seconds = 0.3});
  Client client(server_->port());
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  while (client.send("a") && std::chrono::steady_clock::now() - begin < std::chrono::seconds(2)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(client.read(), "");
}

// A connection that had an answer is idle again.
TEST_F(Server, EndsAConnectionThatIsIdleAfterAnAnswer) {
  start({.idle_seconds = 0.2});
  Client client(server_->port());
  ASSERT_TRUE(client.send(kGet));
  EXPECT_TRUE(client.read().ends_with("/echo"));
  EXPECT_TRUE(client.closed());
}

TEST_F(Server, EndsAConnectionWhoseReaderStandsStill) {
  // While nobody reads, some kernels still take a little more every 200 milliseconds, which counts as bytes that go
  // out.
  start({.write_seconds = 0.1});
  Client client(server_->port(), kRoom);
  client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  client.wait_for_bytes();  // on a loaded machine the server may be slow to begin
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  EXPECT_LT(client.read().size(), kLarge);
}

TEST_F(Server, LeavesLinesOutWhereTheReaderIsTooSlow) {
  start({});
  Client client(server_->port(), kRoom);
  client.send("GET /lines HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return left_out_ >= 900; }));
  EXPECT_TRUE(client.read().ends_with("\r\n9\r\nthe last\n\r\n0\r\n\r\n"));
}

// Bytes of further requests that come before an answer have a bound as well.
TEST_F(Server, EndsAConnectionThatSendsOnAndOn) {
  start({});
  Client client(server_->port());
  client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read("begun");
  client.send(std::string(200'000, 'a'));
  EXPECT_TRUE(eventually([&] { return left_ == 1; }));
}

TEST_F(Server, EndsAnIdleConnection) {
  start({.idle_seconds = 0.2});
  Client client(server_->port());
  EXPECT_EQ(client.read(), "");
  EXPECT_TRUE(client.closed());
}

TEST_F(Server, TellsAHandlerThatItsClientHasLeft) {
  start({});
  {
    Client client(server_->port());
    client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string answer = client.read("begun");
    EXPECT_NE(answer.find("Transfer-Encoding: chunked"), std::string::npos);
    EXPECT_NE(answer.find("begun"), std::string::npos);
  }
  EXPECT_TRUE(eventually([&] { return left_ == 1; }));
}

TEST_F(Server, LetsIdleConnectionsGoWhereOthersWant) {
  start({.connections = 4});
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(std::make_unique<Client>(server_->port()));
  Client client(server_->port());
  ASSERT_TRUE(client.send(kGet));
  EXPECT_TRUE(client.read("/echo").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(idle.front()->read(), "");
  EXPECT_TRUE(idle.front()->closed());
}

TEST_F(Server, AnswersBesideRequestsThatTakeLong) {
  start({.threads = 3});
  Client first(server_->port());
  Client second(server_->port());
  first.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  second.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  first.read("begun");
  second.read("begun");
  Client client(server_->port());
  ASSERT_TRUE(client.send(kGet));
  EXPECT_TRUE(client.read("/echo").starts_with("HTTP/1.1 200"));
}

TEST(ServerAddress, IsWrittenInNumbers) {
  EXPECT_THROW(HttpServer({.address = "somewhere"}, {}), UserError);
}

}  // namespace
}  // namespace koridor::serve
