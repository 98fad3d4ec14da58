# SPDX-License-Identifier: MIT
# Read by cpack before it packs: refuses what would give a package that looks right and is
# not, and sets the one date that all times in the package are.
if(NOT CPACK_DEBIAN_PACKAGE_ARCHITECTURE)
	message(FATAL_ERROR "The package is made for amd64 and arm64 on Debian 12; this "
		"compiler builds for something else (see cmake/T1sPackage.cmake)")
endif()
if(NOT CPACK_T1S_CHANGELOG_VERSION STREQUAL CPACK_PACKAGE_VERSION)
	message(FATAL_ERROR "The project's version is ${CPACK_PACKAGE_VERSION}, the newest entry "
		"of ${CPACK_T1S_PACKAGING}/debian/changelog is ${CPACK_T1S_CHANGELOG_VERSION}: add one")
endif()
if(NOT CPACK_T1S_CONFIGURED_PREFIX STREQUAL "/usr")
	message(FATAL_ERROR "The unit in the package would name ${CPACK_T1S_CONFIGURED_PREFIX}: "
		"configure with -DCMAKE_INSTALL_PREFIX=/usr (the preset \"package\" does)")
endif()
# Without these, cpack leaves the shared libraries out of Depends and says nothing.
foreach(tool IN ITEMS dpkg-shlibdeps file gzip)
	unset(found CACHE)
	find_program(found ${tool})
	if(NOT found)
		message(FATAL_ERROR "${tool} not found: apt install dpkg-dev file gzip")
	endif()
endforeach()

if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
	execute_process(
		COMMAND git -c safe.directory=* -C ${CPACK_T1S_PACKAGING} log -1 --format=%ct
		OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
		RESULT_VARIABLE result)
	if(NOT result EQUAL 0 OR epoch STREQUAL "")
		set(epoch ${CPACK_T1S_RELEASE_EPOCH}) # not a checkout
	endif()
	set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()

# Cross-built: the libraries, and the packages they belong to, are those of the sysroot.
if(CPACK_T1S_SYSROOT)
	set(ENV{DEB_HOST_ARCH} ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})
	set(ENV{DPKG_ADMINDIR} ${CPACK_T1S_SYSROOT}/var/lib/dpkg)
	file(GLOB CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
		${CPACK_T1S_SYSROOT}/usr/lib/*-linux-gnu)
endif()
