// How long a run still takes: until its last generation is played, trained on and rated, whichever of the number of
// generations and the time allowed ends it.
#pragma once

#include <array>
#include <optional>

namespace koridor {

// In their order for one generation: whether the last model plays its games (rating.gate), these, and so on.
enum class RunPhase { gate, play, train, rate };

class TimeLeft {
 public:
  struct Plan {
    int generations = 1;      // the run ends with the model of this generation ...
    double max_seconds = 0;   // ... or, where it is above 0, starts no generation after so many seconds of work
    int rate_every = 1;       // generations per rating; the last generation is rated, too
    bool gated = false;       // each generation but the first begins with a gate
    bool continuous = false;  // games are played beside training and rating, and never alone
  };
  explicit TimeLeft(const Plan& plan) : plan_(plan) {}

  // A phase of making the model of `generation` (0: the untrained one, which is only rated) starts at `now`, in seconds
  // of the run's work. The phase before it is over, and its duration counts for those to come.
  void begin(RunPhase phase, int generation, double now);
  // Where the present phase stands, in [0, 1]. The first phase of all may have been begun by an earlier process: the
  // first share that is told was done before.
  void progress(double share);
  // All that was begun is over.
  void end(double now);

  // The estimate in seconds from `now`; nothing while too little is known.
  std::optional<double> seconds(double now) const;

 private:
  bool rated(int generation) const;
  std::optional<double> of_phase(RunPhase phase) const { return durations_[static_cast<std::size_t>(phase)]; }
  // What is left of the present phase.
  std::optional<double> of_present(double now) const;
  // The present phase's duration by its own progress.
  std::optional<double> by_progress(double now) const;

  Plan plan_;
  std::array<std::optional<double>, 4> durations_{};  // by phase: a mean in which later generations count more
  bool begun_ = false;
  bool ever_begun_ = false;
  RunPhase phase_ = RunPhase::play;
  int generation_ = 0;
  double began_ = 0;
  std::optional<double> first_share_;
  double share_ = 0;
};

}  // namespace koridor
