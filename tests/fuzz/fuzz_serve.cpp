// The bytes of a connection to `koridor serve`: Beast's parser with our limits and our rules for what it read, the
// gatekeeper, and the answers that need no search. The first byte chooses between raw bytes and the body of a request
// that gets past the gatekeeper.
#include <array>
#include <string>
#include <string_view>

#include "cli/serve/service.h"
#include "core/base/error.h"
#include "tests/fuzz/fuzz_tools.h"

using namespace koridor;

namespace {

constexpr std::array kPaths = {"/api/position", "/api/read", "/api/write", "/api/run", "/api/models"};

void answer(serve::Service& service, const serve::HttpRequest& request) {
  try {
    const serve::HttpResponse response = service.answer(request);
    fuzz::require(response.status == 200 || response.status == 404 || response.status == 405);
    serve::response_text(response, request.method == "HEAD", request.keep_alive);
  } catch (const UserError& error) {
    serve::error_response(400, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static serve::Shelf shelf({}, {});
  static serve::Service service(shelf, {});
  static const serve::Gatekeeper gatekeeper("127.0.0.1", 8080, {});
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    answer(service, {.method = "POST", .path = kPaths[data[0] / 2 % kPaths.size()], .body = std::string(bytes)});
    return 0;
  }
  serve::RequestReader reader;
  fuzz::require(reader.take(bytes) <= bytes.size());
  if (reader.refusal()) {
    fuzz::require(reader.refusal()->status >= 400 && !reader.refusal()->reason.empty());
  } else if (reader.complete()) {
    const serve::HttpRequest request = reader.request();
    if (!gatekeeper.refuse(request)) answer(service, request);
  } else {
    fuzz::require(bytes.size() < serve::HttpLimits{}.head + serve::HttpLimits{}.body);
  }
  return 0;
}
