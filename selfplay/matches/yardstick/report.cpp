#include "selfplay/matches/yardstick/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/players.h"

namespace koridor {
namespace {

using Kind = StrengthRow::Kind;

// About as many visits as self-play has: what such a search finds is what networks are taught.
constexpr int kTargetVisits = 64;

// What one row keeps more often than another of the same positions.
struct Difference {
  double share = 0;      // in [-1, 1]
  bool certain = false;  // beyond chance: its 95% interval does not hold 0 (McNemar 1947)
};

Difference difference(const StrengthRow& more, const StrengthRow& less) {
  int won = 0;
  int lost = 0;
  for (std::size_t i = 0; i < more.kept.size(); ++i) {
    won += more.kept[i] && !less.kept[i] ? 1 : 0;
    lost += less.kept[i] && !more.kept[i] ? 1 : 0;
  }
  const double count = std::max<double>(1, static_cast<double>(more.kept.size()));
  return {(won - lost) / count, std::abs(won - lost) > kNormal95 * std::sqrt(won + lost)};
}

std::string percent(double share) {
  return without_negative_zero(fmt::format("{:.1f}%", 100 * share));
}
std::string points(double share) {
  return without_negative_zero(fmt::format("{:.1f}", 100 * share)) + " points";
}
const char* certainty(const Difference& difference) {
  return difference.certain ? "more than chance" : "no more than chance may do";
}

// The row with its figures.
StrengthRow filled(StrengthRow row, const YardstickSet& set, const std::vector<Phase>& phases,
                   std::span<const YardstickAnswer> answers) {
  row.all = figures_of(set, answers);
  for (const Phase& phase : phases) row.phases.push_back(figures_of(set, answers, phase.positions));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const KnownAction* chosen = set.positions[i].find(answers[i].action);
    row.kept.push_back(chosen != nullptr && chosen->keeps);
  }
  return row;
}

// The precisions at which a model is measured; "" where its name has one.
std::vector<std::string> precisions_of(const MatchPlayer& player) {
  if (!player.precision.empty()) return {""};
  std::vector<std::string> precisions = {"f32"};
  if (!player.model->calibration.empty()) precisions.push_back("int8");
  return precisions;
}

// The player with its model in that precision, which stands between the model's file and the options.
std::string at_precision(const std::string& text, const std::string& precision) {
  if (precision.empty()) return text;
  const NamedPlayer meant = meant_player(text);
  std::string player = meant.text + "@" + precision;
  for (const PlayerOption& option : meant.options) player += "," + option.key + "=" + option.value;
  return player;
}

// The rows of the first precision.
std::vector<const StrengthRow*> first_rows(const StrengthReport& report, Kind kind) {
  std::vector<const StrengthRow*> rows;
  for (const StrengthRow& row : report.rows) {
    if (row.precision == report.rows.front().precision && row.kind == kind) rows.push_back(&row);
  }
  return rows;
}

std::string causes_words(const StrengthRow& deepest, const LossCauses& causes) {
  const int lost = deepest.all.positions - deepest.all.kept;
  if (lost == 0) {
    return fmt::format("At {} all {} choices keep the value.", counted(deepest.visits, "visit"), deepest.all.positions);
  }
  return fmt::format(
      "At {} {} of {} choices are lost ({}). In {} of these positions an action that keeps the value was searched and "
      "seemed no better (value); in {} none was searched (exploration); in {} one seemed better and was not chosen "
      "(rule).",
      counted(deepest.visits, "visit"), lost, deepest.all.positions, percent(1 - deepest.all.share()), causes.misjudged,
      causes.unseen, causes.outvoted);
}

std::string phase_words(const StrengthRow& deepest, const std::vector<Phase>& phases) {
  const auto lost = [](const YardstickFigures& figures) { return figures.positions - figures.kept; };
  const auto most = std::ranges::max_element(deepest.phases, {}, lost);
  const auto worst = std::ranges::min_element(deepest.phases, {},
                                              [](const YardstickFigures& figures) { return figures.interval().high; });
  const auto name = [&](auto figures) {
    return phases[static_cast<std::size_t>(figures - deepest.phases.begin())].name;
  };
  std::string words = fmt::format("By phase: most of them, {}, in \"{}\", where {} are lost", lost(*most), name(most),
                                  percent(1 - most->share()));
  if (worst != most)
    words += fmt::format("; the worst is \"{}\", where {} are", name(worst), percent(1 - worst->share()));
  return words + ".";
}

std::string visits_words(const std::vector<const StrengthRow*>& searches) {
  std::string words = "By visits:";
  for (const StrengthRow* row : searches) {
    words +=
        fmt::format("{} {} lose {}", row == searches.front() ? "" : ",", row->visits, percent(1 - row->all.share()));
  }
  if (searches.size() < 2) return words + ".";
  const StrengthRow& last = *searches.back();
  const StrengthRow& before = *searches[searches.size() - 2];
  const Difference gain = difference(last, before);
  return words + fmt::format("; the step from {} to {} is {}, {}.", before.visits, last.visits, points(gain.share),
                             certainty(gain));
}

// What the search of so many visits would teach: its policy beside the network's own.
std::string target_words(const YardstickFigures& network, const StrengthRow& search) {
  if (!network.policy || !search.all.policy) return "";
  const double own = network.policy->mass;
  const double target = search.all.policy->mass;
  return fmt::format(
      "As targets: the policy of {} has {} on actions that keep the value, the network's own {}: {} to learn.",
      counted(search.visits, "visit"), percent(target), percent(own), points(target - own));
}

// Each row of the first precision with the same row of another one.
std::vector<std::pair<const StrengthRow*, const StrengthRow*>> precision_pairs(const StrengthReport& report) {
  std::vector<std::pair<const StrengthRow*, const StrengthRow*>> pairs;
  for (const StrengthRow& first : report.rows) {
    if (first.precision != report.rows.front().precision) continue;
    for (const StrengthRow& second : report.rows) {
      if (second.precision != first.precision && second.kind == first.kind && second.visits == first.visits)
        pairs.emplace_back(&first, &second);
    }
  }
  return pairs;
}

}  // namespace

