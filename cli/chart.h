// Charts of lines as one SVG picture, readable on light and dark backgrounds.
#pragma once

#include <string>
#include <vector>

namespace koridor::cli {

struct ChartPoint {
  double x = 0;
  double y = 0;
  double error = 0;  // half the width of an interval around y; 0: none is drawn
};

struct ChartLine {
  std::size_t series = 0;          // index in Picture::series, which decides the colour
  std::vector<ChartPoint> points;  // in rising order of x; all numbers finite
};

struct Chart {
  std::string title;
  std::string unit;  // of y; may be empty
  std::string x_title;
  bool whole_x = false;  // x counts something: no fractions on the axis
  std::vector<ChartLine> lines;
};

struct Picture {
  std::string title;
  std::vector<std::string> series;  // their names; the legend shows them if there are several
  std::vector<Chart> charts;
};

// The picture as an SVG document.
std::string svg(const Picture& picture);

}  // namespace koridor::cli
