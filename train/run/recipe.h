// The recipes of a comparison as they are typed: a configuration and what a method changes in it.
//
//   configs/quickstart.toml                                      label quickstart
//   configs/quickstart.toml,training.ema=0                       label ema=0
//   configs/quickstart.toml,label=small,network.channels=16,network.blocks=2
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "train/run/config.h"

namespace koridor {

struct RecipeText {
  std::string file;                     // as it was typed
  std::vector<std::string> settings{};  // "section.key=value"
  std::string label{};                  // that was given; else what it changes, or the file's name
};

// A comma within brackets or quotes belongs to a value. Throws UserError where a part is no assignment, where a key is
// given twice and where the label cannot be the name of a folder.
RecipeText read_recipe(const std::string& text);

struct Recipe {
  std::string label;
  Config config{};  // of no seed yet
};

struct RecipeOptions {
  std::vector<std::string> settings{};                         // of all recipes, applied before their own
  double budget = 0;                                           // run.max_cost of each
  int threads = -1;                                            // run.threads of each; -1: its own
  std::function<std::string(const std::string&)> find_file{};  // the file that a typed name stands for; empty: itself
};

// Throws UserError where the folder holds anything that no comparison keeps: it is somebody else's, or a run.
void refuse_other_folder(const std::filesystem::path& folder);

// Reads the recipes' configurations. They end by their cost alone. Throws UserError where two have one label or games
// of other boards, where one would not start from nothing or has nobody with Elo 0, and where a setting is one that the
// comparison decides.
std::vector<Recipe> load_recipes(std::span<const std::string> texts, const RecipeOptions& options);

// The recipe's configuration with a seed.
Config config_of(const Recipe& recipe, int seed);

}  // namespace koridor
