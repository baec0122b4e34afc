#include "models/evaluation.h"

#include <fmt/format.h>

#include "models/backends.h"
#include "models/network/device.h"

namespace koridor {

const std::string& default_backend() {
  return backends().front().name;
}

void describe_settings(Evaluation& evaluation, SettingList& list) {
  std::string summary = "what computes the network:";
  for (const Backend& backend : backends()) {
    summary += fmt::format("{} {} ({})", &backend == &backends().front() ? "" : ",", backend.name, backend.summary);
  }
  list.text("backend", &evaluation.backend, summary.c_str(), backend_names());
  list.text("precision", &evaluation.precision,
            "number format: f32, bf16, int8, or auto, the fastest that the machine has instructions for and the model "
            "allows",
            precision_names());
  list.text("device", &evaluation.device,
            "where a backend for GPUs computes: auto (every GPU, or the CPU where there is none), cpu, cuda or "
            "cuda:NUMBER")
      .may_change()
      .of_form(kDeviceForm, is_device);
  list.number("cache_mebibytes", &evaluation.cache_mebibytes, 0, 1e5,
              "size of the cache of predictions in MiB, per thread and model; 0: none; games do not depend on it");
}

}  // namespace koridor
