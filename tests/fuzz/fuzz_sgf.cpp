// SGF: either one line of UserError that names the place, or a record that comes back the same when written and read.
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/go/sgf.h"
#include "tests/fuzz/fuzz_tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    const go::Record record = go::read_sgf(text, "fuzz");
    fuzz::require(record.game.score(record.end().state).neutral >= 0);
    written = go::write_sgf(record);
    const go::Record again = go::read_sgf(written, "written");
    fuzz::require(again.game.name() == record.game.name());
    fuzz::require(again.start == record.start);
    fuzz::require(again.actions == record.actions);
    fuzz::require(again.black == record.black && again.white == record.white && again.result == record.result);
    fuzz::require(again.notes.empty());
    fuzz::require(go::write_sgf(again) == written);
  } catch (const UserError& error) {
    const std::string_view message = error.what();
    fuzz::require(written.empty());  // what was read can be written and read
    fuzz::require(message.find('\n') == std::string_view::npos || text.find('\n') != std::string_view::npos);
  }
  return 0;
}
