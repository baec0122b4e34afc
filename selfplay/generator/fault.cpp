#include "selfplay/generator/fault.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/elapsed.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"

namespace koridor {

bool Fault::waits(int number) const {
  const auto found = failed_.find(number);
  return found != failed_.end() && Clock::now() < found->second.next;
}

void Fault::begin(int number, const std::string& text) {
  if (failed_.empty()) {
    began_ = Clock::now();
    print_message("koridor",
                  fmt::format("{}; tried again every {} s", text, std::chrono::duration<double>(again_after_).count()));
  }
  failed_.insert_or_assign(number, Failed{text, Clock::now() + again_after_});
  say(text);
}

void Fault::say(const std::string& text) {
  if (text_ == text) return;
  text_ = text;
  heartbeat_.say({{member_, text.empty() ? nlohmann::json() : nlohmann::json(text)}});
  heartbeat_.write();
}

void Fault::succeeded(int number) {
  if (failed_.erase(number) == 0) return;
  if (failed_.empty()) {
    print_message("koridor", fmt::format("goes on after {}: the fault is gone", clock_text(seconds_since(began_))));
  }
  const auto still = failed_.begin();
  say(still == failed_.end() ? "" : still->second.text);
}

void Fault::succeeded() {
  while (!failed_.empty()) succeeded(failed_.begin()->first);
}

void Fault::hurry() {
  for (auto& [number, failed] : failed_) failed.next = {};
}

void Fault::pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace koridor
