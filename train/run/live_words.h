// What the processes of a run do now, in words for the live line, from the files of their live progress.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace koridor {

// A file of live progress as its process last wrote it; an empty object where there is none that can be read.
nlohmann::json live_progress(const std::filesystem::path& file);

// Of the steps that make a generation.
std::vector<std::string> training_words(const nlohmann::json& training);

// Of the games of a generation on one board; `board` is empty where the run has one alone.
std::vector<std::string> selfplay_words(const nlohmann::json& games, const std::string& board);

// Of training and self-play where both go on at once, and which of them waits for the other. `silent`: words about the
// trainer's silence, empty while it gives signs of life.
std::vector<std::string> words_of_both(const nlohmann::json& training, const nlohmann::json& games,
                                       const std::string& silent);

}  // namespace koridor
