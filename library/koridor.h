/* libkoridor: the games, models and searches of Koridor for programs in any language. Plain C99.
 *
 *   koridor_game* game = NULL;
 *   koridor_model* model = NULL;
 *   koridor_session* session = NULL;
 *   if (koridor_game_new("quoridor:5x5,walls=3", &game) != KORIDOR_OK) puts(koridor_last_error());
 *   koridor_model_load("quickstart.koridor", &model);
 *   koridor_session_new(game, model, NULL, &session);
 *   koridor_analysis found = {.struct_size = sizeof found};
 *   koridor_session_search(session, NULL, &found);
 *   koridor_session_play(session, found.best);
 *
 * docs/library.md is the guide; examples/play.c plays a whole game.
 *
 * Errors. A function that can fail returns a koridor_status, and KORIDOR_OK is 0. koridor_last_error() then has one
 * line for a person, which belongs to the calling thread. A function that fails changes nothing and writes no result,
 * except where it says otherwise. No C++ exception leaves the library.
 *
 * Handles. What a _new, _load, _copy or _unpack function makes is freed by the _free function of its type, once. An
 * object keeps what it was made of, so a game or a model may be freed while states and sessions of it live. Every _free
 * function takes NULL, and returns KORIDOR_BAD_HANDLE for what is no live object of its type: freed before, or of
 * another type. All other functions find an object of another type, and almost always one that was freed; with
 * koridor_check_handles(1) they find both for certain, at the price of a lock per call.
 *
 * Threads. Functions without a handle, and those of games and models, may be called from any number of threads at once.
 * A state may be read by several threads while no thread changes it. An evaluator and a session serve one thread at a
 * time, whichever it is; a second one at the same time gets KORIDOR_BUSY, except that koridor_session_stop() is made to
 * be called from another thread. Nobody may be using an object while it is freed. A search computes on threads of its
 * own (koridor_session_options.threads) besides the caller's.
 *
 * Text. Every text is UTF-8. A function that writes a text takes `buffer` of `size` bytes and sets *length (which may
 * be NULL) to the text's length without its final NUL. Where the text and its NUL do not fit it returns
 * KORIDOR_BUFFER_TOO_SMALL, writes nothing to the buffer, but sets *length. With buffer NULL and size 0 it only sets
 * *length and returns KORIDOR_OK.
 *
 * Structs. The first member of a struct is its size, which the caller sets to sizeof the struct: `koridor_limits limits
 * = {.struct_size = sizeof limits};`. Members that are 0 have their defaults. Later versions of the library add members
 * only at the end and serve callers that do not know them. A size that the library does not know is
 * KORIDOR_ABI_MISMATCH.
 *
 * Numbers. Actions are indices in [0, num_actions); -1 is no action. Players and seats are counted from 0 in the order
 * in which they first move. Values are a player's points: 1 a win, 0 a loss, 1 / players a draw, and expectations
 * between.
 */
#ifndef KORIDOR_H
#define KORIDOR_H

#include <stddef.h>
#include <stdint.h>

#if defined(KORIDOR_STATIC)
#define KORIDOR_API
#elif defined(__GNUC__)
#define KORIDOR_API __attribute__((visibility("default")))
#else
#define KORIDOR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It is raised when a program that was compiled against an older header would no longer
 * work; functions and members that are only added do not raise it. */
#define KORIDOR_ABI_VERSION 1
#define KORIDOR_MAX_PLAYERS 4
#define KORIDOR_NO_ACTION (-1)

typedef enum koridor_status {
  KORIDOR_OK = 0,
  KORIDOR_INVALID_ARGUMENT = 1, /* NULL for an array or a text, a number out of range, an unknown name: it says which */
  KORIDOR_BAD_HANDLE = 2,       /* no live object of this type */
  KORIDOR_BUFFER_TOO_SMALL = 3, /* where the function has an output for it, the length that is needed has been set */
  KORIDOR_ABI_MISMATCH = 4,     /* header and library do not fit: ABI version, or the size of a struct */
  KORIDOR_ILLEGAL_ACTION = 5,   /* an action or a text that cannot be played in this position; the message says why */
  KORIDOR_GAME_OVER = 6,        /* there is no player to move any more */
  KORIDOR_BAD_MODEL = 7,        /* a model that is missing, damaged, does not fit the game or overflows */
  KORIDOR_UNSUPPORTED = 8,      /* the CPU lacks instructions that this library or a precision needs */
  KORIDOR_BUSY = 9,             /* another thread is using this session or evaluator */
  KORIDOR_OUT_OF_MEMORY = 10,
  KORIDOR_INTERNAL = 11,            /* a fault of the library */
  KORIDOR_NO_RESULT = 12,           /* there is no analysis of this position, or it has no such part */
  KORIDOR_STATUS_LIMIT = 0x7fffffff /* no status: it lets any number from 0 be asked for its name */
} koridor_status;

