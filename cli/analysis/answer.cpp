#include "cli/analysis/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/base/json_text.h"
#include "selfplay/matches/interval.h"

namespace koridor::cli {
namespace {

using nlohmann::ordered_json;

// A number with as many digits as mean something.
double shown(double number) {
  constexpr double kUnits = 1e7;
  return std::round(number * kUnits) / kUnits;
}

ordered_json shown(std::span<const float> numbers, float factor) {
  ordered_json list = ordered_json::array();
  for (const float number : numbers) list.push_back(shown(factor * number));
  return list;
}

// Turns what a report says into the view of one seat.
class View {
 public:
  View(const AnswerForm& form, const PositionReport& report)
      : mover_(report.analysis.seat),
        seat_(form.perspective == Perspective::mover   ? mover_
              : form.perspective == Perspective::black ? 0
                                                       : 1),
        players_(players_of(form.line->game)) {}

  double winrate(const Values& values) const { return shown(values[static_cast<std::size_t>(seat_)]); }
  // +1 where what is said from black's view is said from this one's, too.
  float sign() const { return seat_ == 0 ? 1.0f : -1.0f; }
  ordered_json values(const Values& values) const {
    return shown(std::span(values).first(static_cast<std::size_t>(players_)), 1.0f);
  }

  // -1 for a loss, 1 for a win.
  static double utility(double winrate) { return shown(2.0 * winrate - 1.0); }

  // The bound of a win rate on the mover's cautious side: the end of the 95% interval of a share if each visit was a
  // game.
  double bound(const Values& values, int visits, bool proven) const {
    const double own = values[static_cast<std::size_t>(mover_)];
    const double least = proven ? own : wilson_interval(own, visits).low;
    if (seat_ == mover_) return shown(least);
    if (players_ == 2) return shown(1.0 - least);
    return winrate(values);
  }

  void add_score(ordered_json& object, const std::optional<ExpectedScore>& score) const {
    if (!score) return;
    const double lead = shown(sign() * score->lead);
    object["scoreLead"] = lead;
    object["scoreMean"] = lead;
    object["scoreSelfplay"] = lead;
    object["scoreStdev"] = shown(score->deviation);
  }

 private:
  int mover_;
  int seat_;
  int players_;
};

std::string seat_word(const AnswerForm& form, int seat) {
  if (std::holds_alternative<go::GoGame>(form.line->game)) return seat == 0 ? "B" : "W";
  return fmt::to_string(seat + 1);
}

ordered_json move_info(const AnswerForm& form, const View& view, const PositionReport& report, std::size_t order) {
  const Candidate& candidate = report.analysis.candidates[order];
  const CandidateReport& more = report.candidates[order];
  const double winrate = view.winrate(candidate.values);
  const double bound = view.bound(candidate.values, candidate.visits, candidate.proven);
  ordered_json info = {{"move", candidate.text},
                       {"visits", candidate.visits},
                       {"edgeVisits", candidate.visits},
                       {"winrate", winrate},
                       {"values", view.values(candidate.values)}};
  view.add_score(info, more.score);
  info["prior"] = shown(candidate.prior);
  info["utility"] = View::utility(winrate);
  info["lcb"] = bound;
  info["utilityLcb"] = View::utility(bound);
  info["weight"] = candidate.visits;
  info["edgeWeight"] = candidate.visits;
  info["playSelectionValue"] = shown(candidate.policy);
  info["order"] = order;
  info["proven"] = candidate.proven;
  if (candidate.proven) info["plies"] = candidate.plies;
  info["pv"] = candidate.line;
  if (form.line_visits) {
    info["pvVisits"] = more.line_visits;
    info["pvEdgeVisits"] = more.line_visits;
  }
  if (!more.ownership.empty()) info["ownership"] = shown(more.ownership, view.sign());
  return info;
}

ordered_json root_info(const AnswerForm& form, const View& view, const PositionReport& report) {
  const Analysis& analysis = report.analysis;
  const double winrate = view.winrate(analysis.values);
  const double bound = view.bound(analysis.values, analysis.visits, analysis.proven);
  ordered_json info = {{"currentPlayer", seat_word(form, analysis.seat)},
                       {"visits", analysis.visits},
                       {"weight", analysis.visits},
                       {"winrate", winrate},
                       {"values", view.values(analysis.values)}};
  view.add_score(info, report.score);
  info["utility"] = View::utility(winrate);
  info["lcb"] = bound;
  info["utilityLcb"] = View::utility(bound);
  info["proven"] = analysis.proven;
  info["gameOver"] = report.over;
  if (report.over && std::holds_alternative<go::GoGame>(form.line->game)) {
    info["finalLead"] = shown(view.sign() * report.final_lead);
  }
  info["rawWinrate"] = view.winrate(analysis.raw_values);
  info["rawValues"] = view.values(analysis.raw_values);
  info["rawNoResultProb"] = shown(report.raw_draw);
  if (report.raw_score) {
    info["rawLead"] = shown(view.sign() * report.raw_score->lead);
    info["rawScoreSelfplay"] = info["rawLead"];
    info["rawScoreSelfplayStdev"] = shown(report.raw_score->deviation);
  }
  info["meanDepth"] = shown(analysis.mean_depth);
  info["seconds"] = shown(analysis.seconds);
  info["thisHash"] = fmt::format("{:016X}", report.key);
  info["symHash"] = fmt::format("{:016X}", report.symmetric_key);
  return info;
}

// By the order of the actions for a board of Go, else by their names.
ordered_json policy(const AnswerForm& form, int turn, const std::vector<float>& shares) {
  if (form.board) return shown(shares, 1.0f);
  ordered_json named = ordered_json::object();
  std::visit(
      [&](const auto& game) {
        const auto position = position_after(game, *form.line, static_cast<std::size_t>(turn));
        for (std::size_t i = 0; i < shares.size(); ++i) {
          if (shares[i] < 0) continue;
          named[game.print_action(position.state, Action{static_cast<std::uint16_t>(i)}, form.notation)] =
              shown(shares[i]);
        }
      },
      form.line->game);
  return named;
}

}  // namespace

ordered_json answer(const AnswerForm& form, int turn, const PositionReport& report) {
  ordered_json object = {
      {"id", form.id}, {"isDuringSearch", report.kind == PositionReport::Kind::during}, {"turnNumber", turn}};
  if (report.kind == PositionReport::Kind::nothing) {
    object["noResults"] = true;
    return object;
  }
  const View view(form, report);
  ordered_json moves = ordered_json::array();
  for (std::size_t order = 0; order < report.candidates.size(); ++order) {
    moves.push_back(move_info(form, view, report, order));
  }
  object["moveInfos"] = std::move(moves);
  object["rootInfo"] = root_info(form, view, report);
  if (!report.analysis.ownership.empty()) object["ownership"] = shown(report.analysis.ownership, view.sign());
  if (!report.policy.empty()) object["policy"] = policy(form, turn, report.policy);
  return object;
}

std::string json_line(const ordered_json& object) {
  return json_text(object) + '\n';
}

}  // namespace koridor::cli
