#include "cli/play/seats.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/play/game_files.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "core/base/error.h"
#include "core/base/shell.h"

namespace koridor::cli {
namespace {

// --model with what --level says.
std::string with_level(const PlayOptions& options) {
  if (options.model.empty() || options.level.empty()) return options.model;
  return fmt::format("{},level={}", options.model, find_level(options.level).name);
}

}  // namespace

NamedPlayers::NamedPlayers(const PlayOptions& options)
    : options_(options), search_(match_search()), model_text_(with_level(options)) {
  apply_search_settings(search_, options.search);
  if (!model_text_.empty() && !load(model_text_).model) {
    throw UserError(
        fmt::format("--model {}: this is no model's file; other players sit by --seat1 PLAYER, --seat2 "
                    "PLAYER and so on",
                    options.model));
  }
  for (const std::string& text : options.seats) {
    if (!text.empty() && text != kPerson) load(text);
  }
}

const MatchPlayer& NamedPlayers::load(const std::string& text) {
  const auto known = loaded_.find(text);
  if (known != loaded_.end()) return known->second;
  return loaded_.emplace(text, load_found_player(text, visits_of(options_), search_)).first->second;
}

const MatchPlayer* NamedPlayers::first_with_model() {
  if (!model_text_.empty()) return &load(model_text_);
  for (const std::string& text : options_.seats) {
    if (!text.empty() && text != kPerson && load(text).model) return &load(text);
  }
  return nullptr;
}

std::vector<std::string> NamedPlayers::seat_texts(int players, const std::string& game) const {
  const bool any_seat = std::ranges::any_of(options_.seats, [](const std::string& text) { return !text.empty(); });
  if (!any_seat && model_text_.empty()) {
    throw UserError("say who plays: --model FILE, or --seat1 PLAYER and so on; seats that nobody takes are people's");
  }
  if (any_seat && options_.seat > 0) {
    throw UserError(
        fmt::format("--seat {}: --seat1 PLAYER and so on say who sits where; leave --seat out", options_.seat));
  }
  if (any_seat && model_text_.empty() && !options_.level.empty()) {
    throw UserError(fmt::format("--level {}: it is --model's, and there is none; write --seat2 MODEL,level={} or so",
                                options_.level, find_level(options_.level).name));
  }
  const int persons_seat = std::max(options_.seat, 1) - 1;  // where no seat is given
  std::vector<std::string> texts;
  for (int seat = 0; seat < kMaxPlayers; ++seat) {
    const std::string& given = options_.seats[static_cast<std::size_t>(seat)];
    if (seat >= players) {
      if (!given.empty()) throw UserError(fmt::format("--seat{}: {} has the seats 1 to {}", seat + 1, game, players));
      continue;
    }
    const bool person = model_text_.empty() || (!any_seat && seat == persons_seat);
    texts.push_back(!given.empty() ? given : person ? kPerson : model_text_);
  }
  if (options_.seat > players) {
    throw UserError(fmt::format("--seat {}: {} has the seats 1 to {}", options_.seat, game, players));
  }
  return texts;
}

Seats::Seats(Session& session, NamedPlayers& players, std::vector<std::string> texts, const PlayOptions& options,
             const std::atomic<bool>& stop)
    : session_(session), texts_(std::move(texts)) {
  for (int seat = 0; seat < session.players(); ++seat) {
    const std::string& text = texts_[static_cast<std::size_t>(seat)];
    auto& player = players_.emplace_back();
    session.name_seat(seat, text == kPerson ? text : short_player_name(text));
    if (text == kPerson) continue;
    player = std::make_unique<SeatPlayer>(session.game(), players.load(text), options.evaluation,
                                          options.draws + static_cast<std::uint64_t>(seat), stop);
  }
}

int Seats::persons() const {
  return static_cast<int>(std::count(players_.begin(), players_.end(), nullptr));
}

std::string Seats::options() const {
  std::string options;
  for (std::size_t seat = 0; seat < texts_.size(); ++seat) {
    options += fmt::format(" --seat{} {}", seat + 1, shell_word(texts_[seat]));
  }
  return options.substr(1);
}

std::optional<int> Seats::only_person() const {
  if (persons() != 1) return std::nullopt;
  return static_cast<int>(std::find(players_.begin(), players_.end(), nullptr) - players_.begin());
}

void Seats::play(Action action) {
  for (const auto& player : players_) {
    if (player) player->play(action);
  }
}

void Seats::follow_session(GameClocks clocks) {
  const std::vector<Action> actions = session_.played_actions();
  for (const auto& player : players_) {
    if (player) player->reset(actions, clocks);
  }
}

bool Seats::get_ready(const std::atomic<bool>& stop) {
  return std::ranges::all_of(players_, [&](const auto& player) { return !player || player->get_ready(stop); });
}

std::optional<SeatChoice> Seats::think(const std::atomic<bool>& stop, const std::function<void(double)>& progress) {
  return players_[static_cast<std::size_t>(session_.seat_to_move())]->think(stop, progress);
}

}  // namespace koridor::cli
