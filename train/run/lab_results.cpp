#include "train/run/lab_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace koridor {
namespace {

std::vector<double> values_at(const std::vector<LabRun>& runs, std::size_t recipe, int number,
                              const LabMeasure& measure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LabPoint* point = runs[i].recipe == recipe ? runs[i].point(number) : nullptr;
    if (point == nullptr) continue;
    if (const auto value = measure.value(i, point->generation)) values.push_back(*value);
  }
  return values;
}

// How much more the recipe's last point on a seed has than that of the base.
struct DifferenceOfSeed {
  double value;
  LabWeight own;   // weighs 1
  LabWeight base;  // weighs -1
};
std::vector<DifferenceOfSeed> differences_at_end(const std::vector<LabRun>& runs, std::size_t recipe,
                                                 const LabMeasure& measure) {
  struct End {
    std::size_t run;
    int generation;
    double value;
  };
  std::map<int, End> base;
  std::map<int, End> own;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].points.empty() || (runs[i].recipe != 0 && runs[i].recipe != recipe)) continue;
    const int generation = runs[i].points.back().generation;
    const auto value = measure.value(i, generation);
    if (!value) continue;
    (runs[i].recipe == 0 ? base : own)[runs[i].seed] = {i, generation, *value};
  }
  std::vector<DifferenceOfSeed> differences;
  for (const auto& [seed, mine] : own) {
    const auto found = base.find(seed);
    if (found == base.end()) continue;
    const End& other = found->second;
    differences.push_back(
        {mine.value - other.value, {mine.run, mine.generation, 1.0}, {other.run, other.generation, -1.0}});
  }
  return differences;
}

// The error of the mean of so many values whose sum this is.
double error_of_mean_of(const LabMeasure& measure, std::vector<LabWeight> sum, std::size_t values) {
  for (LabWeight& part : sum) part.weight /= static_cast<double>(values);
  return measure.error_of_sum(sum);
}

// The error that these errors of single values, of which no more is known, bring into the mean of the values.
double error_of_mean(const LabMeasure& measure, const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += measure.shared_error ? error : error * error;
  return (measure.shared_error ? sum : std::sqrt(sum)) / static_cast<double>(errors.size());
}

// The error that the single values bring into their mean; nothing where they have none.
std::optional<double> own_error(const std::vector<LabRun>& runs, std::size_t recipe, int number,
                                const LabMeasure& measure) {
  if (!measure.error) return {};
  std::vector<LabWeight> sum;
  std::vector<double> errors;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LabPoint* point = runs[i].recipe == recipe ? runs[i].point(number) : nullptr;
    if (point == nullptr || !measure.value(i, point->generation)) continue;
    sum.push_back({i, point->generation, 1.0});
    errors.push_back(measure.error(i, point->generation));
  }
  if (errors.empty()) return {};
  return measure.error_of_sum ? error_of_mean_of(measure, sum, errors.size()) : error_of_mean(measure, errors);
}

// The error that the single values bring into the mean of these differences; nothing where they have none.
std::optional<double> own_error(const std::vector<DifferenceOfSeed>& differences, const LabMeasure& measure) {
  if (!measure.error) return {};
  std::vector<LabWeight> sum;
  std::vector<double> errors;
  for (const auto& [value, own, base] : differences) {
    sum.insert(sum.end(), {own, base});
    errors.push_back(std::hypot(measure.error(own.run, own.generation), measure.error(base.run, base.generation)));
  }
  return measure.error_of_sum ? error_of_mean_of(measure, sum, errors.size()) : error_of_mean(measure, errors);
}

std::string in_format(const LabMeasure& measure, double value) {
  return fmt::format(fmt::runtime(measure.format), measure.factor * value);
}

// "+12", "-3.1%"
std::string signed_text(const LabMeasure& measure, double value) {
  const std::string size = in_format(measure, std::abs(value));
  const bool nothing = size.find_first_of("123456789") == std::string::npos;
  return (value < 0 && !nothing ? "-" : "+") + size;
}

bool known(const std::vector<LabRun>& runs, const LabMeasure& measure) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const LabPoint& point : runs[i].points) {
      if (measure.value(i, point.generation)) return true;
    }
  }
  return false;
}

int width_of_labels(const std::vector<Recipe>& recipes) {
  std::size_t width = 10;
  for (const Recipe& recipe : recipes) width = std::max(width, recipe.label.size());
  return static_cast<int>(width);
}

}  // namespace

LabMeasure elo_measure(const std::vector<LabRun>& runs, const std::vector<RatedPlayer>& players) {
  const auto ratings = std::make_shared<std::map<std::pair<std::string, int>, RatedPlayer>>();
  for (const RatedPlayer& player : players) {
    if (player.generation >= 0) ratings->emplace(std::pair(player.run, player.generation), player);
  }
  std::vector<std::string> labels;
  for (const LabRun& run : runs) labels.push_back(run.run.label);
  const auto rated = [=](std::size_t run, int generation) -> const RatedPlayer* {
    const auto found = ratings->find({labels.at(run), generation});
    return found == ratings->end() ? nullptr : &found->second;
  };
  LabMeasure measure{.name = "elo", .title = "Elo", .heading = "Elo", .format = "{:.0f}"};
  measure.value = [=](std::size_t run, int generation) -> std::optional<double> {
    const RatedPlayer* player = rated(run, generation);
    return player == nullptr ? std::nullopt : std::optional(player->elo);
  };
  measure.error = [=](std::size_t run, int generation) {
    const RatedPlayer* player = rated(run, generation);
    return player == nullptr ? 0.0 : player->error;
  };
  if (players.empty()) return measure;
  measure.error_of_sum = [=, fit = players.front().fit](std::span<const LabWeight> sum) {
    std::vector<double> weights(fit->ratings.size());
    for (const LabWeight& part : sum) {
      if (const RatedPlayer* player = rated(part.run, part.generation)) weights[player->place_in_fit] += part.weight;
    }
    return fit->error95_of_sum(weights);
  };
  return measure;
}

