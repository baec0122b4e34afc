// `koridor page`: the folder that it writes, and which folders it leaves alone.
#include "cli/serve/page_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/serve/site.h"
#include "core/base/checksum.h"
#include "core/base/files.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Pages : public testing::Test {
 protected:
  std::string model(const std::string& name, const std::string& game) {
    const std::string path = folder_.file(name + ".koridor");
    save_model(path, *koridor::test::tiny_model(parse_game(game)));
    return path;
  }
  std::string refusal(const std::vector<std::string>& models, bool force = false) {
    return error_of([&] { write_page(page_, models, force); });
  }

  TemporaryFolder folder_;
  fs::path page_ = folder_.file("page");
};

TEST_F(Pages, HoldAllThatABrowserNeeds) {
  const std::string wall = model("wall", "quoridor:5x5,walls=3");
  const std::vector<WrittenFile> written = write_page(page_, {wall, model("stones", "go:5x5")}, false);
  for (const WrittenFile& file : written) EXPECT_EQ(fs::file_size(page_ / file.name), file.bytes) << file.name;
  const auto count = std::distance(fs::recursive_directory_iterator(page_), {});
  EXPECT_EQ(count, static_cast<std::ptrdiff_t>(written.size()) + 1);  // and the folder of the models
  const json list = json::parse(read_file(page_ / "page.json"));
  EXPECT_EQ(list["models"][1]["name"], "stones");
  EXPECT_EQ(list["models"][1]["file"], "models/m1.koridor?" + file_hash(page_ / "models/m1.koridor"));
  EXPECT_EQ(load_model((page_ / "models/m1.koridor").string()).info.game, "go:5x5");
  EXPECT_LT(fs::file_size(page_ / "models/m0.koridor"), fs::file_size(wall));
  EXPECT_TRUE(read_file(page_ / "koridor-engine.wasm").starts_with(std::string("\0asm", 4)));
}

TEST_F(Pages, ModelsOfTheSameNameAreToldApart) {
  for (const char* run : {"a", "b"}) fs::create_directories(folder_.file(run));
  const std::vector<std::string> files = {model("a/gen-0150", "go:5x5"), model("b/gen-0150", "go:5x5"),
                                          model("other", "go:5x5")};
  write_page(page_, files, false);
  const json list = json::parse(read_file(page_ / "page.json"));
  EXPECT_EQ(list["models"][0]["name"], files[0]);
  EXPECT_EQ(list["models"][1]["name"], files[1]);
  EXPECT_EQ(list["models"][2]["name"], "other");
}

TEST_F(Pages, NameOnlyFilesOfTheirOwn) {
  write_page(page_, {}, false);
  const std::string index = read_file(page_ / "index.html");
  EXPECT_THAT(index, HasSubstr("<meta name=\"koridor-page\" content=\"page.json\">"));
  EXPECT_THAT(index, HasSubstr("default-src 'none'"));
  const std::regex reference("(?:src|href)=\"([^\"]*)\"");
  int references = 0;
  for (std::sregex_iterator at(index.begin(), index.end(), reference), end; at != end; ++at, ++references) {
    const std::string address = (*at)[1].str();
    EXPECT_TRUE(fs::is_regular_file(page_ / address.substr(0, address.find('?')))) << address;
  }
  EXPECT_GE(references, 3);
  const std::string stamp = json::parse(read_file(page_ / "page.json"))["stamp"];
  EXPECT_THAT(index, HasSubstr("src=\"app.js?" + stamp + "\""));
  EXPECT_THAT(index, HasSubstr("href=\"app.css?" + stamp + "\""));
  // The served page must not look for a worker's models.
  EXPECT_EQ(site_files().front().content.find("koridor-page"), std::string_view::npos);
}

TEST_F(Pages, AreWrittenAgainAndLeaveOtherFoldersAlone) {
  const std::string wall = model("wall", "quoridor:5x5,walls=3");
  write_page(page_, {wall, wall}, false);
  write_page(page_, {wall}, false);
  EXPECT_FALSE(fs::exists(page_ / "models/m1.koridor"));
  page_ = folder_.file("other");
  fs::create_directories(page_);
  EXPECT_EQ(refusal({wall}), "no error");  // an empty one
  page_ = folder_.file("notes");
  write_file_atomically(page_ / "page.json", "{\"pages\": 3}");
  EXPECT_THAT(refusal({wall}), HasSubstr("notes: this folder holds files that koridor page has not written"));
  EXPECT_EQ(std::distance(fs::directory_iterator(page_), {}), 1);
  EXPECT_EQ(refusal({wall}, true), "no error");
  page_ = wall;
  EXPECT_THAT(refusal({}), HasSubstr("wall.koridor: this is no folder"));
}

TEST_F(Pages, RefuseWhatIsNoModelBeforeTheyWriteAnything) {
  EXPECT_THAT(refusal({model("wall", "quoridor"), "/nowhere.koridor"}), HasSubstr("/nowhere.koridor"));
  EXPECT_THAT(refusal({folder_.file("")}), HasSubstr("a page takes model files"));
  EXPECT_FALSE(fs::exists(page_));
}

}  // namespace
}  // namespace koridor::serve
