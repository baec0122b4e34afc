# cmake -DSOURCE=... -DOUTPUT=... [-DFIXED=...] -P commit.cmake: writes the source that holds the commit (or the fixed
# text in its place), if it has changed. It runs in every build, so that a new commit compiles one small file and not the
# whole project.
# `git archive` puts the commit here, so that its tarballs, which have no git, know theirs.
set(archived "$Format:%h$")

set(commit "unknown")
if(archived MATCHES "^[0-9a-f]+$")
  set(commit "${archived}")
endif()
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A tarball may lie within another project's repository, whose commit says nothing of these sources.
  file(REAL_PATH "${SOURCE}" real_source)
  if(top STREQUAL real_source)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(commit "${described}")
    endif()
  endif()
endif()

if(FIXED)
  set(commit "${FIXED}")
endif()
set(content "// Made by core/base/commit.cmake.
namespace koridor {
extern const char* const kCommit;
const char* const kCommit = \"${commit}\";
}  // namespace koridor
")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${content}" @ONLY)  # touches no file that has this content
