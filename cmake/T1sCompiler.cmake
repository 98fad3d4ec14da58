# SPDX-License-Identifier: MIT
# Language level, warnings, hardening and sanitizers for every target of the project.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wformat=2 -Wwrite-strings -Wundef -fno-common
	-fstack-protector-strong)
# The build's own folders must not end up in the program, or two builds would differ.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.
	-ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
if(CMAKE_SYSROOT)
	add_compile_options(-ffile-prefix-map=${CMAKE_SYSROOT}=)
endif()
add_link_options(-Wl,-z,relro,-z,now -Wl,--as-needed)
# Texts for people are cut to their room on purpose.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	add_compile_options(-Wno-format-truncation)
endif()
if(T1S_WERROR)
	add_compile_options(-Werror)
endif()
if(T1S_BUILD_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
		message(FATAL_ERROR "T1S_BUILD_FUZZ needs clang: cmake --preset fuzz")
	endif()
	add_compile_options(-fsanitize=fuzzer-no-link)
	add_link_options(-fsanitize=fuzzer-no-link)
endif()
if(T1S_COVERAGE)
	# several processes and threads of one test count into one file
	add_compile_options(--coverage -fprofile-update=atomic)
	add_link_options(--coverage)
endif()
if(T1S_SANITIZE)
	add_compile_options(-fsanitize=${T1S_SANITIZE} -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	add_link_options(-fsanitize=${T1S_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
	add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