typedef enum koridor_notation {
  KORIDOR_STANDARD = 0,               /* that of the leaflets: e8, e3h */
  KORIDOR_MODERN = 1,                 /* rows are counted from player one's side */
  KORIDOR_NOTATION_LIMIT = 0x7fffffff /* no notation: it lets any number from 0 be passed, which is refused */
} koridor_notation;

typedef struct koridor_game koridor_game;           /* the rules of a game; never changes */
typedef struct koridor_state koridor_state;         /* a position, with what the rules need to know of its past */
typedef struct koridor_model koridor_model;         /* a trained network; never changes */
typedef struct koridor_evaluator koridor_evaluator; /* a network at work on batches of positions of one game */
typedef struct koridor_session koridor_session;     /* one game with moves back and forth, and a search */

/* ---- The library ------------------------------------------------------------------------------------------------ */

/* "0.1.0" */
KORIDOR_API const char* koridor_version(void);
/* KORIDOR_ABI_VERSION of the library that is loaded. */
KORIDOR_API int32_t koridor_abi_version(void);
/* KORIDOR_ABI_MISMATCH where the library does not serve programs compiled against this version. */
KORIDOR_API koridor_status koridor_require_abi(int32_t version);
/* The message of the last function of this thread that failed; "" where none has. It stays until the thread's next
 * failure. */
KORIDOR_API const char* koridor_last_error(void);
/* "KORIDOR_BAD_HANDLE"; "no koridor_status" for another number */
KORIDOR_API const char* koridor_status_name(koridor_status status);
/* The backends that this library was built with, separated by spaces, the default first:
 * "onednn simd eigen uniform". */
KORIDOR_API const char* koridor_backends(void);
/* Whether every call checks its handles against the list of live objects, and freed memory is kept from being used
 * again for a while: 1 yes, 0 no. At first it does in debug builds of the library, and where the environment variable
 * KORIDOR_CHECK_HANDLES is set to 1. Returns the setting before. Objects are to be made after it is switched on. */
KORIDOR_API int32_t koridor_check_handles(int32_t on);
/* The number of objects that are not freed yet, for tests of programs that use the library. */
KORIDOR_API size_t koridor_live_objects(void);

/* ---- Games ------------------------------------------------------------------------------------------------------ */

/* The registered games, 0 <= index < koridor_game_count(); NULL at other indices. */
KORIDOR_API size_t koridor_game_count(void);
KORIDOR_API const char* koridor_game_id(size_t index);      /* "quoridor" */
KORIDOR_API const char* koridor_game_title(size_t index);   /* one line for a person */
KORIDOR_API const char* koridor_game_variant(size_t index); /* the canonical name: what koridor_game_new takes */

typedef struct koridor_game_info {
  uint32_t struct_size;
  int32_t players;        /* 2 to 4 */
  int32_t rows;           /* of the board */
  int32_t columns;        /* of the board */
  int32_t num_actions;    /* actions are in [0, num_actions) */
  int32_t max_plies;      /* every game is over after at most so many */
  int32_t num_symmetries; /* of the encoding, the identity included */
  int32_t packed_size;    /* bytes of koridor_state_pack */
} koridor_game_info;

/* What a network sees of a position, and what it answers. All arrays are row-major float32. */
typedef struct koridor_encoding {
  uint32_t struct_size;
  int32_t version; /* raised whenever a plane or scalar changes its meaning */
  int32_t planes;  /* [planes, rows, columns] */
  int32_t rows;
  int32_t columns;
  int32_t scalars;     /* [scalars] */
  int32_t policy_size; /* [policy_size] logits; the pass is last */
  int32_t value_size;  /* [players + 1] probabilities: the mover wins, the next player wins, ..., draw */
} koridor_encoding;

/* The game of a name: "quoridor", "quoridor:5x5,walls=3" (columns x rows), "go:9x9,leaflet"; core/README.md has the
 * rules that can be set. KORIDOR_INVALID_ARGUMENT for a name that is none, with what would be right. */
