#!/bin/sh
# `summand info` lists every SUMMAND_* variable that the library reads, and no other. Results do not
# depend on SUMMAND_ARCH.
source=$(cd "$(dirname "$0")/../../src" && pwd)
. "$(dirname "$0")/common.sh"

grep -rhoE 'getenv\("SUMMAND_[A-Z_]+"\)' "$source" | grep -oE 'SUMMAND_[A-Z_]+' | sort -u > used
"$SUMMAND" info | awk '/^SUMMAND_/ { print $1 }' | sort -u > listed
same 'variables' "$(tr '\n' ' ' < used)" "$(tr '\n' ' ' < listed)"

"$SUMMAND" generate psllh -n 3001 -o x.f64
arches=$("$SUMMAND" info | awk '$1 == "supported" { $1 = ""; print }')
[ -n "$arches" ] || fail 'no instruction set'
for method in exact tree; do
    for op in sum asum nrm2; do
        for arch in $arches; do
            SUMMAND_ARCH=$arch timeout 60 "$MPIEXEC" -n 2 "$SUMMAND" sum --method $method \
                --op $op x.f64 | awk 'END { print $7 }'
        done | sort -u > bits
        same "$method $op: different results" "$(wc -l < bits)" 1
    done
done
finish
