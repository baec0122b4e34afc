#include "cli/programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/shell.h"
#include "core/base/text.h"
#include "core/words.h"
#include "models/network/fits.h"
#include "models/network/model_file.h"
#include "selfplay/matches/player_text.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/yardstick/set_file.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor::cli {

std::filesystem::path programs_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::string shell_program() {
  return koridor::shell_program(programs_folder() / "koridor");
}

namespace {

// Installed, or in the folder of the sources if the executable is in a folder there.
std::filesystem::path shared_folder(const char* installed, const char* in_sources) {
  const std::filesystem::path folder = programs_folder() / installed;
  return std::filesystem::is_directory(folder) ? folder : programs_folder() / in_sources;
}

std::filesystem::path recipes_folder() {
  return shared_folder(KORIDOR_RECIPES, "../configs");
}

std::filesystem::path trained_folder() {
  return shared_folder(KORIDOR_TRAINED, "../models/trained");
}

// The files of the folder that have this ending, in rising order; none where it cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view ending) {
  std::error_code ignored;
  std::vector<std::filesystem::path> files;
  for (const std::string& name : koridor::names_in(folder, ignored)) {
    const std::filesystem::path file = folder / name;
    if (file.extension() == ending) files.push_back(file.lexically_normal());
  }
  return files;
}

// Their names without the ending, in rising order.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files_in(folder, ending)) names.push_back(file.stem().string());
  std::ranges::sort(names);  // "a" before "a-b", as the files are not
  return names;
}

// What stands before "@" and ",".
std::string word_of(const std::string& text) {
  return text.substr(0, text.find_first_of("@,"));
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

// Whether a text could be the name of what comes with Koridor, and is no path.
bool may_be_a_name(const std::string& word) {
  return !word.empty() && word.find_first_of("./") == std::string::npos;
}

// The file of the trained model with the name before "@" and ",", and what stands behind it; the text itself where
// there is none, or a file of that name.
std::string trained_or_same(const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string word = word_of(text);
  if (!may_be_a_name(word) || is_file(text) || is_file(word)) return text;
  const fs::path model = trained_folder() / (word + ".koridor");
  return fs::exists(model, error) ? model.lexically_normal().string() + text.substr(word.size()) : text;
}

// None of a damaged file, which keeps no other from being found.
std::vector<std::string> games_learned_by(const std::filesystem::path& file) {
  try {
    return learned_games(load_model(file.string()).info);
  } catch (const UserError&) {
    return {};
  }
}

// Throws UserError for the directory of a run, which holds many models.
void refuse_run(const std::string& text) {
  std::error_code error;
  if (text.empty() || !std::filesystem::is_directory(text, error)) return;
  if (const auto newest = RunDirectory(text).newest_model()) {
    throw UserError(fmt::format("{} is the directory of a run, and a model was expected; the run's newest is {}", text,
                                newest->string()));
  }
}

// The player with the file of a trained model in the place of its name. Where a word means nothing, `unknown` says what
// to throw of it and of the names of the trained models.
template <class Unknown>
std::string found_player(const std::string& text, const Unknown& unknown) {
  if (text.empty()) return text;
  const NamedPlayer meant = meant_player(text);
  if (!meant.place.empty()) return text;
  std::string found = trained_or_same(text);
  if (found == text && kind_of(meant.text).word.empty()) refuse_run(meant.text);
  if (found == text && is_unknown_word(meant.text)) throw unknown(meant.text, names_in(trained_folder(), ".koridor"));
  return found;
}

// Whether the variant string is of this game; the rule of repetition does not matter.
bool names_game(const std::string& variant, const AnyGame& game) {
  try {
    return same_but_for_repetition(parse_game(variant), game);
  } catch (const UserError&) {  // a game that this build does not know
    return false;
  }
}

// The error for a word that names no trained model: it may be a game's, or a run's in the folder where runs are.
UserError unknown_model(const std::string& word, const std::vector<std::string>& models) {
  if (const RunDirectory run("runs/" + word); run.is_there()) {
    return UserError(fmt::format("unknown model '{}'; did you mean the run {}?", word, run.root().string()));
  }
  const std::vector<GameInfo> games = registered_games();
  if (std::ranges::find(games, word, &GameInfo::id) == games.end()) {
    return UserError(unknown_word("model", word, models));
  }
  const AnyGame game = parse_game(word);
  std::vector<std::string> fitting;
  for (const TrainedModel& model : trained_models()) {
    if (std::ranges::any_of(model.games, [&](const std::string& name) { return names_game(name, game); })) {
      fitting.push_back(model.name);
    }
  }
  return UserError(fmt::format("'{}' is a game, and a model was expected; {}", word,
                               fitting.empty() ? "none comes with Koridor that was trained on it"
                                               : fmt::format("trained on it: {}", fmt::join(fitting, ", "))));
}

}  // namespace

AnyGame find_game(const std::string& variant, std::span<const std::string> settings) {
  try {
    return parse_game(variant, settings);
  } catch (const UserError&) {
    if (trained_or_same(variant) == variant) throw;
    throw UserError(fmt::format("'{}' is a trained model, and a game was expected; `koridor play --model {}` plays it",
                                variant, variant));
  }
}

std::string find_config(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (is_file(name)) return name;
  const bool may_be_recipe = may_be_a_name(name);
  const fs::path recipe = (recipes_folder() / (name + ".toml")).lexically_normal();
  if (may_be_recipe && fs::exists(recipe, error)) return recipe.string();
  if (const RunDirectory run(name); !name.empty() && run.is_there()) {
    throw UserError(fmt::format("{} is the directory of a run, and a recipe was expected; the run's is {}", name,
                                run.config().string()));
  }
  if (!may_be_recipe) return name;
  const std::vector<std::string> recipes = names_in(recipes_folder(), ".toml");
  if (recipes.empty()) return name;
  throw UserError(unknown_word("recipe", name, recipes));
}

