#include "cli/play/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

namespace koridor::cli {
namespace {

// Set when the program goes on after Ctrl-Z. The shell has used the terminal meanwhile, and in a mode of its own.
volatile std::sig_atomic_t went_on = 0;

class Editor final : public LineEditor {
 public:
  explicit Editor(const std::atomic<bool>& stop)
      : stop_(stop), history_(::history_init()), editor_(::el_init("koridor", stdin, stdout, stderr)) {
    HistEvent event;
    ::history(history_, &event, H_SETSIZE, 1000);
    ::history(history_, &event, H_SETUNIQUE, 1);
    ::el_set(editor_, EL_CLIENTDATA, this);
    ::el_set(editor_, EL_PROMPT, &Editor::prompt_of);
    ::el_set(editor_, EL_EDITOR, "emacs");
    ::el_set(editor_, EL_HIST, ::history, history_);
    ::el_set(editor_, EL_GETCFN, &Editor::read_character);
    struct sigaction action {};
    action.sa_handler = [](int) { went_on = 1; };
    action.sa_flags = SA_RESTART;  // of calls in other threads; poll() returns in any case
    ::sigaction(SIGCONT, &action, &before_);
  }
  ~Editor() override {
    ::sigaction(SIGCONT, &before_, nullptr);
    ::el_end(editor_);
    ::history_end(history_);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  std::optional<std::string> read(const std::string& prompt, const std::function<bool()>& over) override {
    prompt_ = prompt;
    over_ = &over;
    went_on = 0;  // it was not while a line was typed
    int count = 0;
    const char* text = ::el_gets(editor_, &count);
    if (text == nullptr || count <= 0 || stop_ || over()) {
      fmt::print("\n");
      return std::nullopt;
    }
    std::string line(text, static_cast<std::size_t>(count));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    HistEvent event;
    if (!line.empty()) ::history(history_, &event, H_ENTER, line.c_str());
    return line;
  }

 private:
  static Editor& of(EditLine* editor) {
    void* self = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }

  static char* prompt_of(EditLine* editor) { return of(editor).prompt_.data(); }

  // Takes the terminal back, and shows the line that is being typed.
  static void show_again(EditLine* editor) {
    went_on = 0;
    ::el_set(editor, EL_PREP_TERM, 0);  // without this it believes that the mode is still its own
    ::el_set(editor, EL_PREP_TERM, 1);
    ::el_set(editor, EL_REFRESH);
  }

  // libedit's own reader goes on after a signal; this one ends the line. Bytes that are no text are passed over.
  static int read_character(EditLine* editor, wchar_t* character) {
    constexpr int kPauseMs = 100;
    for (;;) {
      if (went_on != 0) show_again(editor);
      if (of(editor).stop_ || (*of(editor).over_)()) return -1;
      pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&input, 1, kPauseMs);
      if (ready < 0 && errno != EINTR) return -1;
      if (ready <= 0) continue;
      unsigned char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return static_cast<int>(count);
      const char part = static_cast<char>(byte);
      const std::size_t used = std::mbrtowc(character, &part, 1, &of(editor).character_begun_);
      if (used == static_cast<std::size_t>(-2)) continue;  // more bytes of this character follow
      if (used <= 1) return 1;
      of(editor).character_begun_ = {};
    }
  }

  const std::atomic<bool>& stop_;
  ::History* history_;
  ::EditLine* editor_;
  std::string prompt_;
  const std::function<bool()>* over_ = nullptr;  // of the line that is being read
  std::mbstate_t character_begun_{};
  struct sigaction before_ {};
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(const std::atomic<bool>& stop) {
  std::setlocale(LC_CTYPE, "");
  // The board is UTF-8 everywhere. Without a locale, or in one of single bytes, letters beyond ASCII would be lost.
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  return std::make_unique<Editor>(stop);
}

}  // namespace koridor::cli
