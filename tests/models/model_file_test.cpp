// Model files: what is written is read again, and what is damaged, foreign or hostile is refused in one line.
#include "models/network/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "models/network/tensor_file.h"
#include "tests/error_of.h"
#include "tests/models/model_file_fixture.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using testing::HasSubstr;

TEST_F(ModelFile, ComesBackAsItWas) {
  const Model model = small_model();
  save_model(path_, model);
  const Model back = load_model(path_);
  EXPECT_EQ(back.tensors, model.tensors);
  EXPECT_EQ(back.info.family, model.info.family);
  EXPECT_EQ(back.info.game, model.info.game);
  EXPECT_EQ(back.info.features, model.info.features);
  EXPECT_EQ(back.info.network, model.info.network);
  EXPECT_EQ(back.info.signature, model.info.signature);
  EXPECT_EQ(back.info.generation, 3);
  EXPECT_EQ(back.info.config_hash, "0123456789abcdef");
  EXPECT_EQ(back.info.games, (std::vector<std::string>{"quoridor:5x5,walls=3", "quoridor:5x5"}));
}

TEST_F(ModelFile, KeepsTheListOfHeads) {
  Model model = test::model_for(test::board(5, 5), {1, 8, 1, 2, 2, 4});
  model.info.signature.heads.push_back({"ownership", Extent::squares, Activation::sigmoid, 2});
  model.info.signature.heads.push_back({"horizons", Extent::players, Activation::sigmoid, 3});
  model.info.signature.heads.push_back({"reply", Extent::actions, Activation::softmax, 1});
  model.info.signature.heads.push_back({"pace", Extent::scalar, Activation::sigmoid, 1});
  model = random_model(model.info, 1);
  EXPECT_EQ(model.tensors.at("ownership.out.weight").size(), 2u * 2u);
  EXPECT_EQ(model.tensors.at("horizons.out.bias").size(), 3u * 2u);
  EXPECT_EQ(model.tensors.at("reply.out.weight").size(), model.tensors.at("policy.out.weight").size());
  EXPECT_EQ(model.tensors.at("reply.pass.weight").size(), model.tensors.at("policy.pass.weight").size());
  EXPECT_EQ(model.tensors.at("pace.out.bias").size(), 1u);
  save_model(path_, model);
  const Model back = load_model(path_);
  EXPECT_EQ(back.info.signature, model.info.signature);
  EXPECT_EQ(back.tensors, model.tensors);
  // Who does not know the heads can do without them.
  EXPECT_NO_THROW(require_fits(back.info, "wall", test::board(5, 5), path_.string()));
}

TEST_F(ModelFile, SaysWhatIsWrongWithItsHeads) {
  const auto with_heads = [&](const std::string& heads) {
    return refusal(rewritten([&](nlohmann::json& header) { header["__metadata__"]["heads"] = heads; }));
  };
  const std::string basic = heads_text(basic_heads());
  EXPECT_EQ(basic, "policy:actions:softmax:1 value:outcome:softmax:1 auxiliary:players:sigmoid:1");
  EXPECT_EQ(with_heads(basic), "no error");
  EXPECT_THAT(with_heads("value:outcome:softmax:1"), HasSubstr("the heads must begin with \"policy:actions"));
  EXPECT_THAT(with_heads(basic + " pace:turns:sigmoid:1"),
              HasSubstr("\"pace:turns:sigmoid:1\": there is no \"turns\""));
  EXPECT_THAT(with_heads(basic + " pace:scalar:sigmoid:99"), HasSubstr("a count from 1 to 16"));
  EXPECT_THAT(with_heads(basic + " reply:actions:softmax:2"), HasSubstr("a count from 1 to 1"));
  EXPECT_THAT(with_heads(basic + " value:outcome:softmax:1"), HasSubstr("is there twice"));
  for (const std::string taken : {"planes", "scalars", "stem", "blocks"}) {
    EXPECT_THAT(with_heads(basic + " " + taken + ":scalar:sigmoid:1"), HasSubstr("call it " + taken + "_head"));
  }
  EXPECT_THAT(with_heads(basic + " pace:scalar:sigmoid:1"), HasSubstr("tensor pace.out.weight is missing"));
}

// As written before there was a list.
TEST_F(ModelFile, ReadsFilesWithoutAListOfHeads) {
  const auto old = [](const char* ownership) {
    return [=](nlohmann::json& header) {
      header["__metadata__"].erase("heads");
      header["__metadata__"].erase("encoding_version");
      header["__metadata__"]["ownership_planes"] = ownership;
    };
  };
  write(rewritten(old("0")));
  EXPECT_EQ(load_model(path_).info.signature.heads, basic_heads());
  EXPECT_EQ(load_model(path_).info.encoding_version, 1);
  EXPECT_THAT(refusal(rewritten(old("1"))), HasSubstr("tensor ownership.out.weight is missing"));
}

