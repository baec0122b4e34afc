#include "cli/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/text.h"

namespace koridor::cli {
namespace {

// Lengths in pixels.
constexpr double kPanelWidth = 480;
constexpr double kPanelHeight = 270;
constexpr double kLeft = 64;  // from the panel's edge to the plot: the numbers of the y axis
constexpr double kRight = 20;
constexpr double kTop = 38;
constexpr double kBottom = 46;
constexpr double kPlotWidth = kPanelWidth - kLeft - kRight;
constexpr double kPlotHeight = kPanelHeight - kTop - kBottom;
constexpr double kMargin = 16;
constexpr double kTextSize = 12;
constexpr double kTitleSize = 13;
constexpr double kCharacter = 0.62;  // width of a character of a wide sans-serif font, in units of the text's size
constexpr std::size_t kColours = 8;
constexpr std::size_t kMostMarkers = 40;  // lines of more points have none
constexpr std::size_t kMostBars = 30;     // lines of more points show their intervals as a band

// After Okabe and Ito's colours for people with any kind of colour vision, darkened on white and lightened on black.
constexpr std::string_view kStyle = R"(<style>
text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:12px;fill:#24292f}
.title{font-size:13px;font-weight:bold}.head{font-size:16px;font-weight:bold}.soft{fill:#57606a}.unit{font-size:12px;font-weight:normal}
.back{fill:#fff}.grid{stroke:#d8dee4;stroke-width:1}.axis{stroke:#8c959f;stroke-width:1;fill:none}
.s0{stroke:#0072b2;fill:#0072b2}.s1{stroke:#c8500a;fill:#c8500a}.s2{stroke:#00805c;fill:#00805c}
.s3{stroke:#b0568c;fill:#b0568c}.s4{stroke:#8a6d00;fill:#8a6d00}.s5{stroke:#2a93c9;fill:#2a93c9}
.s6{stroke:#6a4fb3;fill:#6a4fb3}.s7{stroke:#444c56;fill:#444c56}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.bar{fill:none;stroke-width:1;stroke-opacity:.6}
.band{stroke:none;fill-opacity:.18}.d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 3}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9da7b3}.back{fill:#0d1117}.grid{stroke:#2b3138}
.axis{stroke:#6e7681;fill:none}.s0{stroke:#58b4f0;fill:#58b4f0}.s1{stroke:#f08c4a;fill:#f08c4a}
.s2{stroke:#3fc79a;fill:#3fc79a}.s3{stroke:#e59bc6;fill:#e59bc6}.s4{stroke:#e5c04a;fill:#e5c04a}
.s5{stroke:#9ad4f5;fill:#9ad4f5}.s6{stroke:#b8a3f0;fill:#b8a3f0}.s7{stroke:#c9d1d9;fill:#c9d1d9}
.line,.bar{fill:none}.band{stroke:none}}
</style>
)";

// Text within XML: markup escaped, and what XML does not allow (control bytes, bytes that are no UTF-8) as "?".
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool allowed =
        character.code >= 0x20 && character.code != 0x7F && character.code != 0xFFFE && character.code != 0xFFFF;
    if (!allowed) {
      out += '?';
    } else if (character.code == '&') {
      out += "&amp;";
    } else if (character.code == '<') {
      out += "&lt;";
    } else if (character.code == '>') {
      out += "&gt;";
    } else if (character.code == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
  }
  return out;
}

double text_width(std::string_view text, double size) {
  return kCharacter * size * static_cast<double>(character_count(text));
}

// The text, shortened at its end to the width.
std::string shortened(std::string text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  while (!text.empty() && text_width(text, size) + kCharacter * size > width) {
    while (is_continuation(text.back()) && text.size() > 1) text.pop_back();
    text.pop_back();
  }
  return text + "\u2026";
}

// An axis from `low` to `high` with a line at each multiple of `step`.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;

  double share(double value) const { return (value - low) / (high - low); }
  std::vector<double> ticks() const {
    std::vector<double> all;
    const double first = std::ceil(low / step - 1e-9);
    for (double i = first; i * step <= high + 1e-9 * step && all.size() < 100; ++i) all.push_back(i * step);
    return all;
  }
};

// The smallest of 1, 2 and 5 times a power of ten that divides the range into at most `most` parts.
double round_step(double range, int most) {
  const double least = range / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

// A number of an axis, with as many digits as its step needs.
std::string number_text(double value, const Axis& axis) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  if (largest < 1e-6) return fmt::format("{:.3g}", value);
  const double unit = largest >= 1e7 ? 1e6 : largest >= 1e4 ? 1e3 : 1;
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(axis.step / unit) - 1e-9)), 0, 9);
  const double shown = std::abs(value) < axis.step * 1e-6 ? 0.0 : value / unit;
  return fmt::format("{:.{}f}{}", shown, digits, shown == 0.0 ? "" : unit == 1e6 ? "M" : unit == 1e3 ? "k" : "");
}

Axis x_axis(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) {
      low = std::min(low, point.x);
      high = std::max(high, point.x);
    }
  }
  if (!(low <= high)) return {};
  if (high - low < 1e-9) {
    low -= 1;
    high += 1;
  }
  Axis axis{low, high, 1};
  // As many numbers as fit side by side.
  for (int most = 10; most >= 2; --most) {
    axis.step = round_step(high - low, most);
    if (chart.whole_x) axis.step = std::max(1.0, axis.step);
    double width = 0;
    for (const double tick : axis.ticks()) width += text_width(number_text(tick, axis), kTextSize) + 12;
    if (width <= kPlotWidth) break;
  }
  return axis;
}