std::string find_model(const std::string& name) {
  const std::string found = trained_or_same(name);
  if (found != name) return found;
  refuse_run(name);
  const std::string word = word_of(name);
  std::error_code error;
  const bool there = std::filesystem::exists(name, error) || std::filesystem::exists(word, error);
  if (there || !may_be_a_name(word)) return name;
  const std::vector<std::string> models = names_in(trained_folder(), ".koridor");
  if (models.empty()) return name;
  throw unknown_model(word, models);
}

std::string model_path(const std::string& text) {
  const auto is_regular = [](const std::string& path) {
    std::error_code no_path;  // as the command of an engine
    return std::filesystem::is_regular_file(path, no_path);
  };
  std::string player = text;
  if (!is_regular(player)) player = split_player(player).base;
  if (!is_regular(player)) player.resize(std::min(player.rfind('@'), player.size()));
  return is_regular(player) ? player : std::string();
}

std::vector<std::string> files_of_player(const std::string& text) {
  if (text.empty()) return {};
  const NamedPlayer meant = meant_player(find_player(text));
  return {meant.place.substr(0, meant.place.rfind(':')), model_path(meant.text)};
}

std::string find_player(const std::string& text) {
  return found_player(text, unknown_player);
}

std::string find_model_player(const std::string& text) {
  return found_player(text, [](const std::string& word, const std::vector<std::string>& models) {
    return models.empty() ? unknown_player(word) : unknown_model(word, models);
  });
}

std::string known_players_help() {
  return players_help() + "\nThe name of a trained model stands for its file, as in quoridor-5x5@int8,visits=50.";
}

MatchPlayer load_found_player(const std::string& text, int visits, const SearchConfig& search) {
  MatchPlayer player = load_player(find_player(text), visits, search);
  player.name = text;
  return player;
}

std::string short_player_name(const std::string& text) {
  if (kind_of(text).command) {
    const std::string command(trimmed(std::string_view(text).substr(text.find(':') + 1)));
    return std::filesystem::path(command.substr(0, command.find(' '))).filename().string();
  }
  const PlayerText split = split_player(text);
  std::string name = std::filesystem::path(split.base).filename().string();
  if (const std::size_t ending = name.find(".koridor"); ending != std::string::npos) name.erase(ending, 8);
  for (const PlayerOption& option : split.options) name += fmt::format(",{}={}", option.key, option.value);
  return name;
}

void refuse_model_names(const Config& config) {
  const auto refuse = [](const char* key, const std::string& text) {
    if (text.empty() || !meant_player(text).place.empty()) return;
    const std::string meant = trained_or_same(text);
    if (meant == text) return;
    throw UserError(
        fmt::format("{}: {} is the name of a trained model; write its path here: \"{}\"", key, in_quotes(text), meant));
  };
  for (const std::string& baseline : config.rating.baselines) refuse("rating.baselines", baseline);
  refuse("training.start_from", config.training.start_from);
}

std::vector<TrainedModel> trained_models() {
  std::vector<TrainedModel> models;
  for (const std::filesystem::path& file : files_in(trained_folder(), ".koridor")) {
    TrainedModel model{file.stem().string(), file.string(), games_learned_by(file)};
    if (!model.games.empty()) models.push_back(std::move(model));
  }
  return models;
}

std::string trained_model(const AnyGame& game) {
  const auto is_asked = [&](const std::string& name) { return names_game(name, game); };
  std::string among_several;
  for (const std::filesystem::path& file : files_in(trained_folder(), ".koridor")) {
    const std::vector<std::string> games = games_learned_by(file);
    if (std::ranges::none_of(games, is_asked)) continue;
    if (games.size() == 1) return file.string();
    if (among_several.empty()) among_several = file.string();
  }
  return among_several;
}

std::string fitting_model(const AnyGame& game) {
  const auto id_of = [](const AnyGame& any) {
    const std::string name = name_of(any);
    return name.substr(0, name.find(':'));
  };
  const auto sides_of = [](const AnyGame& any) {
    const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, any);
    return std::pair(shape.rows, shape.columns);
  };
  const auto [rows, columns] = sides_of(game);
  std::string found;
  std::tuple<bool, int, int> least;
  for (const std::filesystem::path& file : files_in(trained_folder(), ".koridor")) {
    try {
      const ModelInfo info = load_model(file.string()).info;
      require_fits(info, game, file.string());
      const AnyGame learned = parse_game(info.game);
      const auto [learned_rows, learned_columns] = sides_of(learned);
      const std::tuple far(id_of(learned) != id_of(game),
                           std::abs(learned_rows - rows) + std::abs(learned_columns - columns),
                           -learned_rows - learned_columns);
      if (found.empty() || far < least) std::tie(found, least) = std::pair(file.stem().string(), far);
    } catch (const UserError&) {  // it does not fit, is damaged, or of a game that this build does not know
    }
  }
  return found;
}

std::filesystem::path yardsticks_folder() {
  return shared_folder(KORIDOR_YARDSTICKS, "../models/yardsticks").lexically_normal();
}

std::string find_yardstick(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!may_be_a_name(name) || fs::exists(name, error)) return name;
  const fs::path set = yardsticks_folder() / (name + std::string(kYardstickEnding));
  if (fs::exists(set, error)) return set.string();
  const std::vector<std::string> sets = names_in(yardsticks_folder(), kYardstickEnding);
  if (sets.empty()) return name;
  throw UserError(unknown_word("set", name, sets));
}

void replace_process(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw UserError("cannot start " + program.string() + ": " + std::strerror(errno) +
                  "; build it with cmake --build build");
}

}  // namespace koridor::cli
