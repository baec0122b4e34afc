// Between C++ and C: what goes wrong inside becomes a status and a message of the thread.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "core/base/error.h"
#include "library/koridor.h"
#include "models/network/guard.h"

namespace koridor::library {

// Something that a caller is told with a status of its own. A UserError becomes the status that guarded() is given,
// and KORIDOR_BAD_MODEL where a network overflows.
class Failure : public std::runtime_error {
 public:
  Failure(koridor_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  koridor_status status() const { return status_; }

 private:
  koridor_status status_;
};

// Sets the thread's message, one printable line (core/base/terminal.h) of what is said, and returns the status.
koridor_status fail(koridor_status status, const char* message) noexcept;

// Calls `body` and returns KORIDOR_OK, or the status of what it throws. Every function of the interface is such a call.
template <class Body>
koridor_status guarded(koridor_status of_user_error, const Body& body) noexcept {
  try {
    body();
    return KORIDOR_OK;
  } catch (const Failure& failure) {
    return fail(failure.status(), failure.what());
  } catch (const OverflowError& error) {
    return fail(KORIDOR_BAD_MODEL, error.what());
  } catch (const UserError& error) {
    return fail(of_user_error, error.what());
  } catch (const std::bad_alloc& error) {
    return fail(KORIDOR_OUT_OF_MEMORY, error_text(error));
  } catch (const std::exception& error) {
    return fail(KORIDOR_INTERNAL, error.what());
  } catch (...) {
    return fail(KORIDOR_INTERNAL, "something that is no exception was thrown");
  }
}

template <class Body>
koridor_status guarded(const Body& body) noexcept {
  return guarded(KORIDOR_INVALID_ARGUMENT, body);
}

// Throws Failure where a pointer that the function needs is NULL.
inline void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Failure(KORIDOR_INVALID_ARGUMENT, std::string(name) + " is NULL");
}

}  // namespace koridor::library
