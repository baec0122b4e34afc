// The page's requests that are about games and models: JSON in, JSON out, as docs/serve.md lists them. They need no
// socket, no thread, no file and no run, so that a page in the browser has them as WebAssembly (wasm.cpp).
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/serve/model_source.h"
#include "cli/serve/searches.h"

namespace koridor::serve {

// /api/info, without runs.
nlohmann::json info(ModelSource& models, const SearchSettings& settings);

// The answer to a request that needs no search; nothing where the path names none. Throws UserError for bad input.
std::optional<std::string> answer(ModelSource& models, std::string_view path, const nlohmann::json& request);

// Begins what /api/choose and /api/analyze ask for. `stop` ends it and must outlive it. Throws UserError and
// Searches::Busy.
Choosing begin_choosing(Searches& searches, const nlohmann::json& request, const std::atomic<bool>& stop);
Analysing begin_analysing(Searches& searches, const nlohmann::json& request, const std::atomic<bool>& stop);
std::string choice_answer(const Choice& choice);
// A line of the answer, without its end.
std::string analysis_answer(const Analysing& analysing, bool done);

// Seconds between two lines of an analysis.
inline constexpr double kReportSeconds = 0.3;

}  // namespace koridor::serve
