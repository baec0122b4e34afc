# embed_site(OUTPUT FILES...): writes the source that has these files, named from the project's root, as part of the
# program (site.h). The assembler includes their bytes, so that a megabyte costs the compiler nothing.
function(embed_site output)
  set(type_html "text/html; charset=utf-8")
  set(type_js "text/javascript; charset=utf-8")
  set(type_css "text/css; charset=utf-8")
  set(type_svg "image/svg+xml")
  set(type_wasm "application/wasm")
  set(bytes "")
  set(names "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    get_filename_component(ending ${file} LAST_EXT)
    string(SUBSTRING ${ending} 1 -1 ending)
    set(symbol koridor_site_${number})
    string(APPEND bytes "${symbol}:\n.incbin \"${PROJECT_SOURCE_DIR}/${file}\"\n${symbol}_end:\n")
    string(APPEND names "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
    string(APPEND entries "      SiteFile{\"/${name}\", \"${type_${ending}}\", {${symbol}, "
           "static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [=[// Made by cli/serve/embed_site.cmake.
#include "cli/serve/site.h"

#include <array>

asm(R"(
.section .rodata
@bytes@.previous
)");

#pragma GCC visibility push(hidden)
extern "C" {
@names@}
#pragma GCC visibility pop

namespace koridor::serve {

std::span<const SiteFile> embedded_files() {
  static const std::array files = {
@entries@  };
  return files;
}

}  // namespace koridor::serve
]=])
  # The compiler does not see what the assembler includes, and one of several sources compiled as one loses this.
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${paths}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
