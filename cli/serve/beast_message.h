// Requests and responses as Boost.Beast's parser and messages, for http.cpp and http_server.cpp alone: its headers
// compile slowly.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/serve/http.h"

namespace koridor::serve {

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

struct Refusal {
  int status;
  std::string reason;
};
inline const Refusal kLongHead{431, "the headers are too long"};

// Bytes of the head that the text begins with; 0: it is not whole yet; nothing: it is longer than the limit.
std::optional<std::size_t> head_size(std::string_view text, const HttpLimits& limits);

// Parses a whole head. Beast 1.74 counts the lines of a head that comes in pieces one by one, and would take any number
// of them; so the head is collected first, up to its limit. Why it is not answered here, if it is not.
std::optional<Refusal> parse_head(Parser& parser, boost::asio::const_buffer head, const HttpLimits& limits);

HttpRequest request_of(Parser& parser);

// A response in pieces as bytes: its head, pieces of the body, and what ends it.
std::string head_of_pieces(const HttpResponse& response);
std::string piece_text(std::string_view text);
std::string end_of_pieces();

}  // namespace koridor::serve
