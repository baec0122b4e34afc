// Sessions: koridor_session_*.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "library/evaluation.h"
#include "library/objects.h"
#include "library/structs.h"
#include "selfplay/session/level_choice.h"
#include "selfplay/session/picture.h"

namespace koridor::library {
namespace {

koridor_analysis analysis_of(const Analysis& known) {
  koridor_analysis result{};
  result.seat = known.seat;
  std::ranges::copy(known.values, result.values);
  std::ranges::copy(known.raw_values, result.raw_values);
  result.proven = known.proven ? 1 : 0;
  result.best = index(known.best);
  result.candidates = static_cast<std::int32_t>(known.candidates.size());
  result.visits = known.visits;
  result.nodes = known.nodes;
  result.evaluations = known.evaluations;
  result.largest_depth = known.largest_depth;
  result.mean_depth = known.mean_depth;
  result.seconds = known.seconds;
  return result;
}

koridor_candidate candidate_of(const Candidate& known) {
  koridor_candidate result{};
  result.action = index(known.action);
  result.visits = known.visits;
  result.policy = known.policy;
  result.prior = known.prior;
  std::ranges::copy(known.values, result.values);
  result.proven = known.proven ? 1 : 0;
  result.plies = known.plies;
  return result;
}

SessionSettings settings_of(const koridor_model* model, const koridor_session_options* options) {
  const koridor_session_options asked = read_struct(options, "koridor_session_options");
  SessionSettings settings;
  settings.notation = notation_of(asked.notation);
  ThinkerSettings& thinker = settings.thinker;
  thinker.evaluation = evaluation_of(read_struct(asked.evaluation, "koridor_evaluation"));
  constexpr int kMostThreads = 1024;
  constexpr int kMostMemory = 1 << 20;
  if (asked.threads < -1 || asked.threads > kMostThreads) {
    throw Failure(KORIDOR_INVALID_ARGUMENT,
                  fmt::format("threads is {}, expected -1 (all cores) to {}", asked.threads, kMostThreads));
  }
  if (asked.memory_mebibytes < 0 || asked.memory_mebibytes > kMostMemory) {
    throw Failure(KORIDOR_INVALID_ARGUMENT,
                  fmt::format("memory_mebibytes is {}, expected 0 to {}", asked.memory_mebibytes, kMostMemory));
  }
  thinker.threads = asked.threads == 0 ? 1 : std::max(asked.threads, 0);
  if (asked.memory_mebibytes > 0) thinker.memory_mebibytes = asked.memory_mebibytes;
  thinker.seed = asked.seed;
  if (model != nullptr) {
    thinker.model = {model->network, &model->network->model};
    thinker.name = model->network->name;
  }
  return settings;
}

SessionLimits limits_of(const koridor_limits& asked, const std::atomic<bool>& stop) {
  const auto refuse = [](const std::string& message) { throw Failure(KORIDOR_INVALID_ARGUMENT, message); };
  if (asked.visits < 0) refuse(fmt::format("visits is {}, expected 0 or more", asked.visits));
  if (asked.nodes < 0) refuse(fmt::format("nodes is {}, expected 0 or more", asked.nodes));
  if (asked.lines < 0) refuse(fmt::format("lines is {}, expected 0 or more", asked.lines));
  if (!(asked.seconds >= 0)) refuse(fmt::format("seconds is {}, expected 0 or more", asked.seconds));
  if (!(asked.report_seconds >= 0)) {
    refuse(fmt::format("report_seconds is {}, expected 0 or more", asked.report_seconds));
  }
  const bool unlimited = asked.visits == 0 && asked.seconds == 0 && asked.nodes == 0 && asked.infinite == 0;
  return {.visits = unlimited ? SessionLimits().visits : asked.visits,
          .seconds = asked.seconds,
          .nodes = asked.nodes,
          .infinite = asked.infinite != 0,
          .stop = &stop,
          .lines = std::max(asked.lines, 1),
          .ownership = asked.ownership != 0,
          .report_seconds = asked.report_seconds};
}

// The session for one call. Throws Failure where it is no session, or another call is using it.
class Use {
 public:
  explicit Use(koridor_session* session) : session_(live(session)), occupation_(session_.taken, "session") {}
  koridor_session* operator->() const { return &session_; }

 private:
  koridor_session& session_;
  Occupation occupation_;
};

const Analysis& analysis_of_position(const Use& use) {
  const Analysis* known = use->session.analysis();
  if (known == nullptr) throw Failure(KORIDOR_NO_RESULT, "this position has not been searched since it was reached");
  return *known;
}

void require_search(const Session& session) {
  if (!session.can_search()) throw Failure(KORIDOR_INVALID_ARGUMENT, "this session has no model to search with");
  if (session.outcome().over()) throw Failure(KORIDOR_GAME_OVER, "the game is over: there is nothing to search");
}

void require_played(const std::optional<Refusal>& refusal) {
  if (!refusal) return;
  throw Failure(refusal->reason == Refusal::Reason::game_over ? KORIDOR_GAME_OVER : KORIDOR_ILLEGAL_ACTION,
                refusal->text());
}

}  // namespace
}  // namespace koridor::library

using namespace koridor::library;

koridor_status koridor_session_new(const koridor_game* game, const koridor_model* model,
                                   const koridor_session_options* options, koridor_session** session) {
  return guarded([&] {
    require(session, "session");
    const koridor_game& rules = live(game);
    if (model != nullptr) require_model_fits(*live(model).network, *rules.rules);
    const koridor::SessionSettings settings = settings_of(model, options);
    *session = make<koridor_session>(rules.rules, settings);
  });
}
koridor_status koridor_session_free(koridor_session* session) {
  return release(session);
}