Axis y_axis(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const auto widen = [&](double y) {
    low = std::min(low, y);
    high = std::max(high, y);
  };
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) widen(point.y);
  }
  if (!(low <= high)) return {};
  // Intervals much wider than all values would press those together: such are cut at the plot's edge.
  const double reach = std::max(high - low, 200.0);
  const double value_low = low;
  const double value_high = high;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) {
      if (point.error <= 0) continue;
      widen(std::max(point.y - point.error, value_low - reach));
      widen(std::min(point.y + point.error, value_high + reach));
    }
  }
  if (high - low <= 1e-12 * std::max(std::abs(high), std::abs(low))) {
    const double room = high == 0 ? 1 : 0.1 * std::abs(high);
    low -= room;
    high += room;
  }
  const double step = round_step(high - low, 5);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

// Draws one chart into a panel whose upper left corner is the origin.
class Panel {
 public:
  Panel(const Picture& picture, const Chart& chart, std::size_t number)
      : picture_(picture), chart_(chart), number_(number), x_(x_axis(chart)), y_(y_axis(chart)) {}

  std::string draw() {
    draw_title();
    draw_axes();
    out_ += fmt::format("<clipPath id=\"plot{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
                        number_, kLeft - 4, kTop - 4, kPlotWidth + 8, kPlotHeight + 8);
    out_ += fmt::format("<g clip-path=\"url(#plot{})\">\n", number_);
    for (const ChartLine& line : chart_.lines) draw_intervals(line);
    for (const ChartLine& line : chart_.lines) draw_line(line);
    return out_ + "</g>\n";
  }

 private:
  double px(double x) const { return kLeft + kPlotWidth * x_.share(x); }
  double py(double y) const { return std::clamp(kTop + kPlotHeight * (1 - y_.share(y)), -1e4, 1e4); }

  void draw_title() {
    const double width = kPanelWidth - kMargin - kRight;
    const std::string title = shortened(chart_.title, width, 1.1 * kTitleSize);
    out_ += fmt::format("<text class=\"title\" x=\"{}\" y=\"22\">{}", kMargin, escaped(title));
    const double left = width - text_width(title, 1.1 * kTitleSize);
    const std::string unit = "(" + chart_.unit + ")";
    if (!chart_.unit.empty() && text_width(unit, kTextSize) + 8 <= left) {
      out_ += fmt::format("<tspan class=\"soft unit\" dx=\"6\">{}</tspan>", escaped(unit));
    }
    out_ += "</text>\n";
  }

