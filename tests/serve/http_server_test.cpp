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
#include "tests/serve/client.h"

namespace koridor::serve {
namespace {

using test::Client;

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
    if (request.path != "/wait") return reply.send({.body = request.path + request.body});
    reply.begin({});
    reply.write("begun\n");
    while (!reply.gone() && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++left_;
    reply.end("ended\n");
  }

  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<int> left_{0};
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

TEST_F(Server, EndsAnIdleConnection) {
  start({.idle_seconds = 0.2});
  Client client(server_->port());
  EXPECT_EQ(client.read(), "");
}

TEST_F(Server, TellsAHandlerThatItsClientHasLeft) {
  start({});
  {
    Client client(server_->port());
    client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(client.read("begun").find("Transfer-Encoding: chunked"), std::string::npos);
  }
  for (int i = 0; i < 500 && left_ == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(left_, 1);
}

TEST_F(Server, LetsIdleConnectionsGoWhereOthersWant) {
  start({.connections = 4});
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(std::make_unique<Client>(server_->port()));
  Client client(server_->port());
  ASSERT_TRUE(client.send(kGet));
  EXPECT_TRUE(client.read("/echo").starts_with("HTTP/1.1 200"));
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
