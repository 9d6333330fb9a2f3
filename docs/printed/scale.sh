# SPDX-License-Identifier: BSD-3-Clause
# Tables of docs/results/data/scale.csv, which has what `sh bench/scale.sh full targets ethernet fat_tree` simulated. The
# operator `affine` does not commute; an x marks a selector that gave a wrong result, which does not count.
#     scale.sh table PLATFORM                          a table for each collective and operator
#     scale.sh mean PLATFORM COLLECTIVE OPERATOR       times as fast as the best selector: geometric mean (least)
#     scale.sh least|most PLATFORM|all COLLECTIVE|all OPERATOR [BYTES]     of vectors of so many bytes and more
#     scale.sh us PLATFORM COLLECTIVE BYTES
#     scale.sh still                                   in how many rows the library chooses that algorithm today
data=docs/results/data/scale.csv
if [ "$1" = still ]; then
    awk -F, 'NR > 1 { ranks = $1 == "ib-36x16" ? 576 : $1 == "eth-48x16" ? 768 : 4096
                      print $1, $2, $3, ranks, $4, $9 }' $data |
        while read -r platform collective operator ranks bytes chosen; do
            promise=any
            [ "$operator" = sum ] || promise=rank-order
            COLUMNS=300 summand list --choose "$collective" -p "$ranks" -k 16 --bytes "$bytes" --promise $promise \
                --model "bench/platforms/$platform.model" | awk -v chosen="$chosen" '
                    NR == 2 { name = $3
                              for (i = 4; i <= NF && $i ~ /=/; i++) if ($i !~ /^node=/) name = name (name ~ /:/ ? ";" : ":") $i
                              print name == chosen }'
        done | awk '{ rows++; same += $1 } END { print same " of " rows }'
    exit
fi
awk -F, -v what="$1" -v platform="$2" -v collective="${3:-all}" -v operator="${4:-all}" -v from="${5:-0}" '
    BEGIN { ranks["ib-36x16"] = 576; ranks["eth-48x16"] = 768; ranks["fat-tree-256x16"] = 4096 }
    function short(x) { return sprintf(x < 2 ? "%.2f" : "%.2g", x) }
    function close_block() {
        if (what == "table" && count) printf "             geometric mean %.2f, least %.2f\n", exp(sum / count), least }
    NR == 1 || (platform != "all" && $1 != platform) || (collective != "all" && $2 != collective) { next }
    what == "us" { if ($3 == "sum" && $4 == operator) print $5; next }
    (operator != "all" && $3 != operator) || $4 < from + 0 { next }
    { best = 1e99
      for (i = 6; i <= 8; i++) if ($i !~ /x/ && $i < best) best = $i
      ratio = best / $5
      if (what == "table" && block != $2 $3) {
          close_block()
          if (block) print ""
          block = $2 $3; sum = count = 0; least = 1e99
          printf "%s on %s, %d ranks, %scommutative, us\n", $2, $1, ranks[$1], $3 == "sum" ? "" : "not "
          printf "%10s %11s %12s %12s %12s %8s  %s\n", "bytes", "ours", "Open MPI", "MPICH", "MVAPICH2", "ratio", "we chose"
      }
      sum += log(ratio); count++
      if (!least || ratio < least) least = ratio
      if (ratio > most) most = ratio
      if (what == "table") printf "%10d %11s %11s  %11s  %11s%1s %7.2f  %s\n", $4, $5, $6, $7, $8 + 0 == $8 ? $8 : substr($8, 1, length($8) - 1), $8 ~ /x/ ? "x" : "", ratio, $9 }
    END { close_block()
          if (what == "mean") printf "%.2f (%.2f)\n", exp(sum / count), least
          if (what == "least") print short(least)
          if (what == "most") print short(most) }' $data
