// What a model file says of its network, as tables.
#pragma once

#include <string>

#include "core/base/table.h"

namespace koridor::cli {

// Whether the file begins as a model does.
bool looks_like_model(const std::string& path);

// Shows the card of a model: a row of the table "models", and its metadata as they stand in the file as the table
// "metadata". Throws UserError where the file is no whole model.
void show_model_card(TableWriter& out, const std::string& path);

}  // namespace koridor::cli
