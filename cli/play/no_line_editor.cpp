#include "cli/play/line_editor.h"

namespace koridor::cli {

std::unique_ptr<LineEditor> make_line_editor(const std::atomic<bool>&) {
  return nullptr;
}

}  // namespace koridor::cli
