// The keys of a configuration, described beside what they set: name, place, range and a sentence for the reference.
// Every struct of settings has a function describe_settings(struct, SettingList&). The run's configuration
// (train/run/config.h) puts these lists together; it reads, checks, writes, documents and compares keys by them alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace koridor {

// Where a value is kept, which also says its type.
using SettingTarget =
    std::variant<int*, std::uint64_t*, double*, float*, bool*, std::string*, std::vector<std::string>*>;

struct Setting {
  std::string name;  // "section.key"
  SettingTarget target;
  std::string comment;                 // for the reference: what the key does, its unit, its source; one line or more
  double low = 0.0;                    // least value of a number
  double high = 0.0;                   // largest value of a number
  std::vector<std::string> choices{};  // all values a string may have; empty: any
  const char* form =
      nullptr;  // in words, what a string or an entry must be that is_well_formed() tests; null: anything
  bool (*is_well_formed)(const std::string&) = nullptr;
  bool frozen = true;  // must stay equal when a run continues

  std::string section() const { return name.substr(0, name.find('.')); }
  std::string key() const { return name.substr(name.find('.') + 1); }

  // Called on a setting just added: a run may continue with another value of it.
  Setting& may_change() {
    frozen = false;
    return *this;
  }
  // Called on a string or a list just added: it, or each entry, must pass the test, which `words` describes.
  Setting& of_form(const char* words, bool (*test)(const std::string&)) {
    form = words;
    is_well_formed = test;
    return *this;
  }
  // Whether a string, or an entry of a list, may have this value.
  bool takes(const std::string& text) const {
    const bool chosen = choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
    return chosen && (is_well_formed == nullptr || is_well_formed(text));
  }
};

class SettingList {
 public:
  // Keys added from now on belong to [section]. `frozen` says whether they must stay equal when a run continues.
  void begin_section(std::string section, bool frozen = true) {
    section_ = std::move(section);
    frozen_ = frozen;
  }

  // The returned reference is valid until the next key is added.
  Setting& number(const char* key, SettingTarget target, double low, double high, const char* comment) {
    return add({section_ + "." + key, target, comment, low, high});
  }
  Setting& flag(const char* key, bool* target, const char* comment) {
    return add({section_ + "." + key, target, comment});
  }
  Setting& text(const char* key, std::string* target, const char* comment, std::vector<std::string> choices = {}) {
    return add({section_ + "." + key, target, comment, 0.0, 0.0, std::move(choices)});
  }
  Setting& list(const char* key, std::vector<std::string>* target, const char* comment) {
    return add({section_ + "." + key, target, comment});
  }

  const std::vector<Setting>& settings() const { return settings_; }

 private:
  Setting& add(Setting setting) {
    settings_.push_back(std::move(setting));
    settings_.back().frozen = frozen_;
    return settings_.back();
  }

  std::string section_;
  bool frozen_ = true;
  std::vector<Setting> settings_;
};

}  // namespace koridor