TEST_F(ModelFile, SaysWhichBuildWroteIt) {
  save_model(path_, small_model());
  EXPECT_EQ(load_model(path_).info.build, this_build());
  EXPECT_THAT(read_file(path_), HasSubstr("\"koridor_version\":\"" + this_build().version + "\""));
  // Files of builds that did not say it are read all the same.
  write(rewritten([](nlohmann::json& header) {
    header["__metadata__"].erase("koridor_version");
    header["__metadata__"].erase("koridor_commit");
  }));
  EXPECT_EQ(load_model(path_).info.build, Build{});
}

// A plane that means something else is worse than a plane that is missing.
TEST_F(ModelFile, RefusesAnotherVersionOfTheEncoding) {
  const Model model = small_model();
  EncodingShape shape = test::board(5, 5);
  EXPECT_NO_THROW(require_fits(model.info, "wall", shape, "m"));
  shape.version = 2;
  EXPECT_THAT(error_of([&] { require_fits(model.info, "wall", shape, "m"); }),
              HasSubstr("it reads version 1 of its game's encoding, this program writes version 2"));
  Model next = model;
  next.info.encoding_version = 2;
  save_model(path_, next);
  EXPECT_EQ(load_model(path_).info.encoding_version, 2);
}

TEST_F(ModelFile, SavingTwiceWritesTheSameBytes) {
  EXPECT_EQ(saved(), saved());
}

TEST_F(ModelFile, IsWhatReadersOfSafetensorsExpect) {
  const std::string content = saved();
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto header = nlohmann::json::parse(content.substr(8, length));
  for (const auto& [name, value] : header["__metadata__"].items()) EXPECT_TRUE(value.is_string()) << name;
  // Tensors lie one after the other without holes, in the order of network_tensors().
  const Model model = small_model();
  std::size_t end = 0;
  for (const auto& [name, shape] : network_tensors(model.info.network, model.info.signature)) {
    EXPECT_EQ(header[name]["dtype"], "F32");
    EXPECT_EQ(header[name]["shape"], nlohmann::json(shape));
    EXPECT_EQ(header[name]["data_offsets"][0], end);
    end = header[name]["data_offsets"][1];
  }
  EXPECT_EQ(end, data_bytes(content));
  float first = 0.0f;
  std::memcpy(&first, content.data() + 8 + length, sizeof first);
  EXPECT_EQ(first, model.tensors.at("stem.weight")[0]);
}

TEST_F(ModelFile, EveryTruncationIsNamed) {
  const std::string content = saved();
  for (std::size_t size = 0; size < content.size(); size += size < 64 ? 1 : 397) {
    const std::string message = refusal(content.substr(0, size));
    EXPECT_THAT(message, size == 0   ? HasSubstr("the file is empty")
                         : size < 10 ? HasSubstr("no model file")
                                     : HasSubstr("truncated"))
        << size;
  }
  EXPECT_THAT(refusal(content.substr(0, content.size() - 1)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(content + "x"), HasSubstr("damaged"));
}

TEST_F(ModelFile, EveryFlippedBitIsFound) {
  const std::string content = saved();
  Random random(5);
  for (int i = 0; i < 250; ++i) {
    std::string damaged = content;
    const std::size_t at = i < 120 ? static_cast<std::size_t>(i) : random.below(static_cast<int>(content.size()));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    EXPECT_NE(refusal(damaged), "no error") << "byte " << at;
  }
  std::string damaged = content;
  damaged.back() ^= 1;
  EXPECT_THAT(refusal(damaged), HasSubstr("damaged: its checksum is wrong"));
}

TEST_F(ModelFile, ForeignFilesAreNamed) {
  EXPECT_THAT(refusal("PK\x03\x04 a zip file, as LibTorch writes them, and then more"), HasSubstr("no model file"));
  EXPECT_THAT(refusal(std::string("\x89HDF\r\n\x1a\n", 8) + std::string(100, '\0')), HasSubstr("no model file"));
  EXPECT_THAT(refusal(std::string(4096, '\0')), HasSubstr("no model file"));
  EXPECT_THAT(refusal(std::string("\x08\0\0\0\0\0\0\0{\"a\":1 x", 16)), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal(std::string("\x02\0\0\0\0\0\0\0{}", 10)), HasSubstr("no Koridor model"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["__metadata__"]["format"] = "koridor-model-9"; })),
              HasSubstr("this version reads \"koridor-model-1\""));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["__metadata__"].erase("format"); })),
              HasSubstr("no Koridor model"));
}

