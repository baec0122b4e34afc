#include "cli/search_options.h"

#include "train/run/setting_text.h"

namespace koridor::cli {

void add_algorithm(const Command& command, std::string& algorithm) {
  command.add_option("--algorithm", algorithm, "Search of models").one_of(search_algorithms()).show_default();
}

void add_search_settings(const Command& command, std::vector<std::string>& settings) {
  command
      .add_option("--search", settings,
                  "key=value, as in --search gumbel_considered=16: the keys of a configuration's section [match]")
      .type_name("KEY=VALUE")
      .one_each_time();
}

void apply_search_settings(SearchConfig& config, std::span<const std::string> settings) {
  SettingList list;
  list.begin_section("match");
  describe_settings(config, list);
  for (const std::string& given : settings) apply_assignment(list, "match." + given, "--search " + given);
}

}  // namespace koridor::cli
