#include "selfplay/generator/shard_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/elapsed.h"

namespace koridor {
namespace {

// Leaves the header alone.
void empty(ShardData& data) {
  ShardInfo info = std::move(data.info);
  data = ShardData{};
  data.info = std::move(info);
}

}  // namespace

ShardWriter::ShardWriter(std::vector<ShardInfo> infos, ShardWriterOptions options)
    : infos_(std::move(infos)), options_(std::move(options)) {}

void ShardWriter::keep(const GameRecord& record, std::uint32_t group) {
  std::vector<OpenShard>& shards = groups_[group].shards;
  if (shards.empty()) {
    for (const ShardInfo& info : infos_) {
      OpenShard& shard = shards.emplace_back();
      shard.data.info = shard.whole.info = info;
    }
  }
  OpenShard& shard = shards.at(static_cast<std::size_t>(record.variant));
  if (shard.data.games() == 0) shard.opened = Clock::now();
  append_game(record, shard.data);
  append_game(record, shard.whole);
}

void ShardWriter::write_due() {
  for (auto& [number, group] : groups_) {
    for (OpenShard& shard : group.shards) {
      if (due(shard)) write_open(shard, number, group);
    }
  }
}

bool ShardWriter::any_due() const {
  return std::ranges::any_of(groups_, [&](const auto& group) {
    return std::ranges::any_of(group.second.shards, [&](const OpenShard& shard) { return due(shard); });
  });
}

void ShardWriter::close_group(std::uint32_t number) {
  const auto group = groups_.find(number);
  if (group == groups_.end()) return;
  for (OpenShard& shard : group->second.shards) {
    if (shard.whole.games() == 0) continue;
    const std::filesystem::path path = free_name(number);
    // It is moved once its list counts; its folder is synced when the generation is complete.
    const std::uint64_t checksum = write_shard_unlisted(path.string(), shard.whole);
    group->second.files.emplace_back(path.filename().string(), checksum, shard.whole.game_number);
    empty(shard.whole);
    empty(shard.data);
  }
}

void ShardWriter::close() {
  for (auto& [number, group] : groups_) {
    for (OpenShard& shard : group.shards) write_open(shard, number, group);
  }
}

std::vector<ListedShard> ShardWriter::files_of(std::uint32_t number) const {
  const auto group = groups_.find(number);
  return group == groups_.end() ? std::vector<ListedShard>{} : group->second.files;
}

std::vector<std::string> ShardWriter::parts_of(std::uint32_t number) const {
  const auto group = groups_.find(number);
  return group == groups_.end() ? std::vector<std::string>{} : group->second.parts;
}

bool ShardWriter::due(const OpenShard& shard) const {
  return shard.data.games() > 0 && seconds_since(shard.opened) >= options_.seconds;
}

void ShardWriter::write_open(OpenShard& shard, std::uint32_t number, Group& group) {
  if (shard.data.games() == 0) return;
  const std::filesystem::path path = free_name(number);
  write_shard_unsynced(path.string(), shard.data);
  group.parts.push_back(path.filename().string());
  empty(shard.data);
}

std::filesystem::path ShardWriter::free_name(std::uint32_t number) const {
  // Files are moved elsewhere while their writer goes on: a number never comes again.
  static std::atomic<int> written{0};
  for (;;) {
    const auto path =
        options_.folder / fmt::format("games-{:06}-{:03}-{}{}", number, written++, options_.writer, kShardEnding);
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace koridor
