// Losses in a trainer's JSON, of any shape: a report that is the same when it is written and read again.
#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/fuzz/fuzz_tools.h"
#include "train/run/loss_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  const nlohmann::json object =
      nlohmann::json::parse(std::string_view(reinterpret_cast<const char*>(data), size), nullptr, false);
  const LossReport report = read_losses(object);
  fuzz::require(!loss_text(report).empty());
  nlohmann::json written = nlohmann::json::object();
  write_losses(report, written);
  const LossReport again = read_losses(written);
  fuzz::require(again.loss == report.loss && again.heads.size() == report.heads.size());
  return 0;
}
