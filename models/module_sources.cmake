# cmake -DSOURCE=... -DOUTPUT=... -P module_sources.cmake: writes the source that holds kModuleSources of
# network/module.h, if it has changed. It runs in every build, so that a module of older sources is never taken for one
# of these; what changes compiles one small file.
file(GLOB_RECURSE files RELATIVE ${SOURCE}
     ${SOURCE}/core/*.h ${SOURCE}/models/*.h ${SOURCE}/models/onnx/*.cpp ${SOURCE}/models/torch/*.cpp)
list(SORT files)
set(hashes "")
foreach(file IN LISTS files)
  file(SHA256 ${SOURCE}/${file} hash)
  string(APPEND hashes "${file} ${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
set(content "// Made by models/module_sources.cmake.
namespace koridor {
extern const char* const kModuleSources;
const char* const kModuleSources = \"${hash}\";
}  // namespace koridor
")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${content}" @ONLY)  # touches no file that has this content
