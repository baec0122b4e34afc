// Everything about a board that follows from its size alone, worked out once per game.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/go/points.h"
#include "core/types.h"

namespace koridor::go {

inline constexpr std::uint16_t kNoPoint = 0xFFFF;

struct Geometry {
  Geometry(int board_columns, int board_rows);

  int columns;
  int rows;
  bool small;                                             // SmallPoints is wide enough
  int stride;                                             // points from one row to the next
  int symmetries;                                         // 8 on square boards, else 4
  PointWords board{};                                     // all points
  PointWords edge{};                                      // the outermost
  std::vector<std::uint16_t> point;                       // action -> point; kNoPoint for the pass
  std::array<std::uint16_t, kMaxWords * 64> action{};     // point -> action
  std::array<std::vector<std::uint16_t>, 8> policy_view;  // [symmetry] action -> its index in the policy

  int area() const { return columns * rows; }
  int point_at(int row, int column) const { return row * stride + column; }
  Action pass() const { return Action{static_cast<std::uint16_t>(area())}; }
};

}  // namespace koridor::go
