# SPDX-License-Identifier: MIT
# The Debian package: cpack -G DEB, or the workflow preset "package". docs/packaging.md.
set(T1S_PACKAGING ${CMAKE_CURRENT_SOURCE_DIR}/packaging)

# Newest entry of the changelog: its date stands in the man pages, too.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${T1S_PACKAGING}/debian/changelog)
file(STRINGS ${T1S_PACKAGING}/debian/changelog first_line LIMIT_COUNT 1)
file(STRINGS ${T1S_PACKAGING}/debian/changelog dates REGEX "^ -- ")
list(GET dates 0 date)
string(REGEX REPLACE "^t1s-sweep \\(([^)]*)\\).*" "\\1" CPACK_T1S_CHANGELOG_VERSION "${first_line}")
string(REGEX REPLACE "^.*>  " "" date "${date}")
execute_process(COMMAND date -u -d ${date} +%s
	OUTPUT_VARIABLE T1S_RELEASE_EPOCH OUTPUT_STRIP_TRAILING_WHITESPACE
	COMMAND_ERROR_IS_FATAL ANY)

# The Debian architecture built for, by the compiler's word for it
set(architecture_of_x86_64-linux-gnu amd64)
set(architecture_of_aarch64-linux-gnu arm64)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE "${architecture_of_${CMAKE_LIBRARY_ARCHITECTURE}}")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME t1s-sweep)
set(CPACK_PACKAGE_VENDOR "The t1s-sweep authors")
set(CPACK_PACKAGE_CONTACT "The t1s-sweep authors <t1s-sweep@example.org>")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
	"find the lowest SPI clock at which a T1S link keeps its throughput")
file(READ ${T1S_PACKAGING}/debian/description CPACK_DEBIAN_PACKAGE_DESCRIPTION)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Folders as credentials came with systemd 251; logind is reached over the system bus.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
	"systemd (>= 251), default-dbus-system-bus | dbus-system-bus")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
	${T1S_PACKAGING}/debian/conffiles ${T1S_PACKAGING}/debian/postinst
	${T1S_PACKAGING}/debian/prerm ${T1S_PACKAGING}/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What these two need to know; cpack hands on only what begins with CPACK_.
set(CPACK_T1S_PACKAGING ${T1S_PACKAGING})
set(CPACK_T1S_RELEASE_EPOCH ${T1S_RELEASE_EPOCH})
set(CPACK_T1S_CONFIGURED_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_T1S_SYSROOT "${CMAKE_SYSROOT}")
set(CPACK_PROJECT_CONFIG_FILE ${T1S_PACKAGING}/cpack-begin.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${T1S_PACKAGING}/cpack-stage.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${T1S_PACKAGING}/cpack-finish.cmake)
include(CPack)
