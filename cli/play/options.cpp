#include "cli/play/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/base/setting.h"
#include "core/base/shell.h"
#include "core/search/clock.h"
#include "selfplay/matches/levels.h"

namespace koridor::cli {
namespace {

void add_evaluation_options(std::string& text, Evaluation evaluation) {
  Evaluation usual_evaluation;
  SettingList given;
  SettingList usual;
  for (SettingList* list : {&given, &usual}) list->begin_section("evaluation");
  describe_settings(evaluation, given);
  describe_settings(usual_evaluation, usual);
  for (std::size_t i = 0; i < given.settings().size(); ++i) {
    const auto* const word = std::get_if<std::string*>(&given.settings()[i].target);
    if (word == nullptr || **word == **std::get_if<std::string*>(&usual.settings()[i].target)) continue;
    text += fmt::format(" --{} {}", given.settings()[i].key(), shell_word(**word));
  }
}

}  // namespace

ResignRule resign_rule(const PlayOptions& options) {
  return read_resign_rule(options.resign, "--resign", {.play_on = 0});
}

int visits_of(const PlayOptions& options) {
  if (options.visits > 0) return options.visits;
  return parse_time_control(options.clock).none() ? kUsualVisits : Strength::kEndless;
}

std::string further_options(const PlayOptions& options) {
  const PlayOptions usual;
  std::string text;
  // Where seats were named, --model may be the adviser alone, or sit in the others.
  if (!options.model.empty() && std::ranges::any_of(options.seats, [](const auto& seat) { return !seat.empty(); })) {
    text += " --model " + shell_word(options.model);
    if (!options.level.empty()) text += " --level " + shell_word(options.level);
  }
  if (options.visits != usual.visits) text += fmt::format(" --visits {}", options.visits);
  if (options.clock != usual.clock) text += " --clock " + shell_word(options.clock);
  if (options.resign != usual.resign) text += " --resign " + shell_word(options.resign);
  if (options.seed) text += fmt::format(" --seed {}", *options.seed);
  for (const std::string& setting : options.search) text += " --search " + shell_word(setting);
  add_evaluation_options(text, options.evaluation);
  if (options.hints) text += " --hints";
  if (options.view != usual.view) text += fmt::format(" --view {}", options.view);
  if (options.notation != usual.notation) text += " --notation modern";
  if (options.colour != usual.colour) text += " --colour " + options.colour;
  return text;
}

}  // namespace koridor::cli
