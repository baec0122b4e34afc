#include "models/network/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/game.h"

namespace koridor {
namespace {

constexpr int kMostHeads = 32;
constexpr int kMostCopies = 16;

constexpr std::array<std::pair<std::string_view, Extent>, 5> kExtents = {{{"actions", Extent::actions},
                                                                          {"outcome", Extent::outcome},
                                                                          {"players", Extent::players},
                                                                          {"squares", Extent::squares},
                                                                          {"scalar", Extent::scalar}}};
// Inputs and layers of every network: in files, heads stand beside them.
constexpr std::array<std::string_view, 4> kTaken = {"planes", "scalars", "stem", "blocks"};
constexpr std::array<std::pair<std::string_view, Activation>, 2> kActivations = {
    {{"softmax", Activation::softmax}, {"sigmoid", Activation::sigmoid}}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  return std::ranges::find(names, value, [](const auto& entry) { return entry.second; })->first;
}

template <class Names>
auto value_of(const Names& names, const std::string& word, const std::string& head) {
  const auto found = std::ranges::find(names, std::string_view(word), [](const auto& entry) { return entry.first; });
  if (found == names.end()) throw UserError(fmt::format("the head \"{}\": there is no \"{}\"", head, word));
  return found->second;
}

Head parse_head(const std::string& text) {
  std::istringstream in(text);
  std::array<std::string, 4> words;
  for (std::string& word : words) std::getline(in, word, ':');
  if (!in.eof())
    throw UserError(fmt::format("the head \"{}\" must have four parts: NAME:EXTENT:ACTIVATION:COUNT", text));
  const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (words[0].empty() || !std::ranges::all_of(words[0], in_name)) {
    throw UserError(fmt::format("the head \"{}\" has no name of lower-case letters", text));
  }
  if (std::ranges::count(kTaken, words[0]) > 0) {
    throw UserError(
        fmt::format("the head \"{}\" has the name of an input or of a layer; call it {}_head", text, words[0]));
  }
  Head head{words[0], value_of(kExtents, words[1], text), value_of(kActivations, words[2], text), 0};
  const int most = head.extent == Extent::actions ? 1 : kMostCopies;
  const auto count = read_number<int>(words[3], 1, most);
  if (!count) throw UserError(fmt::format("the head \"{}\" must end in a count from 1 to {}", text, most));
  head.count = *count;
  return head;
}

}  // namespace

std::vector<Head> basic_heads() {
  return {{"policy", Extent::actions, Activation::softmax, 1},
          {"value", Extent::outcome, Activation::softmax, 1},
          {"auxiliary", Extent::players, Activation::sigmoid, 1}};
}

int head_size(const Head& head, const EncodingShape& shape) {
  switch (head.extent) {
    case Extent::actions:
      return head.count * shape.policy_size();
    case Extent::outcome:
      return head.count * shape.value_size();
    case Extent::players:
      return head.count * shape.players;
    case Extent::squares:
      return head.count * shape.area();
    case Extent::scalar:
      return head.count;
  }
  return 0;
}

std::string heads_text(const std::vector<Head>& heads) {
  std::string text;
  for (const Head& head : heads) {
    text += fmt::format("{}{}:{}:{}:{}", text.empty() ? "" : " ", head.name, name_of(kExtents, head.extent),
                        name_of(kActivations, head.activation), head.count);
  }
  return text;
}

std::vector<Head> parse_heads(std::string_view text) {
  std::vector<Head> heads;
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) {
    heads.push_back(parse_head(word));
    const auto same = std::ranges::count(heads, heads.back().name, &Head::name);
    if (same > 1) throw UserError(fmt::format("the head \"{}\" is there twice", heads.back().name));
    if (heads.size() > kMostHeads) throw UserError(fmt::format("more than {} heads", kMostHeads));
  }
  const std::vector<Head> basic = basic_heads();
  if (heads.size() < basic.size() || !std::ranges::equal(basic, std::span(heads).first(basic.size()))) {
    throw UserError(fmt::format("the heads must begin with \"{}\"", heads_text(basic)));
  }
  return heads;
}

}  // namespace koridor
