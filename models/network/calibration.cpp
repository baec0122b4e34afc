#include "models/network/calibration.h"

#include "models/network/model_file.h"

namespace koridor {

CalibrationPositions calibration_positions(const Model& model, const EncodingShape& shape) {
  const Calibration& calibration = model.calibration;
  CalibrationPositions positions{shape, 0, {}, calibration.scalars};
  positions.shape.rows = calibration.rows;
  positions.shape.columns = calibration.columns;
  positions.size = static_cast<int>(calibration.planes.size()) / positions.shape.plane_floats();
  for (const std::uint8_t value : calibration.planes) positions.planes.push_back(static_cast<float>(value) / 255.0f);
  return positions;
}

}  // namespace koridor
