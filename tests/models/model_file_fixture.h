// What tests of model files share: a small model in a file, and files that another program has changed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/files.h"
#include "core/base/random.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/models/network_fixture.h"
#include "tests/temporary_folder.h"

namespace koridor {

class ModelFile : public testing::Test {
 protected:
  static Model small_model() {
    Model model = test::model_for(test::board(5, 5), {1, 8, 1, 2, 2, 4});
    model.info.game = "quoridor:5x5,walls=3";
    model.info.features.distances = false;
    model.info.generation = 3;
    model.info.config_hash = "0123456789abcdef";
    model.info.games = {"quoridor:5x5,walls=3", "quoridor:5x5"};
    return model;
  }

  std::string saved() {
    save_model(path_, small_model());
    return read_file(path_);
  }
  void write(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }
  // What load_model says of `content`: one line that names the file.
  std::string refusal(const std::string& content) {
    write(content);
    const std::string message = line_of_error([&] { load_model(path_); });
    if (message == "no error") return message;
    EXPECT_THAT(message, testing::HasSubstr(path_.string()));
    return message;
  }

  // A file like ours whose header was changed by `change` and whose checksum is right again, as another program that
  // knows the format would write it.
  template <class Change>
  std::string rewritten(const Change& change, const std::string& more_data = "") {
    const std::string content = saved();
    std::uint64_t length = 0;
    std::memcpy(&length, content.data(), 8);
    auto header = nlohmann::json::parse(content.substr(8, length));
    change(header);
    header["__metadata__"]["checksum"] = std::string(16, '0');
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    length = text.size();
    std::string result(reinterpret_cast<const char*>(&length), 8);
    result += text + content.substr(content.size() - data_bytes(content)) + more_data;
    const std::size_t at = result.find("\"checksum\":\"") + std::strlen("\"checksum\":\"");
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum_by_the_book(result, at)));
    return result.replace(at, 16, digits);
  }
  static std::size_t data_bytes(const std::string& content) {
    std::uint64_t length = 0;
    std::memcpy(&length, content.data(), 8);
    return content.size() - 8 - length;
  }
  // As docs/formats.md defines it.
  static std::uint64_t checksum_by_the_book(const std::string& content, std::size_t digits_at) {
    std::uint64_t hash = mix64(content.size());
    const auto take = [&](std::string part) {
      part.resize((part.size() + 7) / 8 * 8, '\0');
      for (std::size_t at = 0; at < part.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, part.data() + at, 8);
        hash = mix64(hash ^ word);
      }
    };
    take(content.substr(0, digits_at));
    take(content.substr(digits_at + 16));
    return hash;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "gen-0003.koridor";
};

}  // namespace koridor