TEST_F(ModelFile, GamesAreDifferentAndItsOwnComesFirst) {
  const auto refusal_of = [&](const std::string& games) {
    return refusal(rewritten([&](auto& header) { header["__metadata__"]["games"] = games; }));
  };
  EXPECT_EQ(refusal_of("quoridor:5x5,walls=3 later"), "no error");
  for (const char* games : {"quoridor:5x5,walls=3", "later quoridor:5x5,walls=3", "quoridor:5x5,walls=3 a a"}) {
    EXPECT_THAT(refusal_of(games),
                HasSubstr("\"games\" are not 2 to 64 different names of which the first is \"quoridor:5x5,walls=3\""));
  }
  Model model = small_model();
  model.info.games.push_back("of two words");
  EXPECT_THROW(save_model(path_, model), UserError);
}

TEST_F(ModelFile, WhatIsNoFileIsNamed) {
  EXPECT_THROW(load_model(folder_ / "missing.koridor"), UserError);
  EXPECT_THROW(load_model(folder_.path()), UserError);
}

TEST_F(ModelFile, TensorsMustBeTheNetworks) {
  EXPECT_EQ(refusal(rewritten([](auto&) {})), "no error");
  EXPECT_THAT(refusal(rewritten([](auto& header) { header.erase("policy.out.bias"); })),
              HasSubstr("tensor policy.out.bias is missing"));
  EXPECT_THAT(refusal(rewritten([](auto& header) {
                header["stem.weight"]["shape"] = {8, 11, 9};
              })),
              HasSubstr("stem.weight has the shape [8,11,9], expected [8, 11, 3, 3]"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["stem.weight"]["dtype"] = "BF16"; })),
              HasSubstr("stem.weight has dtype \"BF16\""));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["stem.weight"].erase("shape"); })), HasSubstr("stem.weight"));
  EXPECT_THAT(refusal(rewritten([](auto& header) {
                header["stem.weight"]["data_offsets"] = {4, 8};
              })),
              HasSubstr("stem.weight has data_offsets [4, 8]"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["stem.weight"]["data_offsets"] = "all"; })),
              HasSubstr("stem.weight has data_offsets"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["stem.weight"] = 5; })), HasSubstr("stem.weight"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["extra"] = header["stem.bias"]; })),
              HasSubstr("tensor extra is none of this network's"));
}

TEST_F(ModelFile, TensorsNeitherOverlapNorLeaveHoles) {
  const auto at = [](auto& header, const char* name) -> auto& {
    return header[name]["data_offsets"];
  };
  EXPECT_THAT(
      refusal(rewritten([&](auto& header) { at(header, "blocks.0.first.bias") = at(header, "blocks.0.second.bias"); })),
      HasSubstr("neither overlap nor leave holes"));
  EXPECT_THAT(refusal(rewritten(
                  [&](auto& header) {
                    for (auto& [name, entry] : header.items()) {
                      if (name == "__metadata__") continue;
                      for (auto& offset : entry["data_offsets"]) offset = offset.template get<std::size_t>() + 4;
                    }
                  },
                  "hole")),
              HasSubstr("neither overlap nor leave holes"));
}

// Nor before they are: all tensors of a large network at the same place of a small file.
TEST_F(ModelFile, TensorsThatOverlapTakeNoMemory) {
  constexpr int kBlocks = 10;
  constexpr int kChannels = 512;
  std::size_t largest = 0;
  const auto overlapping = [&](auto& header) {
    header["__metadata__"]["blocks"] = std::to_string(kBlocks);
    header["__metadata__"]["channels"] = std::to_string(kChannels);
    Model large = small_model();
    large.info.network.blocks = kBlocks;
    large.info.network.channels = kChannels;
    for (const auto& [name, shape] : network_tensors(large.info.network, large.info.signature)) {
      const std::size_t bytes = 4 * elements(shape);
      header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, bytes}}};
      largest = std::max(largest, bytes);
    }
  };
  rewritten(overlapping);
  const std::string content = rewritten(overlapping, std::string(largest - data_bytes(saved()), '\0'));
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const long most_before = usage.ru_maxrss;
  EXPECT_THAT(refusal(content), HasSubstr("neither overlap nor leave holes"));
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss - most_before, 64 << 10) << "KiB";
}

// A header that promises less than the file holds, or more, is refused before the rest is read.
TEST_F(ModelFile, LargeFilesAreLookedAtBeforeTheyAreRead) {
  const std::string content = saved();
  write(content);
  std::filesystem::resize_file(path_, std::uintmax_t{900} << 20);  // sparse
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const long most_before = usage.ru_maxrss;
  EXPECT_THAT(error_of([&] { load_model(path_); }), HasSubstr("damaged: 94"));
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss - most_before, 64 << 10) << "KiB";
  std::filesystem::resize_file(path_, std::uintmax_t{2} << 30);
  EXPECT_THAT(error_of([&] { load_model(path_); }), HasSubstr("more than 1073741824 bytes"));
}

