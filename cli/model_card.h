// What a model file says of its network, as tables.
#pragma once

#include <string>

#include "core/base/table.h"

namespace koridor::cli {

// Whether the file begins as a model does, or has a model's name (.koridor).
bool looks_like_model(const std::string& path);

// Shows the card of a model: a row of the table "models"; what its training cost, of a model in a run, as the table
// "training"; and for programs the tables "planes" and "scalars" of their names and "metadata" as they stand in the
// file. Throws UserError where the file is no whole model.
void show_model_card(TableWriter& out, const std::string& path);

}  // namespace koridor::cli