KORIDOR_API koridor_status koridor_game_new(const char* name, koridor_game** game);
KORIDOR_API koridor_status koridor_game_free(koridor_game* game);
KORIDOR_API koridor_status koridor_game_describe(const koridor_game* game, koridor_game_info* info);
/* These belong to the game and stay as long as it does; NULL for a bad handle. */
KORIDOR_API const char* koridor_game_name(const koridor_game* game);         /* the canonical name */
KORIDOR_API const char* koridor_game_family(const koridor_game* game);       /* "wall", "go" */
KORIDOR_API const char* koridor_game_rules(const koridor_game* game);        /* lines "rule=value\n" */
KORIDOR_API const char* koridor_game_action_order(const koridor_game* game); /* what an action's index means */
/* What an encoding shows beside the board, as a sum of these. The wall games' default is KORIDOR_DISTANCES. In Go they
 * mean nothing, though a model's features may name them. */
typedef enum koridor_feature {
  KORIDOR_DISTANCES = 1,   /* the lengths of the shortest ways to the goals */
  KORIDOR_WAYS = 2,        /* the squares on each pawn's shortest ways */
  KORIDOR_WALL_EFFECTS = 4 /* by how much each wall makes a pawn's shortest way longer */
} koridor_feature;
/* The shape of an encoding with these features. KORIDOR_INVALID_ARGUMENT for a number that is no such sum. */
KORIDOR_API koridor_status koridor_game_encoding(const koridor_game* game, int32_t features,
                                                 koridor_encoding* encoding);

/* ---- States ----------------------------------------------------------------------------------------------------- */

typedef struct koridor_outcome {
  uint32_t struct_size;
  int32_t over;                      /* 1 where the game is over, else 0 and the rest is without meaning */
  int32_t winner;                    /* -1: a draw */
  float values[KORIDOR_MAX_PLAYERS]; /* each player's points; 0 past the game's players */
} koridor_outcome;

/* The position that the game starts from. */
KORIDOR_API koridor_status koridor_state_new(const koridor_game* game, koridor_state** state);
KORIDOR_API koridor_status koridor_state_copy(const koridor_state* state, koridor_state** copy);
/* Makes `state` equal to `from`, which is of the same game, without making an object. */
KORIDOR_API koridor_status koridor_state_assign(koridor_state* state, const koridor_state* from);
/* Back to the position that the game starts from. */
KORIDOR_API koridor_status koridor_state_reset(koridor_state* state);
KORIDOR_API koridor_status koridor_state_free(koridor_state* state);

/* KORIDOR_GAME_OVER where nobody is to move. */
KORIDOR_API koridor_status koridor_state_player(const koridor_state* state, int32_t* player);
KORIDOR_API koridor_status koridor_state_ply(const koridor_state* state, int32_t* ply);
/* 64 bits that differ where positions differ, but for chance collisions. */
KORIDOR_API koridor_status koridor_state_key(const koridor_state* state, uint64_t* key);
KORIDOR_API koridor_status koridor_state_outcome(const koridor_state* state, koridor_outcome* outcome);
/* The legal actions in rising order, none where the game is over. *count is their number; where it exceeds `capacity`,
 * KORIDOR_BUFFER_TOO_SMALL. With actions NULL and capacity 0 only the count is set. */
KORIDOR_API koridor_status koridor_state_legal(const koridor_state* state, int32_t* actions, size_t capacity,
                                               size_t* count);
/* Plays an action. KORIDOR_ILLEGAL_ACTION with the reason where it cannot be played. */
KORIDOR_API koridor_status koridor_state_apply(koridor_state* state, int32_t action);

/* An action of this position as text, legal or not; and the legal action that a text names, as a person types it. */
KORIDOR_API koridor_status koridor_state_action_text(const koridor_state* state, int32_t action,
                                                     koridor_notation notation, char* buffer, size_t size,
                                                     size_t* length);
KORIDOR_API koridor_status koridor_state_read_action(const koridor_state* state, const char* text,
                                                     koridor_notation notation, int32_t* action);
/* The board for a terminal, in lines that end with '\n'. */
KORIDOR_API koridor_status koridor_state_board(const koridor_state* state, koridor_notation notation, char* buffer,
                                               size_t size, size_t* length);

/* The position as koridor_game_info.packed_size bytes, as the shards of a run hold it. The past is not packed: an
 * unpacked position has none, which matters only for rules of repetition. KORIDOR_INVALID_ARGUMENT for bytes that are
 * no position of the game. */
