# Writes a source with the page's files as bytes: cmake -DSITE=web/dist -DOUTPUT=site_files.cpp -P embed_site.cmake
set(FILES index.html app.js app.css icon.svg)
set(TYPE_html "text/html; charset=utf-8")
set(TYPE_js "text/javascript; charset=utf-8")
set(TYPE_css "text/css; charset=utf-8")
set(TYPE_svg "image/svg+xml")
set(ARRAYS "")
set(ENTRIES "")
set(NUMBER 0)
foreach(FILE ${FILES})
  file(READ ${SITE}/${FILE} HEX HEX)
  string(LENGTH "${HEX}" LENGTH)
  math(EXPR LENGTH "${LENGTH} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," BYTES "${HEX}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" BYTES "${BYTES}")
  get_filename_component(ENDING ${FILE} LAST_EXT)
  string(SUBSTRING ${ENDING} 1 -1 ENDING)
  string(APPEND ARRAYS "const unsigned char kFile${NUMBER}[] = {\n${BYTES}};\n")
  string(APPEND ENTRIES "    SiteFile{\"/${FILE}\", \"${TYPE_${ENDING}}\", "
         "std::string_view(reinterpret_cast<const char*>(kFile${NUMBER}), ${LENGTH})},\n")
  math(EXPR NUMBER "${NUMBER} + 1")
endforeach()
string(CONCAT SOURCE "// Made from web/dist by embed_site.cmake.\n#include \"cli/serve/site.h\"\n\n#include <array>\n\n"
       "namespace koridor::serve {\nnamespace {\n${ARRAYS}}  // namespace\n\n"
       "std::span<const SiteFile> site_files() {\n  static const std::array files = {\n${ENTRIES}  };\n"
       "  return files;\n}\n\n}  // namespace koridor::serve\n")
file(WRITE ${OUTPUT} "${SOURCE}")
