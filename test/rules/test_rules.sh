#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rules must be able to fail: a small tree that breaks each of them is refused, with the reason.
# Usage: test_rules.sh PROJECT-ROOT
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

expect()
{
    rm -rf "$work"/*
    for layer in core/kernel core/exact core/schedule core/algorithm/tree core/fabric core/learn core/wait core/process gossip/mpi attic; do
        mkdir -p "$work/src/$layer"
    done
    mkdir -p "$work/include/summand" "$work/apps/train/mpi" "$work/cli" "$work/lab/sum/mpi" "$work/test/shim" "$work/bench"
    file=$1 text=$2 complaint=$3
    mkdir -p "$work/docs" "$work/examples"
    printf '%b' "$text" >"$work/$file"
    [ $# = 3 ] || printf '%b' "$5" >"$work/$4"
    if sh "$root/test/rules/rules.sh" "$work" >"$work/out" 2>&1; then
        [ -z "$complaint" ] || { echo "not refused: $complaint"; status=1; }
    elif [ -z "$complaint" ] || ! grep -q "$complaint" "$work/out"; then
        echo "expected '$complaint', got:"
        cat "$work/out"
        status=1
    fi
}

lines() { awk "BEGIN { for (i = 0; i < $1; i++) print \"$2\" }"; }

expect src/core/exact/a.c '#include "kernel/arch.h"\n' ''
expect src/core/kernel/a.c '#include "exact/limbs.h"\n' 'the arrow runs up'
expect src/core/fabric/a.c '#include "wait/wait.h"\n' ''
expect src/core/fabric/a.c '#include "comm/state.h"\n' 'the arrow runs up'
expect src/core/wait/a.c '#include "fabric/nodes.h"\n' 'the arrow runs up'
expect src/core/learn/a.c '#include "fabric/nodes.h"\n' 'the arrow runs up'
expect src/core/process/error.c '#include "wait/wait.h"\n' 'the arrow runs up'
expect src/core/fabric/a.c '#include "../comm/state.h"\n' 'write #include'
expect src/core/fabric/a.c '#include <comm/state.h>\n' 'write #include'
expect src/core/fabric/a.c '# include "comm/state.h"\n' 'write #include'
expect src/core/fabric/a.c '#include "wait/../comm/state.h"\n' 'write #include'
expect src/core/fabric/a.c '#define FILE "comm/state.h"\n#include FILE\n' 'write #include'
expect src/core/fabric/a.c '#include <sys/stat.h>\n' ''
expect src/core/kernel/a.c '#include <mpi.h>\n' 'must not know MPI'
expect src/core/exact/a.c '#include "gossip/machine.h"\n' 'the arrow runs up'
expect src/gossip/a.c '#include "train/run.h"\n' 'the arrow runs up'
expect apps/train/a.c '#include "gossip/machine.h"\n' ''
expect apps/train/a.c '#include "plan/plan.h"\n' 'must not know MPI'
expect apps/train/mpi/a.c '#include "plan/plan.h"\n' ''
expect apps/train/mpi/a.c '#include "transport/transport.h"\n' 'an application includes'
expect src/attic/a.c 'int x;\n' 'layer attic has no height'
expect src/core/exact/a.c '#include "attic/a.h"\n' 'unknown layer attic'
expect src/core/exact/a.h '#ifndef A_H\n#define A_H\n#endif\n' 'say #pragma once'
expect src/core/exact/a.h '#pragma once\n#ifndef A\n#define A\n#endif\n' ''
expect include/summand/a.h '#ifndef A_H\n#define A_H\n#endif\n' ''
expect src/core/schedule/a.c '#include "transport/p2p.h"\n' 'only the executor'
expect src/gossip/a.c '#include "comm/state.h"\n' 'must not know MPI'
expect src/gossip/a.c '#include "op/predefined.h"\n' 'must not know MPI'
expect src/gossip/mpi/a.c '#include <mpi.h>\n' ''
expect include/summand/a.h '#include <mpi.h>\n' 'public headers include <summand/mpi.h>'
expect include/summand/mpi.h '#include <mpi.h>\n' ''
expect src/core/exact/a.c 'void f(void)\n{\n    printf("x");\n}\n' 'the library prints nothing'
expect src/core/exact/a.c 'void f(void)\n{\n    fputs(x, stderr);\n}\n' 'the library prints nothing'
expect src/core/exact/a.c 'void f(void)\n{\n    snprintf(x, 3, "x");\n}\n' ''
expect src/gossip/mpi/a.c 'void f(void)\n{\n    MPI_Barrier(MPI_COMM_WORLD);\n}\n' "the program's"
expect src/gossip/mpi/a.c 'void f(void)\n{\n    PMPI_Op_create(g, 1, &o);\n}\n' 'functions to call back'
expect src/gossip/mpi/a.c '/* Not MPI_Op_create:\n * MPI_Op_create */\n' ''
expect cli/a.c 'void f(void)\n{\n    json_string("x");\n}\n' 'builds JSON by'
expect src/core/algorithm/tree/a.c '/* A.\n *\n * What: it. When: short messages.\n * Cost: none. */\n' 'one heading a line'
expect src/core/algorithm/tree/a.c '/* A.\n *\n * What: it.\n * When: short messages.\n * Cost: none. */\n' ''
call() { printf 'void %s(void)\\n{\\n    %s();\\n}\\n' "$1" "$2"; }
expect cli/a.c "$(call one two)" ''
expect cli/a.c "$(call one two)" 'cli/a.c cli/b.c' cli/b.c "$(call two one)"
expect cli/a.c "$(call one two)" '' cli/b.c "$(call two three)"
expect cli/a.c 'int x;\n' 'no line .SPDX.* in cli/a.c' LICENSE 'BSD\n'
expect cli/a.c '/* SPDX-License-Identifier: BSD-3-Clause */\nint x;\n' '' LICENSE 'BSD\n'
expect CITATION.cff 'version: 0.0.1\n' 'NEWS.md: 0 lines' NEWS.md '# News\n'
expect CITATION.cff 'version: 0.0.1\n' 'CITATION.cff: the version is' NEWS.md '# News\n## 1\n'
expect examples/a.py '# make a && ./a\n' ''
expect examples/a.py 'a\n' 'examples/a.py: its head does not say'
expect examples/a.py "$(echo '# make a && ./a'; lines 80 a)\n" 'examples/a.py: more than 80 lines'
expect docs/a.md '[b](b.md)\n' 'docs/a.md: no file docs/b.md'
expect docs/a.md '[b](b.md#one-two)\n' 'no heading for b.md#one-two' docs/b.md '## One, 2\n'
expect docs/a.md '[b](b.md#one-2)\n' '' docs/b.md '## One, 2\n'
expect docs/a.md '[b](../README.md#one)\n' '' README.md '# One\n'
expect docs/a.md "$(lines 201 x)\n" 'docs/a.md: 200 lines at most'
expect bench/CMakeLists.txt 'set(flags -march=native)\n' 'for the processor at hand'
expect Makefile 'CFLAGS = -mcpu=native\n' 'for the processor at hand'
expect bench/a.sh 'cc -mtune=native a.c\n' 'for the processor at hand'
expect lab/sum/a.c '#include "plan/plan.h"\n' 'lab must not know MPI'
expect lab/sum/a.c '#include "lab/sum/mpi/b.h"\n' 'lab must not know MPI'
expect lab/sum/mpi/a.c '#include "cli/b.h"\n' 'lab must not know the command'
expect lab/sum/mpi/a.c '#include "plan/plan.h"\n' ''
expect cli/a.c "$(lines 501 'int x;')\n" '500 at most'
expect cli/a.c "void f(void)\n{\n$(lines 80 ';')\n}\n" 'function of 82 lines'
expect cli/a.c "void f(void)\n{\n$(lines 78 ';')\n}\n" ''
macro() { awk -v lines="$1" 'BEGIN { while (lines-- > 1) print "#define A \\\\"; print "x" }'; }
expect cli/a.h "$(macro 81)\n" 'macro of 81 lines'
expect cli/a.h "$(macro 80)\n" ''

spdx='# SPDX-License-Identifier: BSD-3-Clause\n'
common='. "$(dirname "$0")/common.sh"\n'
expect test/shim/a.sh "$spdx${common}false || fail 'no'\n" "not 'finish'"
expect test/shim/a.sh "$spdx${common}false || fail 'no'\nfinish\n" ''

# What objects tell: layers.sh.
object() # EXPECTED-COMPLAINT TEXT
{
    printf '%b' "$2" | cc -x c -c - -o "$work/a.o" || exit 1
    echo "layer-base $work/a.o" >"$work/layers.txt"
    sh "$root/test/rules/layers.sh" "$work/layers.txt" >"$work/out" 2>&1
    grep -q "$1" "$work/out" || { echo "layers.sh: expected '$1', got:"; cat "$work/out"; status=1; }
}
object 'calls abort' 'void abort(void); void f(void) { abort(); }'
object 'calls exit' 'void exit(int); void f(void) { exit(1); }'
object 'keeps calls' 'int f(void) { static int calls; return ++calls; }'
object 'keeps calls' 'int calls = 1;'
object 'only 1 layers' 'const int calls = 1;'
exit $status
