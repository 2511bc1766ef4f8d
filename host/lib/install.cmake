# Installation of libnereid: the library, its headers, the CMake package
# `nereid` and the pkg-config file.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nereid)

install(TARGETS nereid
  EXPORT nereidTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT host
  FILE_SET HEADERS COMPONENT host
)
install(EXPORT nereidTargets
  DESTINATION ${package_dir}
  NAMESPACE nereid::
  COMPONENT host
)
configure_package_config_file(
  nereidConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/nereidConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR
  NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/nereidConfigVersion.cmake
  COMPATIBILITY SameMinorVersion
)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/nereidConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/nereidConfigVersion.cmake
  ${CMAKE_CURRENT_SOURCE_DIR}/nereidKernels.cmake
  DESTINATION ${package_dir}
  COMPONENT host
)
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(nereid.pc.in nereid.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nereid.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT host
)
