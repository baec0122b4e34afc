// koridor play: games on a board in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/play/game_files.h"
#include "cli/play/options.h"
#include "cli/play/seats.h"
#include "cli/play/terminal.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "cli/seed_option.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/shell.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "core/registry.h"
#include "core/saved_result.h"
#include "train/run/run_directory.h"

namespace koridor::cli {
namespace {

// The game of the file, of the command line, or of the first model.
AnyGame chosen_game(const PlayOptions& options, const std::optional<SavedGame>& loaded, const MatchPlayer* adviser) {
  if (loaded) return loaded->game;
  if (!options.game.empty()) return find_game(options.game);
  if (adviser != nullptr) return parse_game(adviser->model->info.game);
  throw UserError("say which game: `koridor play GAME ...`; `koridor games` lists them");
}

SessionSettings session_settings(const PlayOptions& options, const MatchPlayer* adviser) {
  SessionSettings settings{.thinker = {}, .notation = options.notation};
  if (adviser == nullptr) return settings;
  settings.thinker.model = adviser->model;
  settings.thinker.name = adviser->name;
  settings.thinker.evaluation = options.evaluation;
  if (!adviser->precision.empty()) settings.thinker.evaluation.precision = adviser->precision;
  settings.thinker.seed = options.draws;
  apply_search_settings(settings.thinker.search, options.search);
  return settings;
}

// Plays the moves of --load and then those of --moves. Returns the end that the file says of this position, which may
// be a resignation or a count by agreement; without a result where it says none.
GivenEnd set_up(Session& session, const PlayOptions& options, const std::optional<SavedGame>& loaded) {
  if (loaded) {
    for (const Action action : loaded->actions) session.play(action);
    for (const std::string& note : loaded->notes) fmt::print("{}: {}\n", printable(options.load), printable(note));
  }
  std::istringstream words(options.moves);
  for (std::string word; words >> word;) {
    if (const auto refusal = session.play(word)) {
      throw UserError(fmt::format("--moves: after {}: {}", counted(session.ply(), "ply", "plies"), refusal->message));
    }
  }
  const bool goes_on = !loaded || session.ply() > std::ssize(loaded->actions);
  const auto recorded = goes_on ? std::nullopt : read_result(loaded->game, loaded->result);
  if (!recorded || !recorded->over()) return {};
  const auto how = std::ranges::find(loaded->headers, "Termination", &std::pair<std::string, std::string>::first);
  return {loaded->result, how == loaded->headers.end() ? "" : how->second};
}

// Where nobody is named who plays: the trained model for the game of the file or of the command line.
std::string model_that_came_along(const PlayOptions& options, const std::optional<SavedGame>& loaded) {
  const bool any_seat = std::ranges::any_of(options.seats, [](const std::string& seat) { return !seat.empty(); });
  if (any_seat || (!loaded && options.game.empty())) return {};
  const AnyGame game = loaded ? loaded->game : find_game(options.game);
  std::string model = trained_model(game);
  if (model.empty()) {
    const std::string fits = fitting_model(game);
    throw UserError(
        fmt::format("no trained model of {} comes with Koridor; {}, or --seat1 PLAYER and so on", name_of(game),
                    fits.empty() ? "say who plays: --model FILE" : fmt::format("{0} can play it: --model {0}", fits)));
  }
  return model;
}

// Throws UserError for an option that says how players play, where people alone do and no model gives hints.
void refuse_options_of_players(const PlayOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (!given) return;
    throw UserError(
        fmt::format("{}: only people play here; name a player, as in --seat2 greedy or --model FILE", option));
  };
  refuse(options.visits > 0, "--visits");
  refuse(!options.search.empty(), "--search");
  refuse(!options.resign.empty(), "--resign");
  const Evaluation usual;
  refuse(options.evaluation.precision != usual.precision, "--precision");
  refuse(options.evaluation.backend != usual.backend, "--backend");
  refuse(options.evaluation.device != usual.device, "--device");
}

// Throws UserError for the path of a model where a game is expected.
void refuse_path_as_game(const std::string& game) {
  std::error_code error;
  const bool path = game.find('/') != std::string::npos && std::filesystem::exists(game, error);
  if (!path && !game.ends_with(".koridor")) return;
  const auto newest = RunDirectory(game).newest_model();
  throw UserError(fmt::format("{} is {}; a model is named by --model, as in koridor play --model {}", game,
                              newest ? "the directory of a run, and a game was expected" : "no game",
                              shell_word(newest ? newest->string() : game)));
}

void run_play(PlayOptions options) {
  catch_signals();
  refuse_path_as_game(options.game);
  const std::atomic<bool>& stop = stop_requested();
  parse_time_control(options.clock);  // throws where it is none, and so does the next
  if (!options.resign.empty()) resign_rule(options);
  std::optional<SavedGame> loaded;
  if (!options.load.empty()) loaded = load_game(options);
  if (options.model.empty()) options.model = model_that_came_along(options, loaded);
  NamedPlayers players(options);
  const MatchPlayer* adviser = players.first_with_model();
  const AnyGame game = chosen_game(options, loaded, adviser);
  const int seats = players_of(game);
  const std::string name = name_of(game);
  if (!options.resign.empty() && seats != 2)
    throw UserError(fmt::format("--resign: {} has more than two players", name));
  std::vector<std::string> texts = players.seat_texts(seats, name);
  if (adviser == nullptr && std::ranges::count(texts, kPerson) == seats) refuse_options_of_players(options);
  if (options.view > seats)
    throw UserError(fmt::format("--view {}: {} has the seats 1 to {}", options.view, name, seats));

  LineReader lines(stop);
  GameFiles files(options.load);
  options.draws = chosen_seed(options.seed);
  for (bool first = true;; first = false, options.draws += kMaxPlayers) {
    Session session(game, session_settings(options, adviser));
    GivenEnd end;
    if (first) end = set_up(session, options, loaded);
    // Said now, and not when the game is to be kept.
    if (first && !options.save.empty()) files.check(session, options.save);
    Seats at_table(session, players, texts, options, stop);
    const Terminal::Again again =
        Terminal(session, at_table, {adviser, options, files, lines, stop}).play(std::move(end));
    files.next_game();
    if (stop && at_table.persons() == 0 && !session.outcome().over()) throw Stopped("stopped before the game was over");
    if (again == Terminal::Again::no) return;
    if (again == Terminal::Again::swapped) std::rotate(texts.begin(), texts.end() - 1, texts.end());
  }
}

void add_players(const Command& play, PlayOptions& options) {
  play.add_option(
          "--model", options.model,
          "Model file, or the name of a trained model; it sits wherever nobody else does (default, where nobody "
          "is named who plays: the trained model of this game)")
      .type_name("FILE");
  play.add_option("--level", options.level, fmt::format("How strong --model plays: {}", level_names()))
      .type_name("LEVEL");
  for (int seat = 0; seat < kMaxPlayers; ++seat) {
    play.add_option(fmt::format("--seat{}", seat + 1), options.seats[static_cast<std::size_t>(seat)],
                    fmt::format("Who sits in seat {}: human or a PLAYER", seat + 1))
        .type_name("PLAYER");
  }
  play.add_option("--seat", options.seat, "Your seat, where only --model is given; 1 moves first")
      .range(1, kMaxPlayers)
      .show_default("1");
  play.add_option("--visits", options.visits,
                  fmt::format("Simulations a move, of players that do not say how many (default: {}, or no limit "
                              "beside --clock)",
                              kUsualVisits))
      .range(1, 1000000);
  play.add_option("--clock", options.clock,
                  "The time of every seat, people's as well; who oversteps it loses: 5m+3, 10/move, 5m+5x30s")
      .type_name("TIME")
      .show_default();
  play.add_option("--resign", options.resign,
                  "Models give up a game of two where so little is expected for so many turns, as in "
                  "value=0.02,turns=3; 0: never (default: value=0.03 in Go, else never)")
      .type_name("RULE");
  add_seed(play, options.seed);
}

void add_files(const Command& play, PlayOptions& options) {
  play.add_option("--load", options.load, "Go on with the game in this file: notation text, or SGF").type_name("FILE");
  play.add_option("--load-game", options.load_game, "Which game of a file of several, from 1")
      .range(1, 1000000)
      .needs("--load")
      .show_default();
  play.add_option("--moves", options.moves, "Actions to begin with, separated by spaces").type_name("ACTIONS");
  play.add_option(
          "--save", options.save,
          "Keep the game in this file after every move: SGF for Go, else notation text. It follows the games "
          "that are there. Without it a game that Ctrl-C or the end of input breaks off is saved in a new file, "
          "and one that `quit` ends is not")
      .type_name("FILE");
}

void add_screen(const Command& play, PlayOptions& options) {
  play.add_flag("--hints", options.hints, "Show the model's best actions and win probabilities every turn");
  play.add_option("--view", options.view, "The seat whose side is at the bottom of the board")
      .range(1, kMaxPlayers)
      .show_default();
  add_notation(play, options.notation, "How actions are written");
  play.add_option("--colour", options.colour, "Colours on the board; auto: at a terminal, unless NO_COLOR is set")
      .one_of({"auto", "always", "never"})
      .show_default();
}

}  // namespace

void add_play(CommandLine& line) {
  auto options = std::make_shared<PlayOptions>();
  const Command play = line.add_command("play", "Play on a board in the terminal: people, models, any PLAYER");
  play.footer(known_players_help());
  play.add_option("game", options->game, "Game id or variant string (default: that of the file or the model)")
      .type_name("GAME");
  add_players(play, *options);
  add_files(play, *options);
  add_screen(play, *options);
  add_search_settings(play, options->search);
  add_evaluation(play, options->evaluation, false);
  play.runs([options] {
    options->model = find_model_player(options->model);
    run_play(*options);
  });
}

}  // namespace koridor::cli
