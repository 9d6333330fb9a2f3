#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installed files run on other processors than the building one: only objects named after their instruction set use
# wide registers or CRC32C, and they run only if the processor has it. Usage: test_instruction_sets.sh BUILD
build=$1
find "$build"/src "$build"/lab "$build"/bench/CMakeFiles/bench-common.dir "$build"/cli -name '*.o' |
    xargs objdump -d --no-show-raw-insn | awk '
        function close_object() {
            if (object == "") return
            if (object ~ /_(avx2|avx512)\.c\.o$/) { special++; wrong = wide ? "" : "compiled without its own" }
            else { plain++; wrong = wide ? "for some processors only" : "" }
            if (wrong != "") { print "instruction sets: " object ": " wrong; failed = 1 }
        }
        / file format / { close_object(); object = $1; sub(/:$/, "", object); wide = 0 }
        /%[yz]mm|\tcrc32/ { wide = 1 }
        END {
            close_object()
            if (plain < 100 || special < 6) { print "instruction sets: " plain + 0 " and " special + 0 " objects?"; failed = 1 }
            if (!failed) print "instruction sets: " plain " objects for every processor, " special " for some"
            exit failed
        }'
