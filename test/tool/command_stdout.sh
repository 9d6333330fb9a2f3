#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Unwritable output is an error of every command with output, reported in one sentence.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/arguments.sh"
[ -e /dev/full ] || exit 77

full() { # full ARGUMENT...: status 1 and one sentence where the disk is full, or stdout closed
    "$SUMMAND" "$@" > /dev/full 2> err
    same "'$*' on a full disk: status" $? 1
    same "'$*' on a full disk: sentences" "$(grep -c 'standard output: \(No space left\|not everything was written\)' err)" 1
    same "'$*' on a full disk: lines" "$(wc -l < err)" 1
    "$SUMMAND" "$@" >&- 2> err
    same "'$*' without stdout: status" $? 1
    same "'$*' without stdout: lines" "$(wc -l < err)" 1
}

# full_on_ranks ARGUMENT...: where two ranks are needed; each writes by itself, as a launcher takes everything, and
# loses what ranks say right before they end
full_on_ranks() {
    rm -f said
    # shellcheck disable=SC2016
    timeout $LIMIT "$MPIEXEC" -n 2 sh -c 'exec "$0" "$@" > /dev/full 2>> said' "$SUMMAND" "$@" > out 2> err &&
        fail "'$*' on a full disk, two ranks: status 0"
    same "'$*' on a full disk, two ranks: sentences" \
        "$(grep -c 'standard output: \(No space left\|not everything was written\)' said)" 1
}

full_command() { # full_command NAME
    words=$(arguments "$1")
    # shellcheck disable=SC2086
    if two_ranks "$1"; then full_on_ranks $1 $words; else full $1 $words; fi
}
make_operands
each_command 25 full_command
study each_command 9 full_command

# Other forms of what they print.
full help sum
full help --json
full bench --help
full info --json
full list --json
full list --choose reduce
full list --choose reduce -p 4 --bytes 64 --check
full predict -p 8 --json
full predict -p 8 --csv
full predict -p 8 --plot -
full predict --print-model
full draw binomial --json
full generate psllh -n 100k
full generate psllh --json
full sum --json x.npy
full bench sum -n 10 --budget 0.1 --json -
full bench sum -n 10 --budget 0.1 --csv -
run 2 sum x.npy || fail "sum on two ranks: $(cat err)"
finish
