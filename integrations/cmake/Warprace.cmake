# warprace_add_test: checks a program for data races, as a test of ctest.
#
#   warprace_add_test(TARGET <target> [NAME <test>] [ARGUMENTS <argument>...] [OPTIONS <option of warprace run>...])
#
# The test is called `warprace.<target>`, has the label `warprace`, and fails if the program has a race, fails itself, or
# could not be checked in full. Set WARPRACE_EXECUTABLE if warprace is not in PATH.

find_program(WARPRACE_EXECUTABLE warprace)

function(warprace_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;NAME" "ARGUMENTS;OPTIONS")
    if(NOT arg_TARGET)
        message(FATAL_ERROR "warprace_add_test needs TARGET")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "warprace_add_test does not know: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_NAME)
        set(arg_NAME "warprace.${arg_TARGET}")
    endif()
    if(NOT WARPRACE_EXECUTABLE)
        message(FATAL_ERROR "warprace_add_test: set WARPRACE_EXECUTABLE, warprace is not in PATH")
    endif()
    add_test(NAME "${arg_NAME}"
        COMMAND "${WARPRACE_EXECUTABLE}" run ${arg_OPTIONS} -- "$<TARGET_FILE:${arg_TARGET}>" ${arg_ARGUMENTS})
    set_tests_properties("${arg_NAME}" PROPERTIES LABELS warprace)
endfunction()
