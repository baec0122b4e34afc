#include "selfplay/matches/yardstick/set_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/sealed_text.h"
#include "core/base/version.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstWords = "koridor yardstick 1 checksum ";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kLongestHead = 4096;
constexpr std::uintmax_t kLargestSet = std::uintmax_t{64} << 20;
constexpr int kPolicySum = 255;
constexpr float kValueUnit = 65535.0f;

// ---- Numbers as bytes: seven bits in each, the lowest first; the eighth says that more follow.

void put(std::string& bytes, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  bool at_end() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) fail("it ends in the middle of a position");
    const auto first = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }
  // In [0, most].
  int number(int most) {
    std::uint32_t number = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      const std::uint8_t next = byte();
      number |= static_cast<std::uint32_t>(next & 0x7F) << shift;
      if (next >= 0x80) continue;
      if (number > static_cast<std::uint32_t>(most)) break;
      return static_cast<int>(number);
    }
    fail(fmt::format("a number is larger than {}", most));
  }
  [[noreturn]] void fail(const std::string& what) const { throw UserError(where_ + ": damaged: " + what); }

 private:
  std::string_view bytes_;
  const std::string& where_;
};

// ---- What is known of a position. A proven action is 0 for a draw, else 2 x plies + 1 for a win and + 2 for a loss.

void put_proven(std::string& bytes, const YardstickPosition& position) {
  for (const KnownAction& known : position.known) {
    const auto plies = 2 * static_cast<std::uint32_t>(known.distance);
    put(bytes, known.points == 0.5f ? 0 : plies + (known.points > 0.5f ? 1 : 2));
  }
}

void take_proven(Bytes& bytes, YardstickPosition& position, int max_plies) {
  for (KnownAction& known : position.known) {
    const int code = bytes.number(2 * max_plies + 2);
    known.points = code == 0 ? 0.5f : code % 2 == 1 ? 1.0f : 0.0f;
    known.distance = code == 0 ? 0 : (code - 1) / 2;
  }
  complete_proven(position);
}

// Shares of `kPolicySum`, in whole numbers with that sum: those that lose most by rounding down get what is left.
std::vector<int> rounded_policy(const YardstickPosition& position) {
  std::vector<int> parts;
  std::vector<std::pair<float, std::size_t>> lost;
  for (const KnownAction& known : position.known) {
    const float share = known.target * kPolicySum;
    parts.push_back(static_cast<int>(share));
    lost.emplace_back(static_cast<float>(parts.back()) - share, lost.size());
  }
  std::ranges::sort(lost);
  int left = kPolicySum - std::accumulate(parts.begin(), parts.end(), 0);
  for (std::size_t i = 0; left > 0; --left, i = (i + 1) % lost.size()) ++parts[lost[i].second];
  return parts;
}

// The value, the place of the chosen action, and the policy, in which a zero is followed by how many more there are.
void put_reference(std::string& bytes, const YardstickPosition& position) {
  const auto value = static_cast<std::uint32_t>(std::lround(position.value * kValueUnit));
  bytes += static_cast<char>(value & 0xFF);
  bytes += static_cast<char>(value >> 8);
  const auto chosen = std::ranges::find_if(position.known, &KnownAction::keeps);
  put(bytes, static_cast<std::uint32_t>(chosen - position.known.begin()));
  const std::vector<int> parts = rounded_policy(position);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bytes += static_cast<char>(parts[i]);
    if (parts[i] != 0) continue;
    const std::size_t first = i;
    while (i + 1 < parts.size() && parts[i + 1] == 0) ++i;
    put(bytes, static_cast<std::uint32_t>(i - first));
  }
}

void take_reference(Bytes& bytes, YardstickPosition& position) {
  std::vector<KnownAction>& known = position.known;
  const int low = bytes.byte();
  position.value = static_cast<float>(low | bytes.byte() << 8) / kValueUnit;
  known[static_cast<std::size_t>(bytes.number(static_cast<int>(known.size()) - 1))].keeps = true;
  int sum = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const int part = bytes.byte();
    sum += part;
    known[i].target = static_cast<float>(part) / kPolicySum;
    if (part == 0) i += static_cast<std::size_t>(bytes.number(static_cast<int>(known.size() - i) - 1));
  }
  if (sum != kPolicySum) bytes.fail(fmt::format("the sum of a policy is {} in place of {}", sum, kPolicySum));
}

