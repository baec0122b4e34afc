// What the measurements of the rules share: the form of their lines, and the measurements common to every game.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "core/base/table.h"
#include "core/game.h"

namespace koridor::bench {

// The table "rules" of one game.
class RulesReport {
 public:
  RulesReport(TableWriter& out, const std::string& game) : out_(out), game_(game) {
    using enum ColumnType;
    out.begin({"rules",
               {{"game", text},
                {"what", text},
                {"median", number},
                {"least", number},
                {"most", number},
                {"unit", text},
                {"remark", text}},
               [](const TableRow& row) {
                 return fmt::format("  {:<22} {:>12.4g} {:<12} {}\n", row.text("what"), row.number("median"),
                                    row.text("unit"), row.text("remark"));
               }});
  }
  void line(std::string_view what, const Rate& rate, std::string_view unit, const std::string& beside) {
    out_.row({game_, what, rate.median, rate.least, rate.most, unit, beside});
  }

 private:
  TableWriter& out_;
  std::string game_;
};

// States copied per second: the limit of anything that makes a state.
template <class State>
Rate measure_copies(RulesReport& report, const std::vector<State>& states) {
  const Rate copied = measure([&] {
    for (const State& state : states) {
      State next = state;
      keep(next);
    }
    return states.size();
  });
  report.line("states copied", copied, "a second", "(the limit of anything that makes a state)");
  return copied;
}

// Encodings per second, beside the generation of legal actions and the writing of as many floats.
template <Game G>
void measure_encodings(RulesReport& report, const G& game, const std::vector<typename G::State>& states,
                       const Rate& legal) {
  const Features features;
  const EncodingShape shape = game.encoding(features);
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  const Rate written = measure([&] {
    for (std::size_t i = 0; i < states.size(); ++i) {
      std::fill(planes.begin(), planes.end(), static_cast<float>(i));
      keep(planes);
    }
    return states.size();
  });
  const Rate encodings = measure([&] {
    for (const typename G::State& state : states) {
      game.encode(state, features, 0, planes.data(), scalars.data());
      keep(planes);
    }
    return states.size();
  });
  report.line("encodings", encodings, "a second",
              fmt::format("{:.2f} of the time of legal actions, {:.1f} times that of writing {} floats",
                          legal.median / encodings.median, written.median / encodings.median, planes.size()));
}

}  // namespace koridor::bench
