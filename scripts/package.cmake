# The Debian package that `cpack` makes of what is installed (scripts/package): its dependencies are the packages whose
# libraries the programs and modules load, as dpkg-shlibdeps finds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME koridor)
set(CPACK_PACKAGE_CONTACT "The authors of Koridor")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "teaches itself board games by playing against itself")
set(CPACK_PACKAGE_DESCRIPTION "Koridor learns Quoridor for two to four players, Quoridor Kid, Pinko Pallino, Blockade and Go
from nothing but their rules, on all cores. It plays in the terminal and in the browser, analyses, solves small boards
and speaks the protocols of front ends; libkoridor has its games, models and searches behind a C interface.")
set(CPACK_DEBIAN_PACKAGE_SECTION games)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libopenblas0-openmp)  # the trainer's algebra, as in scripts/setup
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