// ---- Positions: how many actions of the one before it begins with, its other actions, what is known.

std::string body_of(const YardstickSet& set) {
  std::string bytes;
  const std::vector<Action>* before = nullptr;
  for (const YardstickPosition& position : set.positions) {
    std::size_t same = 0;
    if (before != nullptr) {
      const auto [end, other] = std::ranges::mismatch(position.actions, *before);
      same = static_cast<std::size_t>(end - position.actions.begin());
    }
    put(bytes, static_cast<std::uint32_t>(same));
    put(bytes, static_cast<std::uint32_t>(position.actions.size() - same));
    for (std::size_t ply = same; ply < position.actions.size(); ++ply) {
      put(bytes, static_cast<std::uint32_t>(index(position.actions[ply])));
    }
    if (set.proven) {
      put_proven(bytes, position);
    } else {
      put_reference(bytes, position);
    }
    before = &position.actions;
  }
  return bytes;
}

template <Game G>
void take_positions(const G& game, Bytes& bytes, int count, YardstickSet& set) {
  std::vector<Action> actions;
  while (!bytes.at_end()) {
    if (static_cast<int>(set.positions.size()) == count)
      bytes.fail(fmt::format("there is more than {} positions", count));
    actions.resize(static_cast<std::size_t>(bytes.number(static_cast<int>(actions.size()))));
    const int more = bytes.number(game.max_plies());
    for (int i = 0; i < more; ++i)
      actions.push_back(Action{static_cast<std::uint16_t>(bytes.number(game.num_actions() - 1))});
    Position<G> position(game);
    ActionMask legal;
    for (std::size_t ply = 0;; ++ply) {
      if (game.outcome(position.state, position.history).over()) bytes.fail("a position is behind the end of its game");
      game.legal_actions(position.state, position.history, legal);
      if (ply == actions.size()) break;
      if (!legal.test(actions[ply]))
        bytes.fail(fmt::format("action {} is illegal as ply {}", index(actions[ply]), ply + 1));
      position.apply(game, actions[ply]);
    }
    YardstickPosition& sampled = set.positions.emplace_back();
    sampled.actions = actions;
    legal.for_each([&](Action action) { sampled.known.push_back({.action = action}); });
    if (set.proven) {
      take_proven(bytes, sampled, game.max_plies());
    } else {
      take_reference(bytes, sampled);
    }
  }
  if (static_cast<int>(set.positions.size()) != count) {
    bytes.fail(fmt::format("it has {} of {} positions", set.positions.size(), count));
  }
}

// ---- The head.

std::string head_of(const YardstickSet& set, std::size_t positions) {
  nlohmann::ordered_json head = {{"game", set.game},
                                 {"seed", set.seed},
                                 {"positions", positions},
                                 {"values", set.proven ? "proven" : "reference"},
                                 {"drawn", set.proven ? "best or any" : "heuristic or any"}};
  if (!set.proven) {
    head["player"] = set.reference.player;
    head["model_checksum"] = set.reference.checksum;
    head["visits"] = set.reference.visits;
  }
  head["written_by"] = build_text(this_build());
  return head.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The most bytes that a position can take, if it has nothing in common with the one before and every action is legal.
template <Game G>
std::size_t largest_position(const G& game, bool proven) {
  const auto length = [](int largest) {
    std::string bytes;
    put(bytes, static_cast<std::uint32_t>(largest));
    return bytes.size();
  };
  const auto plies = static_cast<std::size_t>(game.max_plies());
  const auto actions = static_cast<std::size_t>(game.num_actions());
  const std::size_t path = 2 * length(game.max_plies()) + plies * length(game.num_actions());
  const std::size_t reference = sizeof(std::uint16_t) + length(game.num_actions()) + 2 * actions;
  return path + (proven ? actions * length(2 * game.max_plies() + 2) : reference);
}

struct SetHead {
  YardstickSet set;
  int positions = 0;
  std::string_view rest;  // of the file, behind the checksum
  std::string_view body;
  std::string_view checksum;
};

SetHead head_of(std::string_view bytes, const std::string& where) {
  const std::size_t start = kFirstWords.size() + kDigits + 1;
  if (bytes.size() < start || !bytes.starts_with(kFirstWords) || bytes[start - 1] != '\n') {
    throw UserError(where + ": no set of positions of format version 1, as `koridor yardstick-set` writes them");
  }
  SetHead head;
  head.checksum = bytes.substr(kFirstWords.size(), kDigits);
  head.rest = bytes.substr(start);
  const std::size_t end = head.rest.substr(0, kLongestHead).find('\n');
  nlohmann::json json;
  if (end != std::string_view::npos) json = nlohmann::json::parse(head.rest.substr(0, end), nullptr, false);
  if (!json.is_object()) throw UserError(where + ": damaged: its head is no JSON object");
  head.body = head.rest.substr(end + 1);
  const std::string values = member(json, "values", std::string());
  head.set.game = member(json, "game", std::string());
  head.set.seed = member(json, "seed", std::uint64_t{0});
  head.set.proven = values == "proven";
  head.set.reference = {member(json, "player", std::string()), member(json, "model_checksum", std::string()),
                        member(json, "visits", 0)};
  head.positions = member(json, "positions", 0);
  if (!head.set.proven && values != "reference") {
    throw UserError(where + ": its values are neither \"proven\" nor \"reference\"");
  }
  return head;
}

}  // namespace

