// koridor export: a model in other forms, for programs that are not Koridor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/programs.h"
#include "cli/test_vectors.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/notice.h"
#include "core/base/number.h"
#include "core/base/terminal.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/compact_model.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"
#include "models/network/tensor_file.h"
#include "models/onnx/onnx_file.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

struct ExportOptions {
  std::string model;
  std::string format;
  std::string out;
  std::string game;
  std::string precision = "f32";
  std::string board = "dynamic";
  std::string batch = "dynamic";
  std::string heads = "basic";
  int positions = 1000;
  std::uint64_t seed = 1;
};

constexpr int kLargestBatch = 65536;

// The number of --batch; nothing for another word, such as "dynamic".
std::optional<int> batch_of(const std::string& word) {
  return read_number<int>(word, 1, kLargestBatch);
}

OnnxOptions onnx_options(const ExportOptions& options, const EncodingShape& shape) {
  OnnxOptions onnx;
  onnx.int8 = options.precision == "int8";
  if (options.board == "fixed") {
    onnx.rows = shape.rows;
    onnx.columns = shape.columns;
  }
  onnx.batch = batch_of(options.batch).value_or(0);
  onnx.all_heads = options.heads == "all";
  return onnx;
}

// What is written beside the model where --out names no file.
std::string default_out(const ExportOptions& options) {
  const bool is_f32 = options.precision == "f32";
  const std::string precision = is_f32 ? "" : "." + options.precision;
  const std::string ending = options.format == "onnx"          ? ".onnx"
                             : options.format == "torchscript" ? ".pt"
                             : options.format == "koridor"     ? (is_f32 ? ".copy.koridor" : ".koridor")
                                                               : ".vectors.safetensors";
  return std::filesystem::path(options.model).replace_extension(precision + ending).string();
}

void say_written(const std::string& out, const std::string& what) {
  fmt::print("{}: {}, {} bytes\n", printable(out), what, std::filesystem::file_size(out));
}

void export_onnx(const Model& model, const AnyGame& game, const EncodingShape& shape, const ExportOptions& options) {
  const OnnxOptions onnx = onnx_options(options, shape);
  write_file_atomically(options.out, onnx_file(model, game, onnx, options.model));
  const std::string board = onnx.rows > 0 ? fmt::format("a board of {}x{}", onnx.columns, onnx.rows) : "any board";
  const std::string batch = onnx.batch > 0 ? fmt::format("batches of {}", onnx.batch) : "any batch";
  say_written(options.out,
              fmt::format("ONNX, opset {}, {}, {}, {}", kOnnxOpset, onnx.int8 ? "int8 (QDQ)" : "f32", board, batch));
  if (onnx.rows == 0) {
    const std::string learned = fmt::format("{}", fmt::join(learned_games(model.info), " and "));
    fmt::print("The network computes on any board; what it has learned is of {}.\n",
               learned.empty() ? "unknown boards" : learned);
  }
}

void export_koridor(const Model& model, const ExportOptions& options) {
  const bool compact = options.precision == "int8";
  compact ? save_compact_model(options.out, model) : save_model(options.out, model);
  say_written(options.out, fmt::format("the model in safetensors{}, checksum {}",
                                       compact ? ", compact (the weights of convolutions as bytes)" : "",
                                       load_model(options.out).info.checksum));
}

