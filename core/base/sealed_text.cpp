#include "core/base/sealed_text.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/checksum.h"
#include "core/base/error.h"

namespace koridor {
namespace {

constexpr std::string_view kLine = "# koridor: checksum ";
constexpr std::string_view kMember = ",\n  \"checksum\": \"";
constexpr std::string_view kEnd = "\"\n}\n";
constexpr std::size_t kDigits = 16;

[[noreturn]] void fail(const std::string& where) {
  throw UserError(where + ": damaged or changed by hand: its checksum is wrong");
}

}  // namespace

std::string text_checksum(std::string_view text) {
  return fmt::format("{:016x}", Checksum(text.size()).add(text).value());
}

std::string seal_lines(const std::string& text) {
  return fmt::format("{}{} of the lines below\n{}", kLine, text_checksum(text), text);
}

Unsealed unseal_lines(const std::string& text, const std::string& where) {
  // A file cut short within its first line is damaged too.
  if (text.empty() || !text.starts_with(kLine.substr(0, text.size()))) return {text};
  const std::size_t end = text.find('\n');
  std::string rest = end == std::string::npos ? "" : text.substr(end + 1);
  if (seal_lines(rest) != text) fail(where);
  return {std::move(rest), true};
}

std::string seal_object(const std::string& text) {
  const std::string body = text.substr(0, text.find_last_not_of(" \n", text.rfind('}') - 1) + 1);
  return fmt::format("{}{}{}{}", body, kMember, text_checksum(body), kEnd);
}

Unsealed unseal_object(const std::string& text, const std::string& where) {
  constexpr std::size_t kSeal = kMember.size() + kDigits + kEnd.size();
  if (text.size() < kSeal || std::string_view(text).substr(text.size() - kSeal, kMember.size()) != kMember) {
    return {text};
  }
  std::string object = text.substr(0, text.size() - kSeal) + "\n}\n";
  if (seal_object(object) != text) fail(where);
  return {std::move(object), true};
}

}  // namespace koridor