std::string yardstick_bytes(const YardstickSet& set) {
  const std::string rest = head_of(set, set.positions.size()) + body_of(set);
  return fmt::format("{}{}\n{}", kFirstWords, text_checksum(rest), rest);
}

void write_yardstick_set(const fs::path& path, const YardstickSet& set) {
  write_file_atomically(path, yardstick_bytes(set));
}

void check_set_fits(const AnyGame& game, int positions, const std::string& player) {
  const YardstickSet set{.game = name_of(game),
                         .seed = std::numeric_limits<std::uint64_t>::max(),
                         .proven = player.empty(),
                         .reference = {player, std::string(kDigits, '0'), std::numeric_limits<int>::max()},
                         .positions = {}};
  const auto count = static_cast<std::size_t>(positions);
  const std::string head = head_of(set, count);
  if (head.size() > kLongestHead) {
    throw UserError(fmt::format("the player's text is {} bytes too long to be kept in a set; write a shorter one",
                                head.size() - kLongestHead));
  }
  const std::size_t each = std::visit([&](const auto& known) { return largest_position(known, set.proven); }, game);
  const std::size_t room = (kLargestSet - kFirstWords.size() - kDigits - 1 - head.size()) / each;
  if (count <= room) return;
  throw UserError(fmt::format("{} positions of {} may not fit into a file of {} MiB; ask for {} or fewer", positions,
                              set.game, kLargestSet >> 20, room));
}

YardstickSet parse_yardstick_set(std::string_view bytes, const std::string& where) {
  SetHead head = head_of(bytes, where);
  if (text_checksum(head.rest) != head.checksum) throw UserError(where + ": damaged: its checksum is wrong");
  Bytes body(head.body, where);
  if (head.positions < 1) body.fail("it says that it has no positions");
  std::optional<AnyGame> game;
  try {
    game = parse_game(head.set.game);
  } catch (const UserError& error) {
    throw UserError(where + ": " + error.what());
  }
  if (name_of(*game) != head.set.game)
    throw UserError(fmt::format("{}: its game \"{}\" is written {}", where, head.set.game, name_of(*game)));
  std::visit([&](const auto& known) { take_positions(known, body, head.positions, head.set); }, *game);
  return std::move(head.set);
}

YardstickSet read_yardstick_set(const fs::path& path) {
  return parse_yardstick_set(read_file(path, kLargestSet), path.string());
}

fs::path find_yardstick_set(const fs::path& folder, const std::string& game) {
  fs::path other;
  for (const std::string& name : names_in(folder)) {
    const fs::path path = folder / name;
    if (path.extension() != kYardstickEnding) continue;
    try {
      const std::string bytes = read_file(path, kLargestSet);
      const SetHead head = head_of(bytes, path.string());
      if (head.set.game != game) continue;
      if (head.set.proven) return path;
      if (other.empty()) other = path;
    } catch (const UserError&) {  // is somebody else's file
    }
  }
  return other;
}

}  // namespace koridor
