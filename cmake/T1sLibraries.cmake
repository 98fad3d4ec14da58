# SPDX-License-Identifier: MIT
# The libraries the program is linked to, each as an imported target T1s::NAME.
find_package(PkgConfig REQUIRED)
foreach(lib IN ITEMS libssh:libssh libsystemd:libsystemd json:json-c inih:inih crypto:libcrypto mnl:libmnl
		seccomp:libseccomp)
	string(REPLACE ":" ";" pair ${lib})
	list(GET pair 0 name)
	list(GET pair 1 module)
	pkg_check_modules(T1S_${name} REQUIRED IMPORTED_TARGET ${module})
	add_library(T1s::${name} ALIAS PkgConfig::T1S_${name})
endforeach()

# These three ship no pkg-config file in Debian 12.
function(t1s_find_plain name header library package)
	find_path(T1S_${name}_INCLUDE ${header})
	find_library(T1S_${name}_LIBRARY ${library})
	if(NOT T1S_${name}_INCLUDE OR NOT T1S_${name}_LIBRARY)
		message(FATAL_ERROR "${header} or lib${library} not found: apt install ${package}")
	endif()
	add_library(T1s::${name} UNKNOWN IMPORTED GLOBAL)
	set_target_properties(T1s::${name} PROPERTIES
		IMPORTED_LOCATION ${T1S_${name}_LIBRARY}
		INTERFACE_INCLUDE_DIRECTORIES ${T1S_${name}_INCLUDE})
endfunction()
t1s_find_plain(fdt libfdt.h fdt libfdt-dev)
t1s_find_plain(csv csv.h csv libcsv-dev)
t1s_find_plain(iperf iperf_api.h iperf libiperf-dev)
