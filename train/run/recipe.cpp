#include "train/run/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/foreign_name.h"
#include "train/run/setting_text.h"

namespace koridor {
namespace {

constexpr int kMostGenerations = 100000;
constexpr std::size_t kLongestLabel = 40;

// Keys that the comparison sets itself, each with how to say so.
struct Decided {
  std::string_view key;
  std::string_view instead;
};
constexpr std::array kDecided = {
    Decided{"run.seed", "--seeds gives each run its own"}, Decided{"run.generations", "--budget ends the runs"},
    Decided{"run.max_minutes", "--budget ends the runs"}, Decided{"run.max_cost", "--budget ends the runs"}};

void refuse_decided(const std::string& setting, const std::string& where) {
  for (const Decided& decided : kDecided) {
    if (setting.substr(0, setting.find('=')) != decided.key) continue;
    throw UserError(fmt::format("{}: a comparison sets {} itself: {}", where, decided.key, decided.instead));
  }
}

// The parts between commas that are in no brackets and no quotes.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '[') ++depth;
    if (!quoted && c == ']') --depth;
    if (c == ',' && !quoted && depth <= 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  // A value may be a game, whose rules stand behind commas ("run.game=quoridor:5x5,walls=3"): a part whose name has no
  // section belongs to the value before it.
  std::vector<std::string> joined;
  for (std::string& part : parts) {
    const std::string name = part.substr(0, part.find('='));
    const bool goes_on = joined.size() > 1 && part.find('=') != std::string::npos &&
                         name.find('.') == std::string::npos && name != "label" &&
                         joined.back().starts_with("run.game");
    if (goes_on) {
      joined.back() += "," + part;
    } else {
      joined.push_back(std::move(part));
    }
  }
  return joined;
}

// What a comparison keeps beside the folders of its recipes.
constexpr std::array<std::string_view, 4> kFilesBeside = {"lock", "matches.json", "unsolved.json", "compare.svg"};

bool is_beside_recipes(std::string_view name) {
  return std::ranges::find(kFilesBeside, name) != kFilesBeside.end();
}

// What other commands that are given a comparison's runs write beside them: the matches of `rate`, and pictures.
bool is_of_other_commands(std::string_view name) {
  return name == "cross-matches.json" || name.ends_with(".svg");
}

bool is_run_of_recipe(std::string_view name) {
  return name.starts_with("seed-");
}

bool fit_for_folder(const std::string& label) {
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '.' && label.front() != '-' &&
         std::ranges::all_of(label, [](char c) {
           return std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=+-").find(c) !=
                  std::string_view::npos;
         });
}

// "ema=0+channels=16" from what is changed, with other characters than a folder may have left out.
std::string label_of(const RecipeText& recipe) {
  std::string label;
  for (const std::string& setting : recipe.settings) {
    const std::size_t dot = setting.substr(0, setting.find('=')).find('.');
    label += (label.empty() ? "" : "+") + setting.substr(dot == std::string::npos ? 0 : dot + 1);
  }
  if (label.empty()) label = std::filesystem::path(recipe.file).stem().string();
  std::string fit;
  for (const char c : label) {
    if (fit_for_folder(std::string("a") + c) && fit.size() < kLongestLabel) fit += c;
  }
  return fit;
}

// Throws UserError where one of a recipe's settings names no key or no value of it.
void refuse_wrong(const std::vector<std::string>& settings, const std::string& recipe) {
  Config unused;
  SettingList list;
  describe_settings(unused, list);
  for (const std::string& setting : settings) apply_assignment(list, setting, fmt::format("recipe \"{}\"", recipe));
}

}  // namespace

RecipeText read_recipe(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text);
  RecipeText recipe{.file = parts.front()};
  if (recipe.file.empty()) throw UserError(fmt::format("recipe \"{}\": it names no configuration", text));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UserError(
          fmt::format("recipe \"{}\": \"{}\" is no assignment such as training.ema=0 or label=NAME", text, part));
    }
    if (part.starts_with("label=")) {
      recipe.label = part.substr(equals + 1);
      continue;
    }
    refuse_decided(part, fmt::format("recipe \"{}\"", text));
    const std::string key = part.substr(0, equals);
    if (std::ranges::any_of(recipe.settings, [&](const std::string& other) { return other.starts_with(key + "="); })) {
      throw UserError(fmt::format("recipe \"{}\": {} is given twice", text, key));
    }
    recipe.settings.push_back(part);
  }
  if (recipe.label.empty()) recipe.label = label_of(recipe);
  if (!fit_for_folder(recipe.label)) {
    throw UserError(
        fmt::format("recipe \"{}\": the label \"{}\" cannot be the name of a folder; give one of letters, "
                    "digits and .-_=+, as label=NAME",
                    text, recipe.label));
  }
  if (is_beside_recipes(recipe.label) || is_of_other_commands(recipe.label)) {
    throw UserError(
        fmt::format("recipe \"{}\": the comparison has a file {} beside the folders of its recipes; give "
                    "another name as label=NAME",
                    text, recipe.label));
  }
  return recipe;
}

