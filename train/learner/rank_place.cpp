#include "train/learner/rank_place.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/base/number.h"

namespace koridor {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Number>
Number number(const char* name, Number least, Number most) {
  const std::string_view text = variable(name);
  const auto value = read_number<Number>(text, least, most);
  if (!value) {
    throw UserError(fmt::format("the environment variable {} is \"{}\": it must be a number from {} to {}", name, text,
                                least, most));
  }
  return *value;
}

// Job ids of clusters that share their jobs go up to 2^32.
std::int64_t number_or(const char* name, std::int64_t otherwise) {
  return variable(name).empty() ? otherwise : number(name, std::int64_t{0}, std::int64_t{1} << 32);
}

// "node03" of "node[03-05,07],other".
std::string first_host(std::string_view list) {
  const std::size_t end = list.find_first_of("[,");
  std::string host(list.substr(0, end));
  if (end == std::string_view::npos || list[end] == ',') return host;
  const std::string_view numbers = list.substr(end + 1);
  host += numbers.substr(0, numbers.find_first_of("-,]"));
  const std::size_t close = numbers.find(']');
  if (close == std::string_view::npos) return host;
  const std::string_view rest = numbers.substr(close + 1);
  return host + std::string(rest.substr(0, rest.find(',')));
}

constexpr int kMostRanks = 4096;

// Steps of one job and jobs of one machine get different ports, below those that Linux gives to outgoing connections.
int slurm_port() {
  return static_cast<int>(20000 + (number_or("SLURM_JOB_ID", 0) * 8 + number_or("SLURM_STEP_ID", 0)) % 12000);
}

}  // namespace

RankPlace place_in_environment() {
  RankPlace place;
  // A batch script has Slurm's variables too, but is one process whatever they say: only srun starts all.
  const bool in_step = !variable("SLURM_STEP_ID").empty();
  const bool slurm = variable("WORLD_SIZE").empty() && in_step && !variable("SLURM_PROCID").empty();
  if (slurm) {
    const char* const size = variable("SLURM_STEP_NUM_TASKS").empty() ? "SLURM_NTASKS" : "SLURM_STEP_NUM_TASKS";
    if (variable(size).empty()) return place;  // srun without -n: one process
    place.size = number(size, 1, kMostRanks);
    place.rank = number("SLURM_PROCID", 0, place.size - 1);
    place.local = static_cast<int>(number_or("SLURM_LOCALID", 0));
  } else {
    if (variable("WORLD_SIZE").empty()) {
      if (variable("RANK").empty()) return place;
      throw UserError("the environment variable RANK is set and WORLD_SIZE is not: of how many trainers is this one?");
    }
    place.size = number("WORLD_SIZE", 1, kMostRanks);
    place.rank = number("RANK", 0, place.size - 1);
    place.local = static_cast<int>(number_or("LOCAL_RANK", place.rank));
    place.served = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
    place.attempt = static_cast<int>(number_or("TORCHELASTIC_RESTART_COUNT", 0));
  }
  if (place.size == 1) return place;
  place.host = variable("MASTER_ADDR");
  if (place.host.empty() && slurm) {
    place.host =
        first_host(variable(variable("SLURM_STEP_NODELIST").empty() ? "SLURM_JOB_NODELIST" : "SLURM_STEP_NODELIST"));
  }
  if (place.host.empty()) throw UserError("the environment variable MASTER_ADDR is missing: the machine of rank 0");
  const bool own_port = slurm && variable("MASTER_PORT").empty();
  place.port = own_port ? slurm_port() : number("MASTER_PORT", 1, 65535);
  return place;
}

}  // namespace koridor
