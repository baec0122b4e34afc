#include "core/go/geometry.h"

namespace koridor::go {
namespace {

void set_bit(PointWords& words, int point) {
  words[static_cast<std::size_t>(point >> 6)] |= std::uint64_t{1} << (point & 63);
}

}  // namespace

// The symmetries: 1 mirrors left and right, 2 top and bottom, 4 exchanges rows and columns (after the mirrors).
Geometry::Geometry(int board_columns, int board_rows)
    : columns(board_columns),
      rows(board_rows),
      small(columns <= SmallPoints::kColumns && rows <= SmallPoints::kRows),
      stride(small ? SmallPoints::kStride : LargePoints::kStride),
      symmetries(columns == rows ? 8 : 4) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int at = point_at(row, column);
      set_bit(board, at);
      if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) set_bit(edge, at);
      action[static_cast<std::size_t>(at)] = static_cast<std::uint16_t>(point.size());
      point.push_back(static_cast<std::uint16_t>(at));
    }
  }
  point.push_back(kNoPoint);
  for (int symmetry = 0; symmetry < symmetries; ++symmetry) {
    std::vector<std::uint16_t>& view = policy_view[static_cast<std::size_t>(symmetry)];
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const int mirrored_row = (symmetry & 2) != 0 ? rows - 1 - row : row;
        const int mirrored_column = (symmetry & 1) != 0 ? columns - 1 - column : column;
        view.push_back(static_cast<std::uint16_t>((symmetry & 4) != 0 ? mirrored_column * columns + mirrored_row
                                                                      : mirrored_row * columns + mirrored_column));
      }
    }
    view.push_back(static_cast<std::uint16_t>(area()));
  }
}

}  // namespace koridor::go
