// Koridor's other executables, and the recipes and models that come with them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/registry.h"

namespace koridor {
struct Config;
struct MatchPlayer;
struct SearchConfig;
}  // namespace koridor

namespace koridor::cli {

// The folder of this executable, which also holds `koridor-trainer`.
std::filesystem::path programs_folder();

// This executable as a shell of the working folder starts it: a word of a command.
std::string shell_program();

// parse_game() for an argument of a command. The error for the name of a trained model says what that is.
AnyGame find_game(const std::string& variant, std::span<const std::string> settings = {});

// The file of a configuration: `name`, unless there is no such file and the name is that of a recipe ("quickstart")
// that came with this executable. Throws UserError, which lists the recipes, for a bare word that is neither.
std::string find_config(const std::string& name);

// The file of a model: `name`, unless there is no such file and the name is that of a trained model that came with this
// executable ("quoridor-5x5"). What stands behind the name, as in "quoridor-5x5@int8", stays behind it. Throws
// UserError, which lists the trained models, for a bare word that is neither.
std::string find_model(const std::string& name);
// The same of an option that takes players whose model is asked for: the names of players.toml stay what they are.
std::string find_model_player(const std::string& text);

// The same for a player as load_player() takes it: other players, and the names of players.toml, stay what they are.
// Throws UserError, which lists players and trained models, for a bare word that is none of these.
std::string find_player(const std::string& text);
// The path of a player's model, without the precision and the options that stand behind it; empty where it is no file.
std::string model_path(const std::string& player);
// The files that a player as find_player() takes it is read from, for check_not_read(): that of a model, and
// players.toml where the player is named there.
std::vector<std::string> files_of_player(const std::string& text);
// A player's name in records and narrow tables: the file's name of a model, the program's of an engine, else its text.
std::string short_player_name(const std::string& text);
// players_help(), and what find_player() adds to it.
std::string known_players_help();
// load_player() of it; the player's name is the text as it was written.
MatchPlayer load_found_player(const std::string& text, int visits, const SearchConfig& search);

// Throws UserError where a configuration has the name of a trained model, with the path to write in its place: a run
// must mean the same on every machine, so that its configuration knows no names of installed files.
void refuse_model_names(const Config& config);

// The trained models that came with this executable, in rising order of their files.
struct TrainedModel {
  std::string name;  // "quoridor-5x5"
  std::string file;
  std::vector<std::string> games;  // that it learned, as variant strings
};
std::vector<TrainedModel> trained_models();

// The file of the trained model that came with this executable for exactly this game, whatever its rule of repetition:
// the first that learned it alone, or else the first that learned it among others; empty where there is none.
std::string trained_model(const AnyGame& game);

// The name of the trained model that came with this executable and can play the game, though it has not learned it: of
// several one of the same game on another board, and then that of the board next in size; empty where there is none.
std::string fitting_model(const AnyGame& game);

// The file of a set of positions: `name`, unless there is no such file and the name is that of a set that came with
// this executable ("quoridor-5x5-walls3"). Throws UserError, which lists the sets, for a bare word that is neither.
std::string find_yardstick(const std::string& name);
// The folder of those sets, of which find_yardstick_set finds that of a game.
std::filesystem::path yardsticks_folder();

// Replaces this process by the program; arguments[0] is the name that it has in its messages. Throws UserError where it
// cannot be started.
[[noreturn]] void replace_process(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace koridor::cli
