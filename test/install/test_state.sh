#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command keeps no state in its files: options and results go from function to function. Exceptions: a signal
# handler has no other place to write, and standard output and standard error belong to the process.
# Usage: test_state.sh BUILD
build=$1
folder=$build/cli/CMakeFiles
find "$folder/command-parts.dir" "$folder/summand-parts.dir" "$folder/study-parts.dir" "$folder/summand-command.dir" "$folder/summand-study.dir" "$folder/summand-pages.dir" -name '*.o' |
    xargs objdump -t | awk '
        BEGIN {
            may["interrupt.c noted"] = may["interrupt.c agreed"] = may["interrupt.c answer"] = 1
            may["progress.c look"] = may["progress.c lock"] = may["progress.c started"] = may["progress.c shown"] = 1
            may["progress.c progress_silence"] = may["progress.c on_screen"] = may["progress.c ended"] = 1
            may["stdout.c reason"] = may["commands.c program"] = may["complain.c program_name"] = 1
        }
        / file format / { file = $1; sub(/\.o:$/, "", file); sub(/.*\//, "", file); files++ }
        / O \.t?(data|bss)[ \t]/ {
            name = $NF
            sub(/\.[0-9]+$/, "", name)
            if (!((file " " name) in may)) { print "state: " file ": " name " can change"; bad = 1 }
            seen++
        }
        END {
            if (files < 50 || !seen) { print "state: " files + 0 " files, " seen + 0 " objects?"; bad = 1 }
            if (!bad) print "state: none in " files " files of the command but " seen " objects that may stay"
            exit bad
        }'
