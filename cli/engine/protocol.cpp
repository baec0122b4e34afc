#include "cli/engine/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/analysis/protocol.h"
#include "cli/engine/gtp.h"
#include "cli/engine/qtp.h"
#include "cli/engine/uci.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace koridor::cli {
namespace {

// Those whose first line is no sign of them stand last.
constexpr std::array kProtocols = {
    ProtocolKind{.name = "analysis",
                 .plays = [](std::string_view) { return true; },
                 .begins = [](std::string_view line) { return line.starts_with('{'); },
                 .make = make_analysis,
                 .unused = "--clock --margin --level --temperature --resign --ponder --first "},
    ProtocolKind{.name = "uci",
                 .plays = [](std::string_view family) { return family == "wall"; },
                 .begins = is_uci,
                 .make = make_uci,
                 .unused = "--ponder "},
    ProtocolKind{.name = "qtp",
                 .plays = [](std::string_view family) { return family == "wall"; },
                 .begins = [](std::string_view) { return true; },
                 .make = make_qtp},
    ProtocolKind{.name = "gtp",
                 .plays = [](std::string_view family) { return family == "go"; },
                 .begins = [](std::string_view) { return true; },
                 .make = make_gtp,
                 .unused = "--first --notation "},
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ProtocolKind& kind : kProtocols) all.emplace_back(kind.name);
  return all;
}

}  // namespace

std::string protocol_names() {
  return fmt::format("{}", fmt::join(names(), ", "));
}

const ProtocolKind& find_protocol(std::string_view name, std::string_view family) {
  const auto* const found = std::ranges::find(kProtocols, name, &ProtocolKind::name);
  if (found == kProtocols.end()) throw UserError(unknown_word("protocol", name, names()));
  if (!found->plays(family)) {
    std::vector<std::string> fitting;
    for (const ProtocolKind& kind : kProtocols) {
      if (kind.plays(family)) fitting.emplace_back(kind.name);
    }
    throw UserError(fmt::format("--protocol {}: it is no protocol for games of the family {}; these are {}", name,
                                family, fmt::join(fitting, ", ")));
  }
  return *found;
}

const ProtocolKind& protocol_of(std::string_view line, std::string_view family) {
  const auto* const found = std::ranges::find_if(
      kProtocols, [&](const ProtocolKind& kind) { return kind.plays(family) && kind.begins(line); });
  if (found == kProtocols.end()) throw UserError("there is no protocol for games of the family " + std::string(family));
  return *found;
}

std::unique_ptr<Protocol> make_protocol(const ProtocolKind& kind, Engine& engine) {
  for (const std::string& option : engine.settings().given) {
    if (kind.unused.find(option + " ") == std::string_view::npos) continue;
    throw UserError(fmt::format("{} means nothing in the protocol {}: leave it out", option, kind.name));
  }
  return kind.make(engine);
}

void serve(Engine& engine, LineInput& input, const std::string& name) {
  const std::string family = engine.session().family();
  engine.watch_input([&input] { return input.ended(); });
  std::unique_ptr<Protocol> protocol;
  bool goes_on = true;
  if (!name.empty()) protocol = make_protocol(find_protocol(name, family), engine);
  while (goes_on && !engine.output().gone()) {
    const auto line = input.next();
    if (!line) break;
    if (!protocol) {
      const std::string_view text = trimmed(line->text);
      if (text.empty()) continue;
      protocol = make_protocol(protocol_of(text, family), engine);
    }
    goes_on = protocol->line(*line);
  }
  if (protocol && goes_on) protocol->end();
  protocol.reset();
  engine.watch_input({});
}

}  // namespace koridor::cli
