# What `cmake --install` puts where. An installed koridor finds recipes, models and modules from its own folder, so that the
# whole prefix may be moved.
install(TARGETS koridor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(KORIDOR_TRAINER)
  install(TARGETS koridor-trainer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS koridor-torch LIBRARY DESTINATION ${KORIDOR_MODULES})
endif()

if(KORIDOR_ONNX)
  install(TARGETS koridor-onnx LIBRARY DESTINATION ${KORIDOR_MODULES})
endif()

# The man page and the completions are what the executable says of itself.
set(texts ${PROJECT_BINARY_DIR}/texts)
file(MAKE_DIRECTORY ${texts})
set(text_files)
# koridor_text(FILE DESTINATION ARGUMENTS...): what `koridor ARGUMENTS` prints, as a file.
macro(koridor_text file destination)
  add_custom_command(OUTPUT ${texts}/${file} COMMAND koridor ${ARGN} > ${texts}/${file} DEPENDS koridor COMMENT "")
  list(APPEND text_files ${texts}/${file})
  install(FILES ${texts}/${file} DESTINATION ${destination})
endmacro()
koridor_text(koridor.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
koridor_text(koridor ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completions bash)
koridor_text(_koridor ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completions zsh)
koridor_text(koridor.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completions fish)
add_custom_target(koridor_texts ALL DEPENDS ${text_files})

install(DIRECTORY configs/ DESTINATION ${KORIDOR_RECIPES} FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY models/trained/ DESTINATION ${KORIDOR_TRAINED} FILES_MATCHING PATTERN "*.koridor")
install(DIRECTORY models/yardsticks/ DESTINATION ${KORIDOR_YARDSTICKS} FILES_MATCHING PATTERN "*.yardstick")

# The pages keep their places, so that the links between them hold.
file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     core/*.md models/*.md selfplay/*.md train/*.md cli/*.md configs/*.md bench/*.md scripts/*.md tests/*.md docs/*.md
     library/*.md python/*.md)
file(GLOB pictures CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} models/trained/*.svg docs/examples/*.patch)
# What pages point to beside each other.
set(beside configs/quickstart.toml configs/quoridor.toml configs/quoridor-kid.toml core/go/game.h library/koridor.h
    library/symbols.txt)
foreach(page IN LISTS pages pictures beside ITEMS web/README.md web/engine/README.md README.md CHANGELOG.md CONTRIBUTING.md LICENSE)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
