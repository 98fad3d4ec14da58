# SPDX-License-Identifier: MIT
# Run by cpack between installing into its folder and packing that: what belongs into a
# Debian package and nowhere else.
set(stage ${CPACK_TEMPORARY_DIRECTORY})
set(doc ${stage}/usr/share/doc/t1s-sweep)

file(COPY ${CPACK_T1S_PACKAGING}/debian/copyright ${CPACK_T1S_PACKAGING}/debian/changelog
	DESTINATION ${doc} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
file(GLOB_RECURSE pages ${stage}/usr/share/man/*)
execute_process(COMMAND gzip -9nf ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
# folders have been made by the umask of whoever builds
file(CHMOD_RECURSE ${stage} DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
	GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