  void draw_axes() {
    const double bottom = kTop + kPlotHeight;
    for (const double tick : y_.ticks()) {
      out_ += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
                          kLeft + kPlotWidth, py(tick));
      out_ += fmt::format("<text class=\"soft\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft - 8,
                          py(tick) + 4, number_text(tick, y_));
    }
    for (const double tick : x_.ticks()) {
      out_ += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", px(tick),
                          bottom, bottom + 4);
      out_ += fmt::format("<text class=\"soft\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", px(tick),
                          bottom + 17, number_text(tick, x_));
    }
    out_ += fmt::format("<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/>\n", kLeft, kTop, bottom, kLeft + kPlotWidth);
    out_ += fmt::format("<text class=\"soft\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                        kLeft + kPlotWidth / 2, bottom + 34, escaped(chart_.x_title));
  }

  static std::string colour(const ChartLine& line) { return fmt::format("s{}", line.series % kColours); }

  void draw_intervals(const ChartLine& line) {
    const bool any = std::ranges::any_of(line.points, [](const ChartPoint& point) { return point.error > 0; });
    if (!any) return;
    if (line.points.size() <= kMostBars) {
      for (const ChartPoint& point : line.points) {
        if (point.error <= 0) continue;
        out_ += fmt::format("<path class=\"{0} bar\" d=\"M{1:.1f} {2:.1f}h6m-3 0V{3:.1f}m-3 0h6\"/>\n", colour(line),
                            px(point.x) - 3, py(point.y - point.error), py(point.y + point.error));
      }
      return;
    }
    std::string upper, lower;
    for (const ChartPoint& point : line.points) {
      upper += fmt::format(" {:.1f},{:.1f}", px(point.x), py(point.y + point.error));
      lower = fmt::format(" {:.1f},{:.1f}", px(point.x), py(point.y - point.error)) + lower;
    }
    out_ += fmt::format("<polygon class=\"{} band\" points=\"{}{}\"/>\n", colour(line), upper.substr(1), lower);
  }

  void draw_line(const ChartLine& line) {
    std::string points;
    for (const ChartPoint& point : line.points) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", px(point.x), py(point.y));
    }
    const std::size_t dash = line.series / kColours % 3;
    if (line.points.size() > 1) {
      out_ += fmt::format("<polyline class=\"{} line{}\" points=\"{}\"/>\n", colour(line),
                          dash > 0 ? fmt::format(" d{}", dash) : "", points);
    }
    if (line.points.size() > kMostMarkers) return;
    for (const ChartPoint& point : line.points) {
      const std::string interval = point.error > 0 ? fmt::format(" +- {:.4g}", point.error) : "";
      out_ += fmt::format(
          "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"><title>{}, {} {:.4g}: "
          "{:.4g}{}</title></circle>\n",
          colour(line), px(point.x), py(point.y), escaped(picture_.series.at(line.series)), escaped(chart_.x_title),
          point.x, point.y, interval);
    }
  }

  const Picture& picture_;
  const Chart& chart_;
  std::size_t number_;
  Axis x_;
  Axis y_;
  std::string out_;
};

// The names of the series beside their colours, in as many rows as they need. Adds their height to `y`.
std::string legend(const Picture& picture, double width, double& y) {
  std::string out;
  if (picture.series.size() < 2) return out;
  constexpr double kSample = 28;
  double x = kMargin;
  for (std::size_t i = 0; i < picture.series.size(); ++i) {
    const std::string name = shortened(picture.series[i], width - 2 * kMargin - kSample, kTextSize);
    const double wide = kSample + text_width(name, kTextSize) + 18;
    if (x > kMargin && x + wide > width - kMargin) {
      x = kMargin;
      y += 20;
    }
    const std::size_t dash = i / kColours % 3;
    out += fmt::format("<line class=\"s{0} line{1}\" x1=\"{2:.1f}\" x2=\"{3:.1f}\" y1=\"{4}\" y2=\"{4}\"/>\n",
                       i % kColours, dash > 0 ? fmt::format(" d{}", dash) : "", x, x + kSample - 6, y - 4);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", x + kSample, y, escaped(name));
    x += wide;
  }
  y += 14;
  return out;
}

}  // namespace

std::string svg(const Picture& picture) {
  const std::size_t columns = picture.charts.size() > 1 ? 2 : 1;
  const double width = kPanelWidth * static_cast<double>(columns) + 2 * kMargin;
  std::string body;
  double y = 30;
  body += fmt::format("<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>\n", kMargin, y,
                      escaped(shortened(picture.title, width - 2 * kMargin, 18)));
  y += picture.series.size() > 1 ? 26 : 12;
  body += legend(picture, width, y);
  for (std::size_t i = 0; i < picture.charts.size(); ++i) {
    body += fmt::format(
        "<g transform=\"translate({},{})\">\n{}</g>\n", kMargin + kPanelWidth * static_cast<double>(i % columns),
        y + kPanelHeight * static_cast<double>(i / columns), Panel(picture, picture.charts[i], i).draw());
  }
  const double height =
      y + kPanelHeight * std::ceil(static_cast<double>(picture.charts.size()) / static_cast<double>(columns)) + kMargin;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}<rect class=\"back\" width=\"{0}\" "
      "height=\"{1}\"/>\n{4}</svg>\n",
      width, height, escaped(picture.title), kStyle, body);
}

}  // namespace koridor::cli
