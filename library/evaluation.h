// How a caller wants positions evaluated, and whether a model fits a game: for evaluators and for sessions.
#pragma once

#include "library/objects.h"
#include "models/evaluation.h"

namespace koridor::library {

// Throws UserError for words that are unknown, and Failure (KORIDOR_UNSUPPORTED) for a precision that the backend has,
// but not on this CPU.
Evaluation evaluation_of(const koridor_evaluation& how);

// Throws Failure (KORIDOR_BAD_MODEL) unless it fits.
void require_model_fits(const Network& network, const Rules& rules);

}  // namespace koridor::library