// Changed bytes behind a good checksum, as a stranger writes them: one line, or a model whose numbers are finite.
TEST_F(ModelFile, ChangedBytesGiveALineOrAModel) {
  const std::string content = saved();
  const std::size_t header = content.size() - data_bytes(content);
  const std::size_t digits = content.find("\"checksum\":\"") + std::strlen("\"checksum\":\"");
  Random random(17);
  int read = 0;
  for (int i = 0; i < 400; ++i) {
    std::string changed = content;
    for (int changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t first = i % 2 == 0 ? 8 : header;
      const std::size_t end = i % 2 == 0 ? header : content.size();
      const std::size_t at = first + static_cast<std::size_t>(random.below(static_cast<int>(end - first)));
      if (at >= digits && at < digits + 16) continue;
      changed[at] = static_cast<char>(changed[at] ^ (1 << random.below(8)));
    }
    char sum[17];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(checksum_by_the_book(changed, digits)));
    changed.replace(digits, 16, sum);
    if (refusal(changed) != "no error") continue;
    ++read;
    for (const auto& [name, values] : load_model(path_).tensors) {
      for (const float value : values) ASSERT_TRUE(std::isfinite(value)) << name;
    }
  }
  EXPECT_GT(read, 50);  // most changes of weights give other weights
}

TEST_F(ModelFile, KeepsTheFeaturesOfItsInputs) {
  for (const FeatureName& feature : kFeatureNames) {
    Model model = small_model();
    model.info.features.*feature.member = true;
    save_model(path_, model);
    EXPECT_EQ(load_model(path_).info.features, model.info.features) << feature.name;
  }
  EXPECT_EQ(features_text({}), "distances");
  EXPECT_EQ(features_text({.distances = false}), "none");
  EXPECT_EQ(features_text({.distances = true, .wall_effects = true}), "distances, wall_effects");
}

TEST_F(ModelFile, MetadataMustMakeSense) {
  const auto with = [&](const std::string& name, const nlohmann::json& value) {
    return refusal(rewritten([&](auto& header) { header["__metadata__"][name] = value; }));
  };
  EXPECT_THAT(with("blocks", "many"), HasSubstr("blocks is \"many\", expected a whole number"));
  EXPECT_THAT(with("blocks", 1), HasSubstr("\"blocks\" of its metadata is no string"));
  EXPECT_THAT(with("blocks", "1000000000"), HasSubstr("blocks is 1000000000, expected 1 to 40"));
  EXPECT_THAT(with("channels", "-8"), HasSubstr("channels is -8"));
  EXPECT_THAT(with("channels", "99999999999999999999"), HasSubstr("channels"));
  EXPECT_THAT(with("players", "0"), HasSubstr("players is 0, expected 1 to 4"));
  EXPECT_THAT(with("features.distances", "yes"), HasSubstr("features.distances is \"yes\""));
  EXPECT_THAT(with("features.ways", "1"), HasSubstr("features.ways is \"1\", expected true or false"));
  EXPECT_THAT(with("blocks", "2"), HasSubstr("tensor blocks.1.first.weight is missing"));
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["__metadata__"].erase("family"); })),
              HasSubstr("\"family\""));
}

TEST_F(ModelFile, MetadataHoldNoControlBytes) {
  EXPECT_THAT(refusal(rewritten([](auto& header) { header["__metadata__"]["game"] = "quoridor\x1b[31m"; })),
              HasSubstr("\"game\" of its metadata holds control bytes"));
}

TEST_F(ModelFile, HostileHeadersCostLittle) {
  const auto file = [](const std::string& header) {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header;
  };
  EXPECT_THAT(refusal(file("{\"a\":[" + std::string(std::size_t{1} << 20, '1') + "]}")), HasSubstr("no model file"));
  // Deep nesting would end the process where an error quotes it.
  const std::size_t depth = 100'000;
  const std::string nested = std::string(depth, '[') + std::string(depth, ']');
  EXPECT_THAT(refusal(file("{\"a\":" + nested + "}")), HasSubstr("nested too deeply"));
}

TEST_F(ModelFile, WeightsMustBeFinite) {
  Model model = small_model();
  model.tensors["blocks.0.first.weight"][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of([&] { save_model(path_, model); }),
              HasSubstr("blocks.0.first.weight holds a value that is not finite"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// A disk that takes no more, as a limit on the size of files.
TEST_F(ModelFile, AFullDiskLeavesTheOldFileAndNoOther) {
  const std::string before = saved();
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = error_of([&] {
    Model other = small_model();
    other.info.generation = 4;
    save_model(path_, other);
  });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("cannot write " + path_.string()));
  EXPECT_EQ(read_file(path_), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ModelFile, SaysWhereItCannotWrite) {
  EXPECT_THROW(save_model("/proc/no/such/folder/model.koridor", small_model()), UserError);
}

}  // namespace
}  // namespace koridor
