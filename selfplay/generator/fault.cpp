#include "selfplay/generator/fault.h"

#include <fmt/format.h>

#include <thread>

#include "core/base/elapsed.h"
#include "core/base/progress.h"
#include "core/base/terminal.h"

namespace koridor {

void Fault::begin(const std::string& text) {
  next_ = Clock::now() + again_after_;
  if (text_.empty()) {
    began_ = Clock::now();
    print_message("koridor",
                  fmt::format("{}; tried again every {} s", text, std::chrono::duration<double>(again_after_).count()));
  }
  if (text_ == text) return;
  text_ = text;
  heartbeat_.say({{member_, text_}});
  heartbeat_.write();
}

void Fault::end() {
  next_ = {};
  if (text_.empty()) return;
  print_message("koridor", fmt::format("goes on after {}: the fault is gone", clock_text(seconds_since(began_))));
  text_.clear();
  heartbeat_.say({{member_, nullptr}});
  heartbeat_.write();
}

void Fault::pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace koridor