std::string StrengthRow::name() const {
  if (kind == Kind::policy) return "policy";
  if (kind == Kind::value) return "value";
  return counted(visits, "visit");
}

void check_report(const WrittenPlayer& model, std::span<const int> visits) {
  for (const int count : {visits.front(), visits.back()}) {
    const MatchPlayer player = load_untimed(model, count);
    if (!player.model) throw UserError(fmt::format("{}: the report is about a network: name a model", model.text));
    if (player.strength.visits == count) continue;
    throw UserError(fmt::format(
        "{}: the report compares searches of several lengths; leave out visits and level, and write them as --visits",
        model.text));
  }
}

StrengthReport report_strength(const YardstickSet& set, const WrittenPlayer& written, std::span<const int> visits,
                               const YardstickOptions& options, const std::atomic<bool>& stop) {
  const AnyGame game = parse_game(set.game);
  check_report(written, visits);
  const MatchPlayer model = load_player(written.text, 1, written.search);
  StrengthReport report;
  report.phases = phases_of(game, set.positions);
  for (const std::string& precision : precisions_of(model)) {
    const std::string shown = precision.empty() ? model.precision : precision;
    const std::string text = at_precision(written.text, precision);
    const auto add = [&](Kind kind, int count, const std::vector<YardstickAnswer>& answers) {
      const StrengthRow row{.precision = shown, .kind = kind, .visits = count, .all = {}, .phases = {}, .kept = {}};
      report.rows.push_back(filled(row, set, report.phases, answers));
    };
    const NetworkAnswers network =
        ask_network(game, load_player(text, 1, written.search), set.positions, options, stop);
    add(Kind::policy, 0, network.by_policy);
    add(Kind::value, 0, network.by_value);
    for (const int count : visits) {
      const auto answers = ask_player(game, load_player(text, count, written.search), set.positions, options, stop);
      if (stop.load(std::memory_order_relaxed)) return report;
      add(Kind::search, count, answers);
      if (shown == report.rows.front().precision) report.causes = causes_of(set, answers);  // the last counts
    }
  }
  explain(set, report);
  return report;
}

void explain(const YardstickSet& set, StrengthReport& report) {
  const auto searches = first_rows(report, Kind::search);
  const auto policies = first_rows(report, Kind::policy);
  if (searches.empty() || policies.empty() || set.positions.empty()) return;
  const StrengthRow& deepest = *searches.back();
  const double count = deepest.all.positions;
  report.losses = {
      {"value", report.causes.misjudged / count,
       "a right action is searched and seems no better: the network misjudges what follows"},
      {"exploration", report.causes.unseen / count,
       "no right action is searched at all: the policy gives it too little, or too few actions are considered"},
      {"rule", report.causes.outvoted / count, "a right action seems better and the search's rule prefers another"}};
  report.words = {causes_words(deepest, report.causes)};
  if (deepest.all.kept < deepest.all.positions) report.words.push_back(phase_words(deepest, report.phases));
  report.words.push_back(visits_words(searches));
  if (searches.size() > 1) {
    const StrengthRow& before = *searches[searches.size() - 2];
    report.losses.push_back({"visits", difference(deepest, before).share,
                             fmt::format("what {} visits miss and {} find", before.visits, deepest.visits)});
  }
  for (const StrengthRow* row : searches) {
    if (row->visits < kTargetVisits && row != searches.back()) continue;
    if (const std::string words = target_words(policies.front()->all, *row); !words.empty())
      report.words.push_back(words);
    break;
  }
  if (const auto pairs = precision_pairs(report); !pairs.empty()) {
    double sum = 0;
    for (const auto& [first, second] : pairs) sum += difference(*first, *second).share;
    const auto& [first, second] = pairs.back();
    const Difference last = difference(*first, *second);
    report.losses.push_back(
        {second->precision, sum / static_cast<double>(pairs.size()),
         fmt::format("what {} keeps and {} loses, the mean of all rows", first->precision, second->precision)});
    report.words.push_back(fmt::format(
        "By precision: {} keeps {} less than {}, the mean of all rows; at {} {} less, {}.", second->precision,
        points(report.losses.back().share), first->precision, second->name(), points(last.share), certainty(last)));
  }
  std::ranges::stable_sort(report.losses, std::ranges::greater{}, &StrengthLoss::share);
  const StrengthLoss& largest = report.losses.front();
  report.words.push_back(largest.share > 0 ? fmt::format("The largest loss: {} ({} of all positions): {}.",
                                                         largest.name, percent(largest.share), largest.meaning)
                                           : "Nothing is lost on this set.");
}

}  // namespace koridor
