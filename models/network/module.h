// The loadable modules that come with the executables, koridor-torch.so and koridor-onnx.so: libraries that only some
// commands need, each behind functions of ours.
#pragma once

#include <string>
#include <vector>

namespace koridor {

// A hash of the sources that program and modules have in common, made by module_sources.cmake in every build: of all
// headers of core and models, and of what the modules are made of. Program and modules have one each.
extern const char* const kModuleSources;

// Program and modules exchange C++ types, so both must be built from the same sources by the same compiler. This text,
// which must be equal on both sides, tells; the size of a container differs with the standard library's debug modes.
inline std::string module_build() {
  return std::string("sources ") + kModuleSources + ", ABI " + std::to_string(_GLIBCXX_USE_CXX11_ABI) +
         ", containers " + std::to_string(sizeof(std::vector<float>)) + ", compiler " + __VERSION__;
}

struct ModuleKind {
  const char* file;             // "koridor-torch.so"
  const char* variable;         // the environment variable that may name another file
  const char* build;            // the exported function, const char*(), that returns the module's module_build()
  const char* user;             // what needs it, in a line of an error: "the backend torch"
  const char* hint;             // how to come by it, likewise
  void (*prepare)() = nullptr;  // what has to be before it is loaded; may throw
};

// A module that has been loaded. It stays loaded when this object goes.
class Module {
 public:
  // Loads the file that the environment variable names, else the installed one, else that beside this executable.
  // Throws UserError where there is none, it cannot be loaded, or module_build() is another one there.
  explicit Module(const ModuleKind& kind);

  // An exported function by its name: function<decltype(&koridor_torch_gpus)>("koridor_torch_gpus").
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;  // null if the module has none

  void* library_ = nullptr;
};

}  // namespace koridor
