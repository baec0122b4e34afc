/* Plays a game against random moves: a model, with 100 visits a move, has the first seat.
 *
 *   export PKG_CONFIG_PATH=PREFIX/lib/.../pkgconfig      where cmake --install has put the library
 *   cc play.c $(pkg-config --cflags --libs koridor) -Wl,-rpath,$(pkg-config --variable=libdir koridor) -o play
 *   ./play quoridor:5x5,walls=3 MODEL
 */
#include <koridor.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's own words. */
static void require(koridor_status status, const char* what) {
  if (status == KORIDOR_OK) return;
  fprintf(stderr, "%s: %s (%s)\n", what, koridor_last_error(), koridor_status_name(status));
  exit(2);
}

/* One of the legal actions; the same in every run. */
static int32_t random_action(const koridor_state* state) {
  static uint32_t seed = 1;
  int32_t actions[1024];
  size_t count = 0;
  require(koridor_state_legal(state, actions, 1024, &count), "legal actions");
  seed = seed * 1664525u + 1013904223u;
  return actions[(seed >> 8) % count];
}

int main(int count, char** arguments) {
  if (count != 3) return fprintf(stderr, "usage: %s GAME MODEL\n", arguments[0]), 2;
  require(koridor_require_abi(KORIDOR_ABI_VERSION), "libkoridor");
  koridor_game* game = NULL;
  koridor_model* model = NULL;
  koridor_state* state = NULL;
  koridor_session* session = NULL;
  require(koridor_game_new(arguments[1], &game), arguments[1]);
  require(koridor_model_load(arguments[2], &model), arguments[2]);
  require(koridor_state_new(game, &state), "state");
  require(koridor_session_new(game, model, NULL, &session), "session");

  koridor_limits limits = {.struct_size = sizeof limits, .visits = 100};
  koridor_outcome outcome = {.struct_size = sizeof outcome};
  for (require(koridor_state_outcome(state, &outcome), "outcome"); !outcome.over;) {
    int32_t player = 0;
    int32_t action = 0;
    char text[32];
    require(koridor_state_player(state, &player), "player");
    if (player == 0) {
      koridor_analysis found = {.struct_size = sizeof found};
      require(koridor_session_search(session, &limits, &found), "search");
      action = found.best;
      printf("%5.1f%% ", 100 * found.values[0]);
    } else {
      action = random_action(state);
    }
    require(koridor_state_action_text(state, action, KORIDOR_STANDARD, text, sizeof text, NULL), "text");
    printf("player %d plays %s\n", player + 1, text);
    require(koridor_session_play(session, action), text);
    require(koridor_state_apply(state, action), text);
    require(koridor_state_outcome(state, &outcome), "outcome");
  }

  static char board[16384];
  require(koridor_state_board(state, KORIDOR_STANDARD, board, sizeof board, NULL), "board");
  printf("%s", board);
  if (outcome.winner < 0) printf("a draw\n");
  if (outcome.winner >= 0) printf("player %d wins\n", outcome.winner + 1);
  require(koridor_session_free(session), "session");
  require(koridor_state_free(state), "state");
  require(koridor_model_free(model), "model");
  return koridor_game_free(game) == KORIDOR_OK ? 0 : 2;
}
