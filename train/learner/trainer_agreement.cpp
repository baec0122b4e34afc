#include "train/learner/trainer_agreement.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/checksum.h"
#include "core/base/cpu_features.h"
#include "core/base/heartbeat.h"
#include "core/base/version.h"
#include "train/run/leader_watch.h"

namespace koridor {

Config config_of_all(const Config& own, Ranks& ranks) {
  if (ranks.alone()) return own;
  const auto number = [](const std::string& text) { return Checksum(0).add(text).value(); };
  ranks.require_equal(number(build_text(this_build())), "the versions and commits of Koridor");
  // With and without fused multiply-adds, results differ in their last bits.
  ranks.require_equal(compiled_features() & feature_bit(CpuFeature::fma), "the instructions Koridor was compiled for");
  ranks.require_equal(number(config_hash(own)), "the settings of the run's configuration");
  std::string text = ranks.is_first() ? to_toml(own) : "";
  ranks.broadcast(text);
  return ranks.is_first() ? own : parse_config(text, "the first trainer's configuration");
}

void require_the_build_that_leads(const RunDirectory& run) {
  const auto leader = read_heartbeat(run.leader());
  if (!leader || !may_run(*leader)) return;
  require_the_leaders_build(run, *leader, "a trainer");
}

}  // namespace koridor
