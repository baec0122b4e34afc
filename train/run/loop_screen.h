// What a person sees of a run while its loop works: lines that stay, among them the table of generations, and the live
// line, which begins with how far the run is and how long it still takes.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "train/run/config.h"
#include "train/run/run_clock.h"
#include "train/run/run_directory.h"
#include "train/run/time_left.h"

namespace koridor {

class LoopScreen {
 public:
  // Keeps references to `config`, `clock` and `stop`. `part_of`: where it is not empty, the live line begins with it.
  // A terminal that was closed is an error (std::system_error) only while `stop` is not set, so that it does not end a
  // run before its work is saved.
  LoopScreen(const RunDirectory& run, const Config& config, std::string part_of, const RunClock& clock,
             const std::atomic<bool>& stop);

  void print(const std::string& text);                  // stays
  void say(const std::string& text);                    // stays, in lines that no terminal wraps
  void greet(int first_shown);                          // what begins, or goes on from the generation first_shown
  void show_generation(const nlohmann::json& figures);  // a line of the table, below its header

  // What the live line begins with: the generation that is being made, and which share of run.max_cost is spent, or of
  // run.max_minutes where that is the larger one ...
  void makes(int generation) { generation_ = generation; }
  void has_spent(double share) { spent_ = share; }
  // ... and how long the run still takes, by the phases of its work; as in TimeLeft.
  void begin_phase(RunPhase phase, int generation) { left_.begin(phase, generation, clock_.seconds()); }
  void progress(double share) { left_.progress(share); }
  void end_phase() { left_.end(clock_.seconds()); }

  // Shows what is being done, the most telling parts first.
  void live(std::vector<std::string> work);
  // The same of the training of `generation`, and of self-play on a board of run.games, by their live progress.
  void live_training(int generation);
  void live_selfplay(int generation, int game);

 private:
  template <class Show>
  void show(Show&& show);

  RunDirectory run_;
  const Config& config_;
  std::string part_of_;
  const RunClock& clock_;
  const std::atomic<bool>& stop_;
  Progress progress_;
  TimeLeft left_;
  double spent_ = 0;
  int generation_ = 0;
  bool header_shown_ = false;
};

}  // namespace koridor
