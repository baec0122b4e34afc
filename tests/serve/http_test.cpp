// Requests as bytes: what of Beast's reading is answered here, what is refused and by which status.
#include "cli/serve/http.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace koridor::serve {
namespace {

constexpr std::string_view kHost = "Host: localhost:8080\r\n";

std::string post(const std::string& headers, const std::string& body) {
  return "POST /api/position HTTP/1.1\r\n" + std::string(kHost) + headers + "\r\n" + body;
}

int status_of(const std::string& bytes) {
  RequestReader reader;
  reader.take(bytes);
  return reader.refusal() ? reader.refusal()->status : reader.complete() ? 200 : 0;
}

// Reads the request from pieces of so many bytes, behind which another begins.
HttpRequest read_in_pieces(const std::string& whole, std::size_t piece) {
  const std::string sent = whole + "GET";
  RequestReader reader;
  std::size_t taken = 0;
  for (std::size_t come = 0; !reader.complete();
       taken += reader.take(std::string_view(sent).substr(taken, come - taken))) {
    if (come >= whole.size() || reader.refusal()) {
      ADD_FAILURE() << piece << ": " << (reader.refusal() ? reader.refusal()->reason : "it does not end");
      return {};
    }
    come = std::min(come + piece, sent.size());
  }
  EXPECT_EQ(taken, whole.size()) << piece;
  return reader.request();
}

TEST(Http, ReadsARequestInAnyPieces) {
  const std::string whole =
      post("Content-Type: Application/JSON\r\nContent-Length: 4\r\nOrigin: http://A\r\n", "{ }\n");
  for (std::size_t piece = 1; piece <= whole.size() + 3; ++piece) {
    const HttpRequest request = read_in_pieces(whole, piece);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/api/position");
    EXPECT_EQ(request.host, "localhost:8080");
    EXPECT_EQ(request.content_type, "application/json");
    EXPECT_EQ(request.origin, "http://a");
    EXPECT_EQ(request.body, "{ }\n");
    EXPECT_TRUE(request.keep_alive);
  }
}

TEST(Http, LeavesTheQueryOut) {
  RequestReader reader;
  reader.take("GET /a?b=/../c HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(reader.request().path, "/a");
}

TEST(Http, RefusesWhatItDoesNotSpeak) {
  const std::string host(kHost);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n" + host + "\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/2\r\n" + host + "\r\n"), 505);
  EXPECT_EQ(status_of("DELETE / HTTP/1.1\r\n" + host + "\r\n"), 405);
  EXPECT_EQ(status_of("GET http://other/ HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(status_of("GET  HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(status_of("GET /\x01 HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(status_of("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + host + host + "\r\n"), 400);
  EXPECT_EQ(status_of("get / HTTP/1.1\r\n" + host + "\r\n"), 405);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + host + std::string("A: \0\r\n", 6) + "\r\n"), 400);
  EXPECT_EQ(status_of(post("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n", "a")), 501);
  EXPECT_EQ(status_of(post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")), 501);
  EXPECT_EQ(status_of(post("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "0\r\n\r\n")), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of(post("Expect: 200-ok\r\nContent-Length: 1\r\n", "a")), 417);
}

// As Java's client offers HTTP/2 with its first request.
TEST(Http, PassesAnOfferOfAnotherProtocolOver) {
  const std::string offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n";
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + std::string(kHost) + offer + "\r\n"), 200);
  EXPECT_EQ(status_of(post(offer + "Content-Length: 2\r\n", "{}")), 200);
}

class HttpChunks : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, HttpChunks,
                         testing::Values("0\r\n\r\n", "2\r\n{ \r\n1;a=b\r\n}\r\n0\r\nContent-Type: b\r\n\r\n"));

TEST_P(HttpChunks, AreReadInAnyPieces) {
  const std::string whole = post("Content-Type: a\r\nTransfer-Encoding: chunked\r\n", GetParam());
  for (std::size_t piece = 1; piece <= whole.size() + 3; ++piece) {
    const HttpRequest request = read_in_pieces(whole, piece);
    EXPECT_EQ(request.body, GetParam().front() == '0' ? "" : "{ }");
    EXPECT_EQ(request.content_type, "a") << "what follows the body is no header";
  }
}

TEST(Http, TakesNoHeaderFromBehindTheBody) {
  RequestReader reader;
  reader.take(post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Type: application/json\r\n\r\n"));
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(reader.request().content_type, "");
}

TEST(Http, RefusesChunksThatAreNoneOrTooLong) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(status_of(post(chunked, "x\r\n\r\n")), 400);
  EXPECT_EQ(status_of(post(chunked, "1\r\nabcdef")), 400);
  EXPECT_EQ(status_of(post(chunked, "1;" + std::string(5000, 'a'))), 400);
  EXPECT_EQ(status_of(post(chunked, "0\r\nA: " + std::string(5000, 'a'))), 400);
  EXPECT_EQ(status_of(post(chunked, "7fffffff\r\n")), 413);
  std::string large;
  for (int i = 0; i < 300; ++i) large += "400\r\n" + std::string(1024, 'a') + "\r\n";
  EXPECT_EQ(status_of(post(chunked, large)), 413);
  std::string small;
  for (int i = 0; i < 100'000; ++i) small += "1\r\na\r\n";
  EXPECT_EQ(status_of(post(chunked, small)), 413) << "more bytes of sizes than of the body";
}

TEST(Http, LetsAClientSendTheBodyThatItAnnounces) {
  const std::string head = post("Expect: 100-continue\r\nContent-Length: 2\r\n", "");
  RequestReader reader;
  EXPECT_EQ(reader.take(head), head.size());
  EXPECT_TRUE(reader.awaits_word());
  EXPECT_FALSE(reader.awaits_word()) << "it has been given";
  EXPECT_EQ(reader.take("{}"), 2u);
  EXPECT_EQ(reader.request().body, "{}");
  RequestReader whole;
  whole.take(head + "{}");
  EXPECT_FALSE(whole.awaits_word()) << "the body came without one";
}

TEST(Http, RefusesLengthsThatAreNoneOrTooLarge) {
  for (const char* length : {"-1", "1e3", "0x10", "18446744073709551616", "", "1, 2", "+1"}) {
    EXPECT_EQ(status_of(post(std::string("Content-Length: ") + length + "\r\n", "a")), 400) << length;
  }
  EXPECT_EQ(status_of(post("Content-Length: 1\r\nContent-Length: 1\r\n", "a")), 400);
  EXPECT_EQ(status_of(post("Content-Length: 300000\r\n", "")), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + std::string(20000, 'a')), 431);
  EXPECT_EQ(status_of(std::string(20000, 'a')), 431);
}

// The bytes of a long head are refused however they come, and a body is none of the head's.
TEST(Http, CountsTheHeadAlone) {
  const std::string body(200'000, 'a');
  const HttpLimits limits;
  const std::string start = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\nA: ";
  const std::string end = "\r\n\r\n";
  const std::size_t room = limits.head - start.size() - end.size();
  EXPECT_EQ(status_of(start + std::string(room, 'a') + end + body), 200);
  EXPECT_EQ(status_of(start + std::string(room + 1, 'a') + end + body), 431);
}

TEST(Http, WritesAResponse) {
  const std::string text = response_text({.body = "{}"}, false, true);
  EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(text.find("Content-Length: 2\r\n"), std::string::npos);
  EXPECT_NE(text.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n{}"));
  const std::string head = response_text({.body = "{}"}, true, false);
  EXPECT_NE(head.find("Content-Length: 2\r\n"), std::string::npos);
  EXPECT_NE(head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_TRUE(response_text({.status = 421}, false, false).starts_with("HTTP/1.1 421 Misdirected Request\r\n"));
  EXPECT_EQ(error_response(400, "a \xff b").body, "{\"error\":\"a \xEF\xBF\xBD b\"}");
}

}  // namespace
}  // namespace koridor::serve
