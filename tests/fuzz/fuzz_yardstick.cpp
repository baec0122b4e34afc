// Sets of positions. First byte even: the rest is a file as it stands. Odd: the rest is what follows the checksum,
// which is made good, so that head and positions are reached. Either one line of UserError that names the file, or a
// set that is the same when it is written and read again.
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/sealed_text.h"
#include "selfplay/matches/yardstick/set_file.h"
#include "tests/fuzz/fuzz_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) bytes = "koridor yardstick 1 checksum " + text_checksum(bytes) + "\n" + bytes;
  try {
    const YardstickSet set = parse_yardstick_set(bytes, "input");
    const std::string again = yardstick_bytes(set);
    fuzz::require(yardstick_bytes(parse_yardstick_set(again, "input")) == again);
  } catch (const UserError& error) {
    fuzz::require(std::string_view(error.what()).starts_with("input: "));
  }
  return 0;
}