KORIDOR_API koridor_status koridor_state_pack(const koridor_state* state, uint8_t* bytes, size_t size);
KORIDOR_API koridor_status koridor_state_unpack(const koridor_game* game, const uint8_t* bytes, size_t size,
                                                koridor_state** state);

/* ---- Many states at once ---------------------------------------------------------------------------------------- */
/* `states` are `count` states of one game, each given once where they are changed. Results are written into the
 * caller's memory, one row per state. On failure the message names the first state at fault; rows before it are
 * written, and states before it are changed. */

/* players[count]: who is to move, -1 where the game is over. */
KORIDOR_API koridor_status koridor_states_players(koridor_state* const* states, size_t count, int32_t* players);
/* mask[count, num_actions]: 1 where the action is legal, else 0. */
KORIDOR_API koridor_status koridor_states_legal(koridor_state* const* states, size_t count, uint8_t* mask);
/* Plays actions[i] in states[i]; -1 leaves the state as it is. */
KORIDOR_API koridor_status koridor_states_apply(koridor_state* const* states, size_t count, const int32_t* actions);
/* over[count]: 1 where the game is over. values[count, players]: each player's points, 0 while it is not over. */
KORIDOR_API koridor_status koridor_states_outcomes(koridor_state* const* states, size_t count, uint8_t* over,
                                                   float* values);
/* planes[count, planes, rows, columns] and scalars[count, scalars] as the player to move sees them, under a symmetry in
 * [0, num_symmetries), 0 being the identity. Positions in which the game is over are encoded as well. */
KORIDOR_API koridor_status koridor_states_encode(koridor_state* const* states, size_t count, int32_t features,
                                                 int32_t symmetry, float* planes, float* scalars);
/* indices[count, num_actions]: where an action stands in the network's policy, in [0, policy_size). */
KORIDOR_API koridor_status koridor_states_policy_indices(koridor_state* const* states, size_t count, int32_t symmetry,
                                                         int32_t* indices);
/* Plays random legal actions, each equally likely, until the game of each state is over or `plies` have been played.
 * Equal seeds give equal games, whatever the other states. */
KORIDOR_API koridor_status koridor_states_play_randomly(koridor_state* const* states, size_t count, int32_t plies,
                                                        uint64_t seed);

/* ---- Models ----------------------------------------------------------------------------------------------------- */

typedef struct koridor_model_info {
  uint32_t struct_size;
  int32_t encoding_version;
  int32_t features; /* what the network wants of koridor_states_encode: a sum of koridor_feature */
  int32_t players;
  int32_t generation;
  int32_t blocks;
  int32_t channels;
  int32_t calibrated; /* 1 where it can be computed in int8 */
} koridor_model_info;

/* KORIDOR_BAD_MODEL for a file that is missing, damaged, or no model. */
KORIDOR_API koridor_status koridor_model_load(const char* path, koridor_model** model);
/* The same from `size` bytes, which are copied; `name` names the model in messages. */
KORIDOR_API koridor_status koridor_model_load_memory(const void* bytes, size_t size, const char* name,
                                                     koridor_model** model);
/* Writes a model's file, and its folder where there is none; with `compact` 1 (and not 0) one of a third of the size,
 * whose convolutions have the weights of int8 (docs/formats.md). KORIDOR_INVALID_ARGUMENT where it cannot be
 * written. */
KORIDOR_API koridor_status koridor_model_save(const koridor_model* model, const char* path, int32_t compact);
KORIDOR_API koridor_status koridor_model_free(koridor_model* model);
KORIDOR_API koridor_status koridor_model_describe(const koridor_model* model, koridor_model_info* info);
/* These belong to the model; NULL for a bad handle. */
KORIDOR_API const char* koridor_model_game(const koridor_model* model);   /* the variant that it was trained on last */
KORIDOR_API const char* koridor_model_family(const koridor_model* model); /* "wall", "go" */

/* ---- Evaluating positions --------------------------------------------------------------------------------------- */

typedef struct koridor_evaluation {
  uint32_t struct_size;
  int32_t max_batch;       /* positions that are computed at once; 0: 64 */
  int32_t cache_mebibytes; /* of a session's cache of predictions; 0: 32, -1: none */
  const char* backend;     /* one of koridor_backends(); NULL: the first */
  const char* precision;   /* "auto", "f32", "bf16", "int8"; NULL: auto, the fastest that this CPU has */
} koridor_evaluation;

/* An evaluator of this game's positions; `how` may be NULL. KORIDOR_BAD_MODEL where the model does not fit the game: it
 * serves every board of its family with its number of players and, in the wall games, its number of pawns, the same
 * kinds of walls and the same parts of a turn. */
