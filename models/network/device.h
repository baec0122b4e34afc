// Where a network is computed or trained, and the words that configurations and command lines have for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koridor {

struct Device {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int number = -1;  // of a GPU, counted from 0; -1: none was named

  friend bool operator==(const Device&, const Device&) = default;
};

// "auto", "cpu", "cuda", "cuda:1". Throws UserError for any other word.
Device parse_device(std::string_view name);

// Whether parse_device() takes the word; the words it takes.
bool is_device(const std::string& name);
inline constexpr const char* kDeviceForm = "auto, cpu, cuda or cuda:NUMBER";
std::string name_of(const Device& device);

// The numbers of the GPUs that `device` means on a machine with `gpus` of them, rising; empty for the CPU. `automatic`
// means every GPU, or the CPU if there is none; `cuda` without a number means every GPU. Throws UserError if a GPU is
// missing; its line names the `finder` of the GPUs, as in "LibTorch finds 2 GPUs".
std::vector<int> gpus_of(const Device& device, int gpus, const char* finder);

}  // namespace koridor
