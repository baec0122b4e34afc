#include <fmt/format.h>

#include <type_traits>

#include "core/base/text.h"
#include "core/go/sgf.h"
#include "core/saved_game.h"

namespace koridor {
namespace {

// A header's value: control bytes become spaces, quotes and backslashes are escaped.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += is_control(c) ? ' ' : c;
  }
  return out + "\"";
}

template <Game G>
std::string notation_text(const SavedGame& saved, const G& game, Notation notation) {
  std::string out;
  const auto header = [&](std::string_view name, std::string_view value) {
    out += fmt::format("[{} {}]\n", name, quoted(value));
  };
  header("Game", game.name());
  for (std::size_t seat = 0; seat < saved.names.size(); ++seat) {
    if (!saved.names[seat].empty()) header(fmt::format("Player{}", seat + 1), saved.names[seat]);
  }
  header("Notation", notation == Notation::modern ? "modern" : "standard");
  for (const auto& [name, value] : saved.headers) header(name, value);
  const std::string result = saved.result.empty() ? "*" : saved.result;
  header("Result", result);

  std::string actions;
  Position<G> position(game);
  int before = -1;
  int round = 0;
  for (const Action action : saved.actions) {
    const int mover = game.player_to_move(position.state);
    if (mover == 0 && before != 0) actions += fmt::format("{}. ", ++round);
    actions += game.print_action(position.state, action, notation) + ' ';
    position.apply(game, action);
    before = mover;
  }
  return out + "\n" + wrapped_text(actions + result) + "\n";
}

std::string sgf_text(const SavedGame& saved, const go::GoGame& game) {
  const auto name = [&](std::size_t seat) { return seat < saved.names.size() ? saved.names[seat] : ""; };
  std::string comment;
  for (const auto& [header, value] : saved.headers) {
    comment += fmt::format("{}{}: {}", comment.empty() ? "" : "\n", header, value);
  }
  const go::State start = saved.start.value_or(game.initial_state());
  return go::write_sgf({game, start, saved.actions, name(0), name(1), saved.result, {}, comment});
}

}  // namespace

std::string write_saved_game(const SavedGame& saved, Notation notation) {
  return std::visit(
      [&]<Game G>(const G& game) {
        if constexpr (std::is_same_v<G, go::GoGame>) {
          return sgf_text(saved, game);
        } else {
          return notation_text(saved, game, notation) + "\n";
        }
      },
      saved.game);
}

}  // namespace koridor
