// An analysis server with a random network that a test asks line by line.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/analysis/server.h"
#include "core/registry.h"
#include "tests/tiny_model.h"

namespace koridor::cli {

using nlohmann::json;

// With a head for the owners of squares.
inline std::shared_ptr<const Model> model_with_owners(const AnyGame& game) {
  return test::tiny_model(game, {.ownership = true, .seed = 4});
}

// A server, and what it said.
class Conversation {
 public:
  explicit Conversation(const std::string& game, int positions = 0, std::size_t mebibytes = 1024)
      : model_(model_with_owners(parse_game(game))),
        server_(settings(game, positions, mebibytes), [this](std::string_view line) { hear(line); }) {}

  const std::shared_ptr<const Model>& model() const { return model_; }
  void line(std::string_view text) { server_.line(text); }
  void ask(const json& object) { server_.line(object.dump()); }
  // Everything that was said, when all is answered.
  std::vector<json> end() {
    server_.end();
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }
  // All that is said of one query.
  std::vector<json> answers(const json& query) {
    ask(query);
    return end();
  }
  // The only answer.
  json answer(const json& query) {
    const std::vector<json> all = answers(query);
    EXPECT_EQ(all.size(), 1u) << query << "\n" << json(all);
    return all.empty() ? json() : all.front();
  }
  // The same where the searches are ended after so many seconds, or at once where nobody reads.
  std::vector<json> end(double grace, bool gone) {
    server_.end(grace, [gone] { return gone; });
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }
  void wait_for_lines(std::size_t lines) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return said_.size() >= lines; });
  }

 private:
  AnalysisSettings settings(const std::string& game, int positions, std::size_t mebibytes) const {
    AnalysisSettings settings{.defaults = {.game = parse_game(game)}};
    settings.pool.model = model_;
    settings.pool.name = "small.koridor";
    settings.pool.evaluation.precision = "f32";
    settings.pool.threads = 2;
    settings.pool.leaves = 1;
    settings.pool.positions = positions;
    settings.pool.memory_mebibytes = mebibytes;
    settings.defaults.visits = 20;
    return settings;
  }

  void hear(std::string_view line) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(line.ends_with('\n'));
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    said_.push_back(json::parse(line));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<json> said_;
  std::shared_ptr<const Model> model_;
  AnalysisServer server_;
};

// A list of pairs out of words: "B C3 W D4" is [["B","C3"],["W","D4"]].
inline json pairs(const std::string& words) {
  std::istringstream in(words);
  json list = json::array();
  for (std::string player, move; in >> player >> move;) list.push_back(json::array({player, move}));
  return list;
}

inline json go_query(const std::string& id = "a") {
  return {{"id", id}, {"moves", json::array()}, {"rules", "tromp-taylor"}, {"boardXSize", 5}, {"boardYSize", 5}};
}

inline std::vector<std::string> names_of(const json& moves) {
  std::vector<std::string> names;
  for (const json& move : moves) names.push_back(move["move"]);
  return names;
}

}  // namespace koridor::cli
