// What this build is: its version, the commit of its sources, what it was compiled for and the libraries it uses.
#pragma once

#include <string>
#include <string_view>

namespace koridor {

// Who wrote a file. Files of builds that did not say so yet have empty strings.
struct Build {
  std::string version;  // "0.1.0"
  std::string commit;   // "8bf34b0a1b2c", with "-dirty" if the sources had changes; "unknown" without git
  friend bool operator==(const Build&, const Build&) = default;
};
Build this_build();

// "koridor 0.1.0 (8bf34b0a1b2c)"; "an older koridor" if the file that it comes from does not say.
std::string build_text(const Build& build);

// What `<program> --version` prints: several lines, the last without its end.
std::string version_text(std::string_view program);

}  // namespace koridor