std::optional<MeanOverSeeds> lab_mean(const std::vector<LabRun>& runs, std::size_t recipe, int point,
                                      const LabMeasure& measure) {
  const std::vector<double> values = values_at(runs, recipe, point, measure);
  if (values.empty()) return {};
  return mean_over_seeds(values);
}

std::optional<double> lab_cost(const std::vector<LabRun>& runs, std::size_t recipe, int point) {
  const LabMeasure cost{.name = "cost", .title = "", .heading = "", .format = "", .value = [&](std::size_t run, int) {
                          const LabPoint* found = runs[run].point(point);
                          return found == nullptr ? std::optional<double>() : std::optional(found->cost);
                        }};
  const auto mean = lab_mean(runs, recipe, point, cost);
  return mean ? std::optional(mean->mean) : std::nullopt;
}

Table lab_table(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  // Costs of less than a few core-seconds have fractions.
  double most = 0;
  for (const LabRun& run : runs) most = std::max(most, run.points.empty() ? 0 : run.points.back().cost);
  std::vector<Column> columns = {{"recipe", text, "", "", -width_of_labels(recipes), "{}"},
                                 {"share", number, "share", "way", 5, "{:.0f}%", 100.0},
                                 {"cost", number, "core-seconds", "cost", 7, most < 10 ? "{:.3g}" : "{:.0f}"},
                                 {"seeds", integer, "", "runs", 4, "{}"}};
  for (const LabMeasure& measure : measures) {
    const bool shown = known(runs, measure);
    const auto format = [&](const std::string& prefix) { return shown ? prefix + measure.format : std::string(); };
    columns.push_back({measure.name, number, "", measure.heading, 7, format(""), measure.factor});
    columns.push_back({measure.name + "_seeds95", number, "", "seeds", 7, format("+-"), measure.factor});
    columns.push_back(
        {measure.name + "_own95", number, "", "own", 7, measure.error ? format("+-") : "", measure.factor});
  }
  Table table("compare", std::move(columns));
  for (std::size_t recipe = 0; recipe < recipes.size(); ++recipe) {
    for (int point = 1; point <= kLabPoints; ++point) {
      const auto cost = lab_cost(runs, recipe, point);
      if (!cost) continue;
      const auto seeds = std::ranges::count_if(
          runs, [&](const LabRun& run) { return run.recipe == recipe && run.point(point) != nullptr; });
      std::vector<Cell> row = {recipes[recipe].label, static_cast<double>(point) / kLabPoints, *cost, seeds};
      for (const LabMeasure& measure : measures) {
        const auto mean = lab_mean(runs, recipe, point, measure);
        row.push_back(mean ? Cell(mean->mean) : Cell());
        row.push_back(mean ? Cell(mean->error) : Cell());
        row.push_back(own_error(runs, recipe, point, measure));
      }
      table.add(std::move(row));
    }
  }
  return table;
}

Table lab_verdicts(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                   const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  const auto sentence = [measures](const TableRow& row) {
    const auto measure = std::ranges::find(measures, row.text("measure"), &LabMeasure::name);
    std::string line =
        fmt::format("{}: {} {}", row.text("recipe"), measure->title, signed_text(*measure, row.number("difference")));
    if (!row.empty("seeds95")) {
      const double own = row.empty("own95") ? 0 : row.number("own95");
      line += " +-" + in_format(*measure, std::max(row.number("seeds95"), own));
    }
    line += fmt::format(" against {}: {}", row.text("base"), row.text("verdict"));
    if (row.empty("seeds95")) line += ", since one seed says nothing of another";
    return line + "\n";
  };
  Table table("verdicts",
              {{"recipe", text},
               {"base", text},
               {"measure", text},
               {"difference", number},
               {"seeds95", number},
               {"own95", number},
               {"verdict", text}},
              sentence);
  for (std::size_t recipe = 1; recipe < recipes.size(); ++recipe) {
    for (const LabMeasure& measure : measures) {
      const std::vector<DifferenceOfSeed> differences = differences_at_end(runs, recipe, measure);
      if (differences.empty()) continue;
      std::vector<double> values;
      for (const DifferenceOfSeed& each : differences) values.push_back(each.value);
      const MeanOverSeeds difference = mean_over_seeds(values);
      const std::optional<double> own = own_error(differences, measure);
      const Verdict verdict = verdict_of(difference, own.value_or(0), measure.more_is_better);
      table.add({recipes[recipe].label, recipes.front().label, measure.name, difference.mean, difference.error, own,
                 name_of(verdict)});
    }
  }
  return table;
}

Table lab_runs(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
               const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  std::vector<Column> columns = {{"recipe", text},
                                 {"seed", integer},
                                 {"share", number, "share"},
                                 {"generation", integer},
                                 {"cost", number, "core-seconds"}};
  for (const LabMeasure& measure : measures) {
    columns.push_back({measure.name, number});
    columns.push_back({measure.name + "_own95", number});
  }
  Table table("runs", std::move(columns));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const LabPoint& point : runs[i].points) {
      std::vector<Cell> row = {recipes[runs[i].recipe].label, runs[i].seed,
                               static_cast<double>(point.number) / kLabPoints, point.generation, point.cost};
      for (const LabMeasure& measure : measures) {
        const auto value = measure.value(i, point.generation);
        row.push_back(value);
        row.push_back(value && measure.error ? Cell(measure.error(i, point.generation)) : Cell());
      }
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace koridor
