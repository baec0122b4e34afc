#include "selfplay/shards/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/game_end.h"
#include "selfplay/shards/verify.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Made-up rows that fit together; no game was played.
ShardData sample(int games) {
  Random random(7);
  ShardData data;
  data.info = {.game = "quoridor:5x5,walls=3",
               .rules = {{"walls", "3"}, {"columns", "5"}, {"note", ""}},
               .generation = 12,
               .config_hash = "0123456789abcdef",
               .seed = 0xFEDCBA9876543210u,
               .action_order = "pawn destinations, horizontal walls, vertical walls, pass",
               .players = 2,
               .state_bytes = 13};
  for (int game = 0; game < games; ++game) {
    const int plies = 1 + random.below(40);
    const int winner = random.below(2);
    data.game_number.push_back(static_cast<std::uint32_t>(100 + game));
    data.game_first_ply.push_back(static_cast<std::uint32_t>(data.plies()));
    data.game_plies.push_back(static_cast<std::uint16_t>(plies));
    data.game_end.push_back(static_cast<std::uint8_t>(GameEnd::goal));
    data.game_simulations.push_back(static_cast<std::uint32_t>(random.below(1 << 20)));
    data.game_evaluations.push_back(static_cast<std::uint32_t>(random.below(1 << 20)));
    data.game_model.push_back(static_cast<std::uint32_t>(random.below(8)));
    for (int player = 0; player < 2; ++player) {
      data.game_outcome.push_back(player == winner ? 1.0f : 0.0f);
      data.game_auxiliary.push_back(static_cast<float>(random.uniform()));
    }
    for (int ply = 0; ply < plies; ++ply) {
      for (int i = 0; i < data.info.state_bytes; ++i) {
        data.ply_state.push_back(static_cast<std::uint8_t>(random.below(256)));
      }
      const int entries = ply < 2 ? 0 : random.below(12);
      data.ply_action.push_back(static_cast<std::uint16_t>(random.below(76)));
      data.ply_player.push_back(static_cast<std::uint8_t>(ply % 2));
      data.ply_kind.push_back(static_cast<std::uint8_t>(ply < 2 ? PlyKind::opening : PlyKind::full));
      data.ply_value.push_back(0.25f);
      data.ply_value.push_back(0.75f);
      data.policy_first.push_back(static_cast<std::uint32_t>(data.policy_action.size()));
      data.policy_count.push_back(static_cast<std::uint16_t>(entries));
      data.ply_depth.push_back(static_cast<std::uint16_t>(random.below(65536)));
      data.ply_largest_depth.push_back(static_cast<std::uint16_t>(random.below(100)));
      data.ply_surprise.push_back(static_cast<std::uint16_t>(random.below(65536)));
      for (int entry = 0; entry < entries; ++entry) {
        data.policy_action.push_back(static_cast<std::uint16_t>(entry));
        data.policy_probability.push_back(static_cast<std::uint16_t>(65535 / entries));
      }
    }
  }
  return data;
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The one line a reader gets; "no error" where the shard is read without complaint.
std::string complaint(const std::string& path) {
  const std::string by_info = error_of([&] { read_shard_info(path); });
  const std::string line = error_of([&] { read_shard(path); });
  if (line == "no error") {
    EXPECT_EQ(by_info, line);
    return line;
  }
  EXPECT_THAT(line, HasSubstr(path));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  return line;
}

TEST(Shard, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  for (const int games : {0, 1, 3, 200}) {
    const ShardData data = sample(games);
    const std::string path = folder.file("deeper/games.h5");
    write_shard(path, data);
    EXPECT_EQ(read_shard(path), data);
    EXPECT_EQ(read_shard_info(path), data.info);
    EXPECT_EQ(read_shard_games(path).info, data.info);
    EXPECT_EQ(read_shard_games(path).numbers, data.game_number);
  }
}

TEST(Shard, TheSameDataGiveTheSameBytes) {
  const TemporaryFolder folder;
  write_shard(folder.file("a.h5"), sample(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // the format's clock counts seconds
  write_shard(folder.file("b.h5"), sample(20));
  std::string a = read_file(folder.file("a.h5"));
  EXPECT_EQ(a, read_file(folder.file("b.h5")));
}

TEST(Shard, SaysWhichBuildWroteIt) {
  const TemporaryFolder folder;
  write_shard(folder.file("mine.h5"), sample(1));
  EXPECT_EQ(read_shard(folder.file("mine.h5")).build, this_build());
  // Shards of builds that did not say it have no such attributes and are read all the same.
  ShardData older = sample(1);
  older.build = {};
  write_shard(folder.file("older.h5"), older);
  EXPECT_THAT(read_file(folder.file("mine.h5")), HasSubstr("koridor_version"));
  EXPECT_THAT(read_file(folder.file("older.h5")), Not(HasSubstr("koridor_version")));
  EXPECT_EQ(read_shard(folder.file("older.h5")), older);
}

TEST(Shard, NeedNotSayWhatItsGamesTook) {
  const TemporaryFolder folder;
  ShardData silent = sample(3);
  silent.game_simulations.clear();
  silent.game_evaluations.clear();
  silent.game_model.clear();
  write_shard(folder.file("silent.h5"), silent);
  EXPECT_THAT(read_file(folder.file("silent.h5")), Not(HasSubstr("simulations of all")));
  EXPECT_EQ(read_shard(folder.file("silent.h5")), silent);
}

TEST(Shard, LeavesNoOtherFile) {
  const TemporaryFolder folder;
  write_shard(folder.file("games.h5"), sample(5));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename(), "games.h5");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST(Shard, EveryTruncationIsNamed) {
  const TemporaryFolder folder;
  write_shard(folder.file("whole.h5"), sample(2));
  const std::string bytes = read_file(folder.file("whole.h5"));
  const std::string path = folder.file("cut.h5");
  for (std::size_t size = 0; size < bytes.size(); size += size < 700 ? 1 : 97) {
    write_bytes(path, bytes.substr(0, size));
    const std::string line = complaint(path);
    EXPECT_NE(line, "no error") << "of " << size << " bytes";
    if (size >= 512) {
      EXPECT_THAT(line, HasSubstr("truncated shard"));
    }
  }
  write_bytes(path, bytes + "x");
  EXPECT_THAT(complaint(path), HasSubstr("damaged"));
}

TEST(Shard, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  write_shard(folder.file("whole.h5"), sample(2));
  const std::string bytes = read_file(folder.file("whole.h5"));
  const std::string path = folder.file("flipped.h5");
  Random random(3);
  for (int trial = 0; trial < 1500; ++trial) {
    std::string damaged = bytes;
    // A third of them in the first kilobyte, where the headers are.
    const int range = trial % 3 == 0 ? 1024 : static_cast<int>(bytes.size());
    const int flips = 1 + random.below(3);
    for (int flip = 0; flip < flips; ++flip) {
      damaged[static_cast<std::size_t>(random.below(range))] ^= static_cast<char>(1 << random.below(8));
    }
    if (damaged == bytes) continue;
    write_bytes(path, damaged);
    EXPECT_NE(complaint(path), "no error");
  }
}

TEST(Shard, OverwrittenStretchesAreNoticed) {
  const TemporaryFolder folder;
  write_shard(folder.file("whole.h5"), sample(30));
  const std::string bytes = read_file(folder.file("whole.h5"));
  const std::string path = folder.file("overwritten.h5");
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = bytes;
    const int start = random.below(static_cast<int>(bytes.size()));
    const int length = 1 + random.below(4096);
    for (int i = start; i < start + length && i < static_cast<int>(bytes.size()); ++i) {
      damaged[static_cast<std::size_t>(i)] = trial % 2 == 0 ? '\0' : static_cast<char>(random.below(256));
    }
    if (damaged == bytes) continue;
    write_bytes(path, damaged);
    EXPECT_NE(complaint(path), "no error");
  }
}

TEST(Shard, ForeignFilesAreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("foreign.h5");
  EXPECT_THAT(complaint(folder.file("missing.h5")), HasSubstr("No such file"));
  EXPECT_THAT(complaint(folder.path().string()), HasSubstr("folder"));
  write_bytes(path, "");
  EXPECT_THAT(complaint(path), HasSubstr("not a Koridor shard"));
  write_bytes(path, "hello\n");
  EXPECT_THAT(complaint(path), HasSubstr("not a Koridor shard"));
  write_bytes(path, std::string(100000, 'x'));
  EXPECT_THAT(complaint(path), HasSubstr("not a Koridor shard"));
  write_bytes(path, "\x89HDF\r\n\x1a\n" + std::string(2000, '\0'));
  EXPECT_THAT(complaint(path), HasSubstr("not a Koridor shard"));
}

// The file was written by a Koridor of format version 1: three games of Go, which passes ended and somebody won.
TEST(Shard, AFileOfVersion1IsRead) {
  const std::string path = std::string(KORIDOR_GOLDEN) + "/version-1.h5";
  const ShardData data = read_shard(path);
  EXPECT_EQ(read_shard_info(path).game, "go:2x2,japanese");
  EXPECT_EQ(data.games(), 3u);
  EXPECT_TRUE(data.ply_depth.empty());
  EXPECT_TRUE(data.ply_surprise.empty());
  EXPECT_EQ(std::ranges::count(data.game_end, static_cast<std::uint8_t>(GameEnd::goal)), 3);
  EXPECT_EQ(verify_shard(data), std::vector<std::string>{});
}

TEST(Shard, AnotherVersionIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("newer.h5");
  write_shard(path, sample(1));
  std::string bytes = read_file(path);
  bytes[std::string("koridor shard ").size()] = '3';
  write_bytes(path, bytes);
  EXPECT_THAT(complaint(path), HasSubstr("version 3; this koridor reads versions 1 to 2"));
}

// Files that are whole but whose rows do not fit together: written by a program with an error.
TEST(Shard, RowsThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("odd.h5");
  const std::vector<std::pair<std::string, std::function<void(ShardData&)>>> faults{
      {"/game/plies", [](ShardData& d) { d.game_plies.pop_back(); }},
      {"/ply/player", [](ShardData& d) { d.ply_player.push_back(0); }},
      {"starts at row", [](ShardData& d) { d.game_first_ply[1] += 1; }},
      {"starts at row", [](ShardData& d) { d.policy_first[3] = 0xFFFFFFFFu; }},
      {"rows end at", [](ShardData& d) { d.policy_count.back() += 1; }},
      {"player 2", [](ShardData& d) { d.ply_player[5] = 2; }},
      {"unknown kind", [](ShardData& d) { d.ply_kind[5] = kPlyKinds; }},
      {"unknown code", [](ShardData& d) { d.game_end[0] = 6; }},
      {"/game/outcome", [](ShardData& d) { d.game_outcome[0] = -0.5f; }},
      {"/ply/value", [](ShardData& d) { d.ply_value[0] = std::nanf(""); }},
      {"/policy/probability", [](ShardData& d) { d.policy_probability.pop_back(); }},
      {"generation is -1; it must be from 0", [](ShardData& d) { d.info.generation = -1; }},
      {"players is 9; it must be from 1 to 4", [](ShardData& d) { d.info.players = 9; }},
      {"state_bytes is 0", [](ShardData& d) { d.info.state_bytes = 0; }},
      {"/game/simulations", [](ShardData& d) { d.game_simulations.pop_back(); }},
      {"/game/evaluations", [](ShardData& d) { d.game_evaluations.clear(); }},
      {"/game/model", [](ShardData& d) { d.game_model.pop_back(); }},
      {"played by model 13, which is later", [](ShardData& d) { d.game_model[1] = 13; }},
      {"played by model 4294967295", [](ShardData& d) { d.game_model[2] = static_cast<std::uint32_t>(-1); }},
      {"/ply/surprise", [](ShardData& d) { d.ply_surprise.pop_back(); }},
      {"/ply/depth", [](ShardData& d) { d.ply_depth.push_back(1); }},
      {"/ply/largest_depth", [](ShardData& d) { d.ply_largest_depth.clear(); }},
      {"/ply/state", [](ShardData& d) { d.ply_state.resize(d.ply_state.size() - 13); }},
  };
  for (const auto& [expected, spoil] : faults) {
    ShardData data = sample(3);
    spoil(data);
    write_shard(path, data);
    EXPECT_THAT(complaint(path), HasSubstr(expected));
  }
}

TEST(Shard, AFullDiskIsOneClearLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("games.h5");
  // A limit on the size of files stands in for the disk: the write comes back short, then with an error.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string line = error_of([&] { write_shard(path, sample(50)); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(line, HasSubstr(path));
  EXPECT_THAT(line, HasSubstr("File too large"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_shard(path, sample(50));  // and afterwards all is well
  EXPECT_EQ(read_shard(path), sample(50));
}

// Which would have a sound file moved aside.
TEST(Shard, WantOfMemoryIsNoDamage) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes more address space than there is memory";
#endif
  const TemporaryFolder folder;
  const std::string path = folder.file("games.h5");
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  {
    std::string bytes(kShardUserBlock + kBytes, 'x');  // which HDF5 refuses
    seal_shard(bytes);
    write_bytes(path, bytes);
  }
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  // Enough for the file's bytes and one copy; HDF5 makes another one.
  rlimit small = before;
  small.rlim_cur = pages * static_cast<std::size_t>(::getpagesize()) + kBytes * 5 / 2;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  bool is_read_error = false;
  try {
    read_shard(path);
  } catch (const ReadError&) {
    is_read_error = true;
  } catch (const UserError&) {
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(is_read_error);
  EXPECT_THAT(complaint(path), HasSubstr("not an HDF5 file"));
}

TEST(Shard, AFolderThatCannotBeWrittenIsNamed) {
  EXPECT_THROW(write_shard("/proc/koridor/games.h5", sample(1)), UserError);
}

// The last range of a generation may have few games, and a run has many small generations.
TEST(Shard, OfFewGamesIsSmall) {
  const TemporaryFolder folder;
  write_shard(folder.file("games.h5"), sample(8));
  EXPECT_LT(std::filesystem::file_size(folder.file("games.h5")), 32'000u);
}

TEST(Shard, H5pyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import h5py' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py here";
  const TemporaryFolder folder;
  const ShardData data = sample(3);
  write_shard(folder.file("games.h5"), data);
  const std::string script = R"(
import h5py, sys
shard = h5py.File(sys.argv[1])
assert shard.attrs['game'] == 'quoridor:5x5,walls=3', shard.attrs['game']
assert shard.attrs['rule.walls'] == '3' and shard.attrs['seed'] == 0xFEDCBA9876543210
assert shard['ply/action'][:].sum() == int(sys.argv[2])
assert shard['game/outcome'].shape == (3, 2)
def described(name, item):
    if isinstance(item, h5py.Dataset):
        assert item.attrs['meaning'] and item.attrs['unit'], name
        if item.nbytes > 4096:
            assert item.compression == 'gzip' and item.compression_opts == 1 and not item.shuffle
            assert item.chunks[0] == min(item.shape[0], 1024), item.chunks
        else:
            assert item.chunks is None
shard.visititems(described)
)";
  write_bytes(folder.file("read.py"), script);
  int sum = 0;
  for (const auto action : data.ply_action) sum += action;
  const std::string command =
      "/usr/bin/python3 " + folder.file("read.py") + " " + folder.file("games.h5") + " " + std::to_string(sum);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace koridor
