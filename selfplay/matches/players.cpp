#include "selfplay/matches/players.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/registry.h"
#include "models/network/precision.h"
#include "selfplay/matches/alphabeta.h"

namespace koridor {
namespace {

constexpr int kMaxAlphaBetaDepth = AlphaBeta<wall::WallGame>::kMaxDepth;
constexpr int kMaxVisits = 1'000'000;
constexpr int kMaxMebibytes = 1 << 20;

// What stands behind "<word>:"; nothing where `text` does not start so.
std::optional<std::string> after_colon(const std::string& text, const std::string& word) {
  if (!text.starts_with(word + ":")) return std::nullopt;
  return text.substr(word.size() + 1);
}

int parse_number(const std::string& player, const std::string& digits, const char* what, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > largest) {
    throw UserError(fmt::format("player \"{}\": the {} must be a number from 1 to {}", player, what, largest));
  }
  return value;
}

}  // namespace

PlayerSpec parse_player(const std::string& text) {
  PlayerSpec spec{.kind = PlayerKind::random, .name = text};
  if (text == "random") return spec;
  if (text == "greedy") {
    spec.kind = PlayerKind::greedy;
    return spec;
  }
  if (text == "mcts") {
    spec.kind = PlayerKind::mcts;
    return spec;
  }
  if (const auto visits = after_colon(text, "mcts")) {
    spec.kind = PlayerKind::mcts;
    spec.visits = parse_number(text, *visits, "visits", kMaxVisits);
    return spec;
  }
  if (text == "solver" || text.starts_with("solver:")) {
    spec.kind = PlayerKind::solver;
    const auto mebibytes = after_colon(text, "solver");
    spec.mebibytes = mebibytes ? parse_number(text, *mebibytes, "MiB of memory", kMaxMebibytes)
                               : static_cast<int>(SolveLimits{}.mebibytes);
    return spec;
  }
  if (text == "alphabeta") throw UserError("player \"alphabeta\": say how deep it looks, as in alphabeta:3");
  if (const auto depth = after_colon(text, "alphabeta")) {
    spec.kind = PlayerKind::alphabeta;
    spec.depth = parse_number(text, *depth, "depth", kMaxAlphaBetaDepth);
    return spec;
  }
  spec.path = text;
  if (const std::size_t at = text.rfind('@'); at != std::string::npos) {
    if (find_precision(text.substr(at + 1))) {
      spec.path = text.substr(0, at);
      spec.precision = text.substr(at + 1);
    }
  }
  // Anything else is a file; what has neither the ending nor the slash of one is more likely misspelt.
  const std::filesystem::path path(spec.path);
  const bool looks_like_file = path.has_parent_path() || path.has_extension();
  std::error_code ignored;
  if (!looks_like_file && !std::filesystem::exists(path, ignored)) {
    const std::string near = nearest(text, {"random", "greedy", "alphabeta:3", "mcts", "solver"});
    throw UserError(fmt::format("unknown player \"{}\"; {}", text,
                                near.empty()
                                    ? "a player is random, greedy, alphabeta:DEPTH, mcts, solver or a model file"
                                    : fmt::format("did you mean \"{}\"?", near)));
  }
  spec.kind = PlayerKind::model;
  return spec;
}

MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search) {
  MatchPlayer player{.spec = parse_player(text), .visits = visits, .search = search};
  if (player.spec.visits > 0) player.visits = player.spec.visits;
  if (player.spec.kind == PlayerKind::model) player.model = std::make_shared<const Model>(load_model(player.spec.path));
  return player;
}

void prepare_player(MatchPlayer& player, const AnyGame& game, const std::atomic<bool>& stop) {
  if (player.spec.kind != PlayerKind::solver || player.solver) return;
  SolveLimits limits{.mebibytes = static_cast<std::size_t>(player.spec.mebibytes)};
  limits.keep_going = [&stop] { return !stop.load(std::memory_order_relaxed); };
  player.solver = std::make_shared<const AnySolver>(solve_game(game, limits));
}

}  // namespace koridor
