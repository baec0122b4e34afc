// Who may ask, and pages of strangers who may not.
#include "cli/serve/gatekeeper.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace koridor::serve {
namespace {

HttpRequest request(const std::string& host) {
  return {.method = "POST", .path = "/api/position", .host = host, .content_type = "application/json"};
}

int status_of(const Gatekeeper& gatekeeper, const HttpRequest& asked) {
  const auto refusal = gatekeeper.refuse(asked);
  return refusal ? refusal->status : 200;
}

class Gate : public testing::Test {
 protected:
  Gatekeeper gatekeeper_{"127.0.0.1", 8080, {"Desk.local", "fe80:0:0:0:0:0:0:1"}};
};

TEST_F(Gate, KnowsItsNames) {
  for (const char* host : {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "desk.local:8080", "[fe80::1]:8080"}) {
    EXPECT_EQ(status_of(gatekeeper_, request(host)), 200) << host;
  }
}

// As through a tunnel: ssh -L 9000:localhost:8080.
TEST(GateOfOtherPorts, KnowsThemByTheirNames) {
  const Gatekeeper gatekeeper("127.0.0.1", 8080, {"localhost:9000", "[fe80::1]:9000", "desk:80"});
  for (const char* host : {"localhost:9000", "[fe80::1]:9000", "desk:80", "desk", "localhost:8080"}) {
    EXPECT_EQ(status_of(gatekeeper, request(host)), 200) << host;
  }
  for (const char* host : {"desk:8080", "127.0.0.1:9000", "localhost"}) {
    EXPECT_EQ(status_of(gatekeeper, request(host)), 421) << host;
  }
}

// Browsers leave out the port of HTTPS.
TEST(GateOfOtherPorts, KnowsTheNameOfAServerBeforeThisOne) {
  const Gatekeeper gatekeeper("127.0.0.1", 8080, {"desk.example:443"});
  HttpRequest asked = request("desk.example");
  asked.origin = "https://desk.example";
  EXPECT_EQ(status_of(gatekeeper, asked), 200);
  for (const char* origin :
       {"https://evil.example", "https://", "https://desk.example:444", "ftp://desk.example", "http://desk.example"}) {
    asked.origin = origin;
    EXPECT_EQ(status_of(gatekeeper, asked), 403) << origin;
  }
}

TEST(GateOfOtherPorts, RefusesWhatIsNoName) {
  for (const char* name :
       {"my host", "http://desk", "desk:port", "", ":9000", "desk/", "desk:123456", "desk:65536", "desk:0"}) {
    EXPECT_THROW(Gatekeeper("127.0.0.1", 8080, {name}), UserError) << name;
  }
}

// A stranger's name that was bent to this machine's address.
TEST_F(Gate, RefusesOtherNames) {
  for (const char* host : {"evil.example:8080", "localhost", "localhost:80", "127.0.0.1:8081", "localhost:8080.evil",
                           "127.0.0.1.evil:8080", "", "0.0.0.0:8080", "localhost:8080 "}) {
    EXPECT_EQ(status_of(gatekeeper_, request(host)), 421) << host;
  }
}

TEST_F(Gate, RefusesPagesOfOtherServers) {
  HttpRequest asked = request("localhost:8080");
  asked.origin = "http://localhost:8080";
  EXPECT_EQ(status_of(gatekeeper_, asked), 200);
  for (const char* origin :
       {"http://evil.example", "null", "https://localhost:8080", "http://localhost:8081", "file://", "http://"}) {
    asked.origin = origin;
    EXPECT_EQ(status_of(gatekeeper_, asked), 403) << origin;
  }
  asked.origin.clear();
  asked.fetch_site = "cross-site";
  EXPECT_EQ(status_of(gatekeeper_, asked), 403);
  asked.fetch_site = "same-origin";
  EXPECT_EQ(status_of(gatekeeper_, asked), 200);
  // A link on another page may lead here.
  asked.method = "GET";
  asked.fetch_site = "cross-site";
  EXPECT_EQ(status_of(gatekeeper_, asked), 200);
}

TEST_F(Gate, RefusesWhatAFormOfAnotherPageCouldSend) {
  HttpRequest asked = request("localhost:8080");
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""}) {
    asked.content_type = type;
    EXPECT_EQ(status_of(gatekeeper_, asked), 415) << type;
  }
}

}  // namespace
}  // namespace koridor::serve
