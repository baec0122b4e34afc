// Where the headers are missing that c10d's ask for: a trainer is alone.
#include "train/learner/ranks.h"

namespace koridor {

struct Ranks::Impl {};

Ranks::Ranks(const RankPlace& place) : place_(place) {}
Ranks::~Ranks() = default;

std::unique_ptr<Ranks> Ranks::join(const RankPlace& place, const std::atomic<bool>&) {
  if (place.size > 1) {
    throw UserError(
        "this build trains with one process only: it was made without the headers of Gloo (libgloo-dev in Debian)");
  }
  return std::unique_ptr<Ranks>(new Ranks(place));
}

void Ranks::add_up(std::span<float>) {}
void Ranks::add_up(at::Tensor&) {}
void Ranks::broadcast(std::string&) {}
bool Ranks::any(bool mine) {
  return mine;
}
void Ranks::require_equal(std::uint64_t, const std::string&) {}
bool Ranks::use_gpu(int) {
  return false;
}
void Ranks::side_by_side(const std::function<void()>& work) {
  work();
}

}  // namespace koridor
