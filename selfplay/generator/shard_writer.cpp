#include "selfplay/generator/shard_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace koridor {

ShardWriter::ShardWriter(std::vector<ShardInfo> infos, ShardWriterOptions options, Progress progress)
    : infos_(std::move(infos)), options_(std::move(options)), progress_(std::move(progress)) {}

void ShardWriter::take(const GameRecord& record) {
  keep(record, kNoGroup);
  write_due();
}

void ShardWriter::tick(const SelfplayStatistics& statistics) {
  write_due();
  if (progress_) progress_(statistics);
}

void ShardWriter::keep(const GameRecord& record, std::uint32_t group) {
  std::vector<OpenShard>& shards = groups_[group].shards;
  if (shards.empty()) {
    for (const ShardInfo& info : infos_) shards.emplace_back().data.info = info;
  }
  OpenShard& shard = shards.at(static_cast<std::size_t>(record.variant));
  if (shard.data.games() == 0) shard.opened = Clock::now();
  append_game(record, shard.data);
}

void ShardWriter::write_due() {
  for (auto& [number, group] : groups_) {
    for (OpenShard& shard : group.shards) {
      if (due(shard)) write(shard, number, group.files);
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
  for (OpenShard& shard : group->second.shards) write(shard, number, group->second.files);
}

void ShardWriter::close() {
  for (auto& [number, group] : groups_) close_group(number);
}

std::vector<std::string> ShardWriter::files_of(std::uint32_t number) const {
  const auto group = groups_.find(number);
  return group == groups_.end() ? std::vector<std::string>{} : group->second.files;
}

bool ShardWriter::due(const OpenShard& shard) const {
  const double age = std::chrono::duration<double>(Clock::now() - shard.opened).count();
  return shard.data.games() > 0 && (shard.data.games() >= options_.max_games || age >= options_.seconds);
}

void ShardWriter::write(OpenShard& shard, std::uint32_t group, std::vector<std::string>& files) {
  if (shard.data.games() == 0) return;
  const std::uint32_t number = group == kNoGroup ? *std::ranges::min_element(shard.data.game_number) : group;
  const std::filesystem::path path = free_name(number);
  // A shard of a group is moved once its list counts; its folder is synced when the generation is complete.
  group == kNoGroup ? write_shard(path.string(), shard.data) : write_shard_unlisted(path.string(), shard.data);
  if (group != kNoGroup) files.push_back(path.filename().string());
  ShardInfo info = std::move(shard.data.info);
  shard.data = ShardData{};
  shard.data.info = std::move(info);
}

std::filesystem::path ShardWriter::free_name(std::uint32_t number) const {
  const std::string end = options_.writer.empty() ? ".h5" : "-" + options_.writer + ".h5";
  // Where several write, their files are moved elsewhere while they write on: then a number never comes again.
  static std::atomic<int> written{0};
  for (int sequence = 0;; ++sequence) {
    if (!options_.writer.empty()) sequence = written++;
    const auto path = options_.folder / fmt::format("games-{:06}-{:03}{}", number, sequence, end);
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace koridor