void refuse_other_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const auto is_recipe = [&](std::string_view name) {
    std::error_code ignored;
    const fs::path recipe = folder / name;
    const std::vector<std::string> names = names_in(recipe, ignored);
    if (!fs::is_directory(recipe, ignored) || ignored) return false;
    if (!names.empty() && std::ranges::none_of(names, is_run_of_recipe)) return false;
    refuse_foreign_files(
        recipe, [](std::string_view file) { return is_run_of_recipe(file) || is_of_other_commands(file); },
        "a recipe of a comparison");
    return true;
  };
  refuse_foreign_files(
      folder,
      [&](std::string_view name) { return is_beside_recipes(name) || is_of_other_commands(name) || is_recipe(name); },
      "a comparison");
}

std::vector<Recipe> load_recipes(std::span<const std::string> texts, const RecipeOptions& options) {
  for (const std::string& setting : options.settings) refuse_decided(setting, "--set " + setting);
  std::vector<Recipe> recipes;
  for (const std::string& text : texts) {
    const RecipeText read = read_recipe(text);
    std::vector<std::string> settings = options.settings;
    settings.insert(settings.end(), read.settings.begin(), read.settings.end());
    refuse_wrong(read.settings, text);
    Recipe recipe{read.label};
    recipe.config = load_config(options.find_file ? options.find_file(read.file) : read.file, settings);
    if (recipe.config.rating.baselines.empty()) {
      throw UserError(fmt::format("recipe \"{}\": rating.baselines is empty, and its last player has Elo 0", text));
    }
    recipe.config.run.generations = kMostGenerations;
    recipe.config.run.max_minutes = 0;
    recipe.config.run.max_cost = options.budget;
    if (options.threads >= 0) recipe.config.run.threads = options.threads;
    if (!recipe.config.training.start_from.empty()) {
      throw UserError(
          fmt::format("recipe \"{}\": it starts from the model {} (training.start_from), and a comparison "
                      "trains from nothing",
                      text, recipe.config.training.start_from));
    }
    for (const Recipe& other : recipes) {
      if (other.label == recipe.label) {
        throw UserError(fmt::format("two recipes are called {}; give one another name with label=NAME", recipe.label));
      }
    }
    const Recipe& base = recipes.empty() ? recipe : recipes.front();
    if (boards_of(base.config) != boards_of(recipe.config)) {
      throw UserError(fmt::format("{} plays {} and {} plays {}: only recipes of the same game have one scale",
                                  base.label, fmt::join(boards_of(base.config), " and "), recipe.label,
                                  fmt::join(boards_of(recipe.config), " and ")));
    }
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

Config config_of(const Recipe& recipe, int seed) {
  Config config = recipe.config;
  config.run.seed = static_cast<std::uint64_t>(seed);
  return config;
}

}  // namespace koridor
