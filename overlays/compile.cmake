# SPDX-License-Identifier: MIT
# cmake -DDTC=… -DSOURCE=… -DOUTPUT=… -P compile.cmake
# dtc has no switch that makes every warning an error, so whatever it says is one.
execute_process(
	COMMAND ${DTC} -@ -I dts -O dtb -o ${OUTPUT} ${SOURCE}
	RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_VARIABLE said)
if(NOT result EQUAL 0 OR NOT said STREQUAL "")
	file(REMOVE ${OUTPUT})
	message(FATAL_ERROR "dtc is not content with ${SOURCE} (exit ${result}):\n${said}")
endif()
