// Model files, and with them tensor files. First byte even: the rest is a file as it stands. Odd: every 4 bytes of the
// rest change the header of a sound file or its tensors (place in two bytes, what to do, a byte), and the header's
// length and the checksum are made good, so that every check behind them is reached. Either one line of UserError that
// names the file, or a model that is the same when it is written and read again, and whose evaluator hands out
// probabilities.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "tests/fuzz/fuzz_tools.h"

namespace koridor::fuzz {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDigits = 16;

std::string path_of(const char* name) {
  return "/dev/shm/koridor-fuzz-" + std::to_string(::getpid()) + name;
}

std::string sound_file() {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, game);
  ModelInfo info;
  info.family = "wall";
  info.game = "quoridor:3x3,walls=1";
  info.games = {"quoridor:3x3,walls=1", "quoridor:3x3,walls=2"};
  info.encoding_version = shape.version;
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 1, .value_channels = 1, .value_hidden = 2};
  info.signature = signature(shape);
  Model model = random_model(info, 1);
  model.calibration = {.rows = 3,
                       .columns = 3,
                       .ranges = std::vector<float>(static_cast<std::size_t>(network_activations(info.network)), 1.0f),
                       .planes = std::vector<std::uint8_t>(static_cast<std::size_t>(shape.plane_floats()), 255),
                       .scalars = std::vector<float>(static_cast<std::size_t>(shape.scalars), 0.5f)};
  save_model(path_of("-sound"), model);
  std::string content = read_file(path_of("-sound"));
  std::filesystem::remove(path_of("-sound"));
  return content;
}

// The sound file with a changed header and changed tensors.
std::string changed(const std::uint8_t* changes, std::size_t size) {
  static const std::string sound = sound_file();
  std::uint64_t sound_length = 0;
  std::memcpy(&sound_length, sound.data(), sizeof sound_length);
  std::string header = sound.substr(kLengthBytes, sound_length);
  std::string tensors = sound.substr(kLengthBytes + sound_length);
  for (; size >= 4; changes += 4, size -= 4) {
    const std::size_t place = (changes[0] | static_cast<std::size_t>(changes[1]) << 8) % (header.size() + 1);
    const std::size_t count = changes[3] % 32u;
    switch (changes[2] % 6) {
      case 0:
        if (place < header.size()) header[place] = static_cast<char>(changes[3]);
        break;
      case 1:
        header.insert(place, 1, static_cast<char>(changes[3]));
        break;
      case 2:
        header.erase(place, count);
        break;
      case 3:
        header.insert(place, header.substr(place, count));
        break;
      case 4:
        header.insert(place, std::string(count, '['));
        break;
      default:  // 0xFF four times is no number, 0x7F is a large one
        tensors.replace(changes[0] * tensors.size() / 256 / 4 * 4, 4, std::string(4, static_cast<char>(changes[3])));
        break;
    }
  }
  const std::uint64_t length = header.size();
  std::string content(reinterpret_cast<const char*>(&length), sizeof length);
  content += header + tensors;
  return content;
}

// Puts the right checksum into the digits of the header, if it has any.
void make_good(std::string& content) {
  constexpr std::string_view kKey = "\"checksum\":\"";
  const std::size_t found = content.find(kKey);
  if (found == std::string::npos || found + kKey.size() + kDigits > content.size()) return;
  const std::size_t at = found + kKey.size();
  const std::string_view view = content;
  std::uint64_t sum = Checksum(mix64(content.size())).add(view.substr(0, at)).add(view.substr(at + kDigits)).value();
  for (std::size_t i = kDigits; i-- > 0; sum >>= 4) content[at + i] = "0123456789abcdef"[sum & 15];
}

void check(const std::string& path) {
  const Model model = load_model(path);
  const std::string copy = path_of("-copy");
  save_model(copy, model);
  const Model again = load_model(copy);
  std::filesystem::remove(copy);
  require(again.tensors == model.tensors && again.calibration == model.calibration);
  require(again.info.game == model.info.game && again.info.games == model.info.games &&
          again.info.network == model.info.network);
  const EncodingShape shape =
      std::visit([&](const auto& game) { return game.encoding(model.info.features); }, parse_game(model.info.game));
  make_evaluator(model, shape, {.backend = "eigen", .precision = "f32"}, 1, path);
}

}  // namespace
}  // namespace koridor::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koridor;
  if (size == 0) return 0;
  std::string content = data[0] % 2 == 1 ? fuzz::changed(data + 1, size - 1)
                                         : std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) fuzz::make_good(content);
  const std::string path = fuzz::path_of("");
  std::ofstream(path, std::ios::binary) << content;
  try {
    fuzz::check(path);
  } catch (const UserError& error) {
    fuzz::require(*error.what() != '\0');
  }
  std::filesystem::remove(path);
  return 0;
}
