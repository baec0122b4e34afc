#include "cli/engine/gtp.h"

#include "cli/engine/text_commands.h"

namespace koridor::cli {
namespace {

class Gtp final : public TextProtocol {
 public:
  explicit Gtp(Engine& engine) : TextProtocol(engine) {}
};

}  // namespace

std::unique_ptr<Protocol> make_gtp(Engine& engine) {
  return std::make_unique<Gtp>(engine);
}

}  // namespace koridor::cli