koridor_status koridor_session_play(koridor_session* session, int32_t action) {
  return guarded([&] {
    const Use use(session);
    require_played(use->session.play(action_of(*use->rules, action)));
  });
}
koridor_status koridor_session_play_text(koridor_session* session, const char* text) {
  return guarded([&] {
    const Use use(session);
    require(text, "text");
    require_played(use->session.play(std::string_view(text)));
  });
}

koridor_status koridor_session_go_to(koridor_session* session, int32_t ply) {
  return guarded([&] {
    const Use use(session);
    if (!use->session.go_to(ply)) {
      throw Failure(KORIDOR_INVALID_ARGUMENT,
                    fmt::format("ply is {}, the session has 0 to {}", ply, use->session.moves().size()));
    }
  });
}

koridor_status koridor_session_restart(koridor_session* session, const koridor_state* state) {
  return guarded([&] {
    const Use use(session);
    if (state == nullptr) return use->session.restart();
    require_same_game(*use->rules, *live(state).rules, "the state");
    use->session.start_from(state->position);
  });
}

koridor_status koridor_session_state(koridor_session* session, koridor_state** state) {
  return guarded([&] {
    require(state, "state");
    const Use use(session);
    *state = make<koridor_state>(use->rules, use->session.position());
  });
}

koridor_status koridor_session_moves(koridor_session* session, int32_t* actions, size_t capacity, size_t* count,
                                     int32_t* ply) {
  return guarded([&] {
    const Use use(session);
    const auto moves = use->session.moves();
    const bool listed = writes_list(moves.size(), actions, capacity, count);
    if (ply != nullptr) *ply = use->session.ply();
    if (!listed) return;
    for (const koridor::SessionMove& move : moves) *actions++ = index(move.action);
  });
}

koridor_status koridor_session_search(koridor_session* session, const koridor_limits* limits,
                                      koridor_analysis* analysis) {
  return guarded([&] {
    const Use use(session);
    require_struct(analysis, "koridor_analysis");
    const koridor_limits asked = read_struct(limits, "koridor_limits");
    const koridor::SessionLimits ends = limits_of(asked, use->stop);
    require_search(use->session);
    koridor::SessionListener listener;
    if (asked.progress != nullptr) {
      listener.progress = [&](const koridor::Analysis& so_far) {
        koridor_analysis known = analysis_of(so_far);
        known.struct_size = sizeof known;
        if (asked.progress(asked.user, &known) != 0) use->stop = true;
      };
    }
    use->session.listen(std::move(listener));
    struct AtEnd {
      const Use& use;
      ~AtEnd() {
        use->session.listen({});
        use->stop = false;
      }
    } const at_end{use};
    write_struct(analysis, analysis_of(use->session.search(ends)));
  });
}

koridor_status koridor_session_choose(koridor_session* session, const char* level, int32_t* action) {
  return guarded([&] {
    const Use use(session);
    require(level, "level");
    require(action, "action");
    require_search(use->session);
    struct AtEnd {
      const Use& use;
      ~AtEnd() { use->stop = false; }
    } const at_end{use};
    *action = index(koridor::choose_at(level, use->session, use->random, use->stop));
  });
}

koridor_status koridor_session_stop(koridor_session* session) {
  return guarded([&] { live(session).stop = true; });
}
koridor_status koridor_session_clear_stop(koridor_session* session) {
  return guarded([&] { live(session).stop = false; });
}

koridor_status koridor_session_candidates(koridor_session* session, koridor_candidate* candidates, size_t element_size,
                                          size_t capacity, size_t* count) {
  return guarded([&] {
    require_size<koridor_candidate>(element_size, "koridor_candidate");
    const Use use(session);
    const koridor::Analysis& known = analysis_of_position(use);
    if (!writes_list(known.candidates.size(), candidates, capacity, count)) return;
    auto* place = reinterpret_cast<std::byte*>(candidates);
    for (const koridor::Candidate& candidate : known.candidates) {
      const koridor_candidate entry = candidate_of(candidate);
      std::memcpy(place, &entry, element_size);
      place += element_size;
    }
  });
}

koridor_status koridor_session_line(koridor_session* session, size_t index, int32_t* actions, size_t capacity,
                                    size_t* count) {
  return guarded([&] {
    const Use use(session);
    const koridor::Analysis& known = analysis_of_position(use);
    if (index >= known.candidates.size() || known.candidates[index].actions.empty()) {
      throw Failure(KORIDOR_NO_RESULT,
                    fmt::format("candidate {} has no line; koridor_limits.lines says how many have one", index));
    }
    const std::vector<koridor::Action>& line = known.candidates[index].actions;
    if (!writes_list(line.size(), actions, capacity, count)) return;
    for (const koridor::Action action : line) *actions++ = koridor::index(action);
  });
}

koridor_status koridor_session_ownership(koridor_session* session, float* owners, size_t capacity, size_t* count) {
  return guarded([&] {
    const Use use(session);
    const std::vector<float>& known = analysis_of_position(use).ownership;
    if (known.empty()) {
      throw Failure(KORIDOR_NO_RESULT, "no owners: koridor_limits.ownership was 0, or the model does not predict them");
    }
    if (!writes_list(known.size(), owners, capacity, count)) return;
    std::ranges::copy(known, owners);
  });
}

koridor_status koridor_session_picture(koridor_session* session, char* buffer, size_t size, size_t* length) {
  return guarded([&] {
    const Use use(session);
    write_text(koridor::picture(use->session), buffer, size, length);
  });
}

koridor_status koridor_session_analysis_picture(koridor_session* session, char* buffer, size_t size, size_t* length) {
  return guarded([&] {
    const Use use(session);
    write_text(koridor::analysis_picture(use->session, analysis_of_position(use)), buffer, size, length);
  });
}
