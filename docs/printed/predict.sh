# SPDX-License-Identifier: BSD-3-Clause
# Predicted us on 576 ranks of ib-36x16: predict.sh COLLECTIVE ALGORITHM INTS [PARAMETERS].
summand predict -c "$1" -p 576 -a "$2" -n "$3" ${4:+-P "$4"} --model bench/platforms/ib-36x16.model --csv |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.2f\n", 1e6 * $at["seconds"] }'