// Drops notices for as long as it lives.
class Silence {
 public:
  Silence() : usual_(read_notices(nullptr)) {}
  ~Silence() { read_notices(usual_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  NoticeReader usual_;
};

// Throws UserError where an evaluator of the backend would compute in another precision.
void require_int8(const Model& model, const EncodingShape& shape, const std::string& backend,
                  const std::string& where) {
  if (model.calibration.empty()) {
    fail_model(where, "it has no calibration, which int8 needs: export f32, or a later generation");
  }
  const Silence silence;  // the error says it
  const auto evaluator = make_evaluator(model, shape, {.backend = backend, .precision = "int8"}, 1, where);
  if (!computes_in(*evaluator, Precision::int8)) {
    fail_model(where, "its int8 is too far from f32 on the positions that it carries: export f32");
  }
}

void run_export(ExportOptions options) {
  if (options.out.empty()) options.out = default_out(options);  // of a name: a file of this folder
  options.model = find_model(options.model);
  check_not_read("--out", options.out, {options.model});
  check_output("--out", options.out);
  if (options.format == "torchscript") {
    replace_process(programs_folder() / "koridor-trainer",
                    {"koridor export", "--torchscript", options.model, "--out", options.out});
  }
  const Model model = load_model(options.model);
  if (options.format == "koridor") return export_koridor(model, options);
  const AnyGame game = parse_game(options.game.empty() ? model.info.game : options.game);
  const EncodingShape shape = std::visit(
      [&](const auto& known) {
        const EncodingShape encoding = known.encoding(model.info.features);
        require_fits(model.info, known.family(), encoding, options.model);
        return encoding;
      },
      game);
  if (options.precision == "int8") {
    // The graph is what simd computes, whatever this CPU's own evaluator does; vectors are what that one says.
    const std::vector<std::string> backends = backend_names();
    const bool as_simd = options.format == "onnx" && std::ranges::find(backends, "simd") != backends.end();
    require_int8(model, shape, as_simd ? "simd" : default_backend(), options.model);
  }
  if (options.format == "onnx") return export_onnx(model, game, shape, options);
  const TestVectorOptions vectors{
      .evaluation = {.precision = options.precision}, .count = options.positions, .seed = options.seed};
  write_file_atomically(options.out, test_vectors(model, options.model, game, vectors));
  say_written(options.out, fmt::format("{} positions with their results", options.positions));
}

// Options that only some formats know, by their names on the command line.
void refuse_foreign_options(const Command& command, const std::string& format) {
  constexpr std::pair<const char*, const char*> kOnly[] = {{"--board", "onnx"},
                                                           {"--batch", "onnx"},
                                                           {"--heads", "onnx"},
                                                           {"--positions", "vectors"},
                                                           {"--seed", "vectors"},
                                                           {"--game", "onnx and vectors"},
                                                           {"--precision", "onnx, koridor and vectors"}};
  for (const auto& [option, formats] : kOnly) {
    if (command.given(option) && std::string(formats).find(format) == std::string::npos) {
      throw UserError(fmt::format("{} is not for --format {}; it is for {}", option, format, formats));
    }
  }
}

std::string batch_fault(const std::string& word) {
  if (word == "dynamic" || batch_of(word)) return {};
  return fmt::format("{} is no batch; it is dynamic, or a number from 1 to {}", word, kLargestBatch);
}

}  // namespace

void add_export(CommandLine& line) {
  auto options = std::make_shared<ExportOptions>();
  const Command command =
      line.add_command("export", "Write a model in another form, for programs that are not Koridor");
  command.footer(
      "  onnx         for ONNX Runtime, TensorRT, OpenVINO and others (docs/onnx.md)\n"
      "  torchscript  for LibTorch and PyTorch; it is loaded again and compared before it is kept\n"
      "  koridor      a model file of this version, which is a safetensors file (docs/formats.md); in int8 compact, "
      "of a third of the size; without --out NAME.copy.koridor, in int8 NAME.int8.koridor\n"
      "  vectors      random positions with what our evaluator says of them, as safetensors, to test a port with");
  command.add_option("model", options->model, "Model file, or the name of a trained model")
      .type_name("FILE")
      .required();
  command.add_option("--format", options->format, "The form to write")
      .one_of({"onnx", "torchscript", "koridor", "vectors"})
      .required();
  command
      .add_option("--out", options->out,
                  "File to write (default: beside the model; for a model that comes with Koridor, in this folder)")
      .type_name("FILE");
  command.add_option("--game", options->game, "Game id or variant string: its board and rules (default: the model's)")
      .type_name("GAME");
  command.add_option("--precision", options->precision, "int8 needs a calibrated model, but for --format koridor")
      .one_of({"f32", "int8"})
      .show_default();
  command.add_option("--board", options->board, "Any board at each call, or only the game's")
      .one_of({"dynamic", "fixed"})
      .show_default();
  command.add_option("--batch", options->batch, "Positions of each call: dynamic, or their number")
      .check(batch_fault)
      .type_name("NUMBER")
      .show_default();
  command
      .add_option("--heads", options->heads, "What a search reads, or also what only helped to train (ownership, ...)")
      .one_of({"basic", "all"})
      .show_default();
  command.add_option("--positions", options->positions, "Random positions in the test vectors")
      .range(1, 1000000)
      .show_default();
  command.add_option("--seed", options->seed, "Of the random positions").show_default();
  command.runs([options, command] {
    refuse_foreign_options(command, options->format);
    run_export(*options);
  });
}

}  // namespace koridor::cli
