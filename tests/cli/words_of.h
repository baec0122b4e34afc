// What documents and sources name, as sets that tests compare.
#pragma once

#include <regex>
#include <set>
#include <string>

namespace koridor::test {

// Every match of the pattern's first group in a text.
inline std::set<std::string> words_of(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> words;
  for (std::sregex_iterator found(text.begin(), text.end(), regex), end; found != end; ++found) {
    words.insert((*found)[1]);
  }
  return words;
}

}  // namespace koridor::test
