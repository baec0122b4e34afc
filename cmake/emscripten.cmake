# What the build for WebAssembly has instead of find_package: the headers of Debian's packages, which are compiled like
# our own. They are reached through a folder of links, as /usr/include holds the headers of another machine.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(package IN ITEMS fmt nlohmann eigen3)
  if(NOT EXISTS /usr/include/${package})
    message(FATAL_ERROR "/usr/include/${package} is missing: scripts/setup installs it")
  endif()
  file(CREATE_LINK /usr/include/${package} ${headers}/${package} SYMBOLIC)
endforeach()

# koridor_headers(TARGET FOLDER): the target of a package that is headers alone.
function(koridor_headers target folder)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${folder})
endfunction()
koridor_headers(fmt::fmt ${headers})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
koridor_headers(nlohmann_json::nlohmann_json ${headers})
koridor_headers(Eigen3::Eigen ${headers}/eigen3)
add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)
add_library(OpenMP::OpenMP_CXX INTERFACE IMPORTED GLOBAL)

# Their versions, for core/base/version.h.
file(STRINGS ${headers}/fmt/core.h line REGEX "#define FMT_VERSION ")
string(REGEX REPLACE "[^0-9]" "" number "${line}")
math(EXPR major "${number} / 10000")
math(EXPR minor "${number} / 100 % 100")
math(EXPR patch "${number} % 100")
set(fmt_VERSION ${major}.${minor}.${patch})

# Vectors of 128 bits; exceptions of WebAssembly's own, as those by JavaScript make every call slower.
add_compile_options(-msimd128 -fwasm-exceptions
                    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/emscripten_standard.h>")
add_link_options(-fwasm-exceptions)

# koridor_compile_small(): what is in no search's way is compiled for size, as pages load the module over a network.
function(koridor_compile_small)
  foreach(target IN ITEMS koridor_base koridor_network koridor_models koridor_c koridor_answers koridor-engine)
    target_compile_options(${target} PRIVATE -Os)
  endforeach()
  get_target_property(sources koridor_core SOURCES)
  list(FILTER sources EXCLUDE REGEX "/(count|encode|game|geometry)[.]cpp$")
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/core/)
  set_source_files_properties(${sources} TARGET_DIRECTORY koridor_core PROPERTIES COMPILE_OPTIONS -Os)
endfunction()
