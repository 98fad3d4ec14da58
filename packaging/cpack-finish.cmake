# SPDX-License-Identifier: MIT
# Run by cpack on what it has packed: dpkg-deb packs it again, since the modes of the parts
# of cpack's archive, and with them its bytes, are by the umask of whoever builds.
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
	# cpack has dpkg-shlibdeps pass over libraries of which no package is known
	execute_process(COMMAND dpkg-deb -f ${deb} Depends OUTPUT_VARIABLE depends)
	if(NOT depends MATCHES "libc6 ")
		file(REMOVE ${deb})
		message(FATAL_ERROR "The packages of the shared libraries are not known: ${depends}"
			"(a sysroot cannot be moved: make it anew with packaging/sysroot-arm64.sh)")
	endif()
	file(REMOVE_RECURSE ${deb}.tree)
	execute_process(COMMAND dpkg-deb -R ${deb} ${deb}.tree COMMAND_ERROR_IS_FATAL ANY)
	execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b ${deb}.tree ${deb}
		OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
	file(REMOVE_RECURSE ${deb}.tree)
endforeach()