KORIDOR_API koridor_status koridor_evaluator_new(const koridor_model* model, const koridor_game* game,
                                                 const koridor_evaluation* how, koridor_evaluator** evaluator);
KORIDOR_API koridor_status koridor_evaluator_free(koridor_evaluator* evaluator);
/* "onednn int8 winograd"; NULL for a bad handle. It names what is used: a model whose int8 is refused, as it
 * holds no calibration or is too far from f32, is computed in another precision. The library prints nothing. */
KORIDOR_API const char* koridor_evaluator_describe(const koridor_evaluator* evaluator);
/* The network itself, on encoded positions, any number of them: planes[count, planes, rows, columns] and
 * scalars[count, scalars] in; policy[count, policy_size] as logits and value[count, value_size] as probabilities out.
 * The sizes are those of koridor_game_encoding with the model's features (koridor_model_info), by which
 * koridor_states_encode has to have encoded the positions. It reads and writes the caller's memory; scalars that say by
 * which rules is played are taken as the network learned them (docs/onnx.md). A position's results do not depend on the
 * others, to the bit. KORIDOR_INVALID_ARGUMENT where a number is not finite; nothing is evaluated then. */
KORIDOR_API koridor_status koridor_evaluate(koridor_evaluator* evaluator, size_t count, const float* planes,
                                            const float* scalars, float* policy, float* value);
/* The same for states, in the terms of the game: policy[count, num_actions] as probabilities of the legal actions,
 * which sum to 1, and values[count, players] by seat, which sum to 1. Where a game is over its policy is 0 and its
 * values are the outcome. Either result may be NULL. */
KORIDOR_API koridor_status koridor_evaluate_states(koridor_evaluator* evaluator, koridor_state* const* states,
                                                   size_t count, float* policy, float* values);

/* ---- Sessions --------------------------------------------------------------------------------------------------- */

typedef struct koridor_session_options {
  uint32_t struct_size;
  int32_t threads;          /* that evaluate, the caller's among them; 0: one, -1: all cores */
  int32_t memory_mebibytes; /* of the tree and those of earlier searches; 0: 1024 */
  koridor_notation notation;
  uint64_t seed;
  const koridor_evaluation* evaluation; /* NULL: all defaults; max_batch is without meaning here */
} koridor_session_options;

/* A session begins at the game's start. With model NULL it cannot search. `options` may be NULL. */
KORIDOR_API koridor_status koridor_session_new(const koridor_game* game, const koridor_model* model,
                                               const koridor_session_options* options, koridor_session** session);
KORIDOR_API koridor_status koridor_session_free(koridor_session* session);

/* Plays an action, or what a text names; the moves taken back are forgotten. KORIDOR_ILLEGAL_ACTION with the reason. */
KORIDOR_API koridor_status koridor_session_play(koridor_session* session, int32_t action);
KORIDOR_API koridor_status koridor_session_play_text(koridor_session* session, const char* text);
/* Goes to the position after `ply` of the session's moves, those taken back included; earlier searches are kept. */
KORIDOR_API koridor_status koridor_session_go_to(koridor_session* session, int32_t ply);
/* Begins anew: from the game's start where `state` is NULL, else from that state, which is of the session's game. */
KORIDOR_API koridor_status koridor_session_restart(koridor_session* session, const koridor_state* state);
/* The position as a state of its own. */
KORIDOR_API koridor_status koridor_session_state(koridor_session* session, koridor_state** state);
/* All moves, those taken back included, and the ply of the position, which is the number of those that led to it;
 * `ply` may be NULL. */
KORIDOR_API koridor_status koridor_session_moves(koridor_session* session, int32_t* actions, size_t capacity,
                                                 size_t* count, int32_t* ply);

/* A search goes on until it reaches one of its limits, or its position is proven. */
typedef struct koridor_analysis koridor_analysis;
typedef struct koridor_limits {
  uint32_t struct_size;
  int32_t visits;    /* simulations; 0: 400 where there is no other limit, else no limit */
  double seconds;    /* wall time; 0: no limit */
  int32_t nodes;     /* visits of the position, those of earlier searches included; 0: no limit */
  int32_t infinite;  /* 1: only koridor_session_stop() or `progress` ends it, even where the position is proven */
  int32_t lines;     /* so many candidates have their line of play; 0: one */
  int32_t ownership; /* 1: koridor_session_ownership() will be asked for */
  /* Called on the searching thread every `report_seconds` (0: 0.25) with what is known so far. It must not call the
   * library with this session but for koridor_session_stop. The search ends where it returns anything but 0. May be
   * NULL. */
  int32_t (*progress)(void* user, const koridor_analysis* so_far);
  void* user;
  double report_seconds;
} koridor_limits;

struct koridor_analysis {
  uint32_t struct_size;
  int32_t seat;                          /* the player to move */
  float values[KORIDOR_MAX_PLAYERS];     /* of each player, by the search */
  float raw_values[KORIDOR_MAX_PLAYERS]; /* of each player, by the network alone */
  int32_t proven;                        /* 1 where `values` are those of perfect play */
  int32_t best;                          /* the action to play */
  int32_t candidates;                    /* the number of legal actions */
  int32_t visits;                        /* simulations of this search */
  int32_t nodes;                         /* visits of the position, those of earlier searches included */
  int32_t evaluations;                   /* positions that the network computed */
  int32_t largest_depth;                 /* plies below the position */
  double mean_depth;
  double seconds; /* wall time */
};

typedef struct koridor_candidate {
  int32_t action;
  int32_t visits;
  float policy;                      /* its share of the search's policy; all shares sum to 1 */
  float prior;                       /* its share of the network's policy */
  float values[KORIDOR_MAX_PLAYERS]; /* of each player after it; 0 where it was not visited */
  int32_t proven;                    /* 1 where they are those of perfect play */
  int32_t plies;                     /* where proven: plies to the end of the game, this action included */
} koridor_candidate;

/* Searches the position with the session's model; `limits` may be NULL: 400 visits. What was searched before counts on.
 * KORIDOR_GAME_OVER where the game is over, KORIDOR_INVALID_ARGUMENT where the session has no model, KORIDOR_BAD_MODEL
 * where its network overflows. */
KORIDOR_API koridor_status koridor_session_search(koridor_session* session, const koridor_limits* limits,
                                                  koridor_analysis* analysis);
/* Searches the position as a level of play does, and takes an action: "beginner", "easy", "casual", "medium", "hard",
 * "expert" or "full", as in `koridor play`. What was searched of the position before is forgotten, and the analysis of
 * it is that of this search. The lower ones draw by the session's seed: give each game another one. Errors as above,
 * and KORIDOR_INVALID_ARGUMENT for another name. */
KORIDOR_API koridor_status koridor_session_choose(koridor_session* session, const char* level, int32_t* action);
/* Ends the search under way, within milliseconds; it returns KORIDOR_OK and what it has found. From any thread. Where
 * no search is under way it is the next that ends at once: nothing is lost where the other thread has not yet begun. */
KORIDOR_API koridor_status koridor_session_stop(koridor_session* session);
/* Takes back a stop that came too late to end a search. From any thread. */
KORIDOR_API koridor_status koridor_session_clear_stop(koridor_session* session);

/* Of the last search of this position; KORIDOR_NO_RESULT where there was none since it was reached.
 * Every legal action, the best first, then those that were searched, then the others, each by policy. element_size is
 * sizeof(koridor_candidate), by which the library knows the caller's version. As in koridor_state_legal, *count is
 * their number. */
KORIDOR_API koridor_status koridor_session_candidates(koridor_session* session, koridor_candidate* candidates,
                                                      size_t element_size, size_t capacity, size_t* count);
/* The play that the search expects, beginning with the candidate at `index` of those with a line
 * (koridor_limits.lines); line 0 is the principal variation. */
KORIDOR_API koridor_status koridor_session_line(koridor_session* session, size_t index, int32_t* actions,
                                                size_t capacity, size_t* count);
/* Who will own each point at the end, by the network: 1 player 0 (black), -1 the other; owners[rows, columns].
 * KORIDOR_NO_RESULT where it was not asked for, or the model does not say it. */
KORIDOR_API koridor_status koridor_session_ownership(koridor_session* session, float* owners, size_t capacity,
                                                     size_t* count);

/* The position, and what the last search of it says, as JSON for pages that draw it: docs/picture.md has the format.
 * KORIDOR_NO_RESULT for an analysis where there was no search. */
KORIDOR_API koridor_status koridor_session_picture(koridor_session* session, char* buffer, size_t size, size_t* length);
KORIDOR_API koridor_status koridor_session_analysis_picture(koridor_session* session, char* buffer, size_t size,
                                                            size_t* length);

#ifdef __cplusplus
}
#endif

#endif
