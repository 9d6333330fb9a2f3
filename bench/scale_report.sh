#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tables and pictures of one experiment of bench/scale.sh, from the existing rows:
# scale_report.sh EXPERIMENT. Tables go to the screen and to OUT/EXPERIMENT.txt.
set -eu
rows()
{
    find "$OUT/rows" -name "$1*.csv" -exec cat {} +
}

# draw NAME TITLE X-LABEL: OUT/NAME.csv, one column per line, as OUT/NAME.svg. Our choice and the MPIs'
# are in colour, with the curves nearest to the best.
draw()
{
    [ "$(wc -l <"$OUT/$1.csv")" -gt 1 ] || return 0
    "$SUMMAND-study" plot --title "$2" --x-label "$3" --y-label microseconds \
        --keep auto,mpi-default,mpi-ompi,mpi-mpich,mpi-mvapich2 -o "$OUT/$1.svg" "$OUT/$1.csv"
    echo "picture: $OUT/$1.svg"
}

# From rows to a table with one line for each algorithm and a column for each value of field $1
# (3: ranks, 4: elements): aligned and sorted text, and the transposed table as CSV.
by_algorithm()
{
    awk -F, -v field="$1" -v csv="$2" '
        { sub(/segment=/, "", $6); t[$6, $field] = $7
          if (!($6 in seen)) { seen[$6]; name[n++] = $6 }
          if (!($field in at)) { at[$field]; column[m++] = $field } }
        END {
            for (i = 1; i < m; i++)
                for (j = i; j > 0 && column[j] + 0 < column[j - 1] + 0; j--) {
                    x = column[j]; column[j] = column[j - 1]; column[j - 1] = x }
            last = column[m - 1]
            for (i = 1; i < n; i++)
                for (j = i; j > 0 && value(j) < value(j - 1); j--) {
                    x = name[j]; name[j] = name[j - 1]; name[j - 1] = x }
            printf "%-28s", "us"
            for (j = 0; j < m; j++) printf " %11s", column[j]
            printf "\n"
            for (i = 0; i < n; i++) {
                printf "%-28s", name[i]
                for (j = 0; j < m; j++) printf " %11s", t[name[i], column[j]]
                printf "\n"
            }
            printf "x" >csv
            for (i = 0; i < n; i++) printf ",%s", name[i] >csv
            for (j = 0; j < m; j++) {
                printf "\n%s", column[j] >csv
                for (i = 0; i < n; i++) printf ",%s", t[name[i], column[j]] >csv
            }
            printf "\n" >csv
        }
        function value(i) { return (name[i], last) in t ? t[name[i], last] + 0 : 1e99 }'
}

report_report()
{
    echo "Reduce of 1000 ints, by ranks (16 on each node); an algorithm's segment after the colon, in elements"
    rows report-ranks- | by_algorithm 3 "$OUT/report-ranks.csv"
    draw report-ranks "Reduce of 1000 ints, 16 ranks per node, simulated" ranks
    echo
    echo "Reduce on 576 ranks, by elements"
    rows report-elements- | by_algorithm 4 "$OUT/report-elements.csv"
    draw report-elements "Reduce on 576 ranks, simulated" "ints per rank"
}

# Repeats the rivals' rows for each kind of knowledge that the library may have of a platform.
each_known()
{
    awk -F, -v OFS=, '
        { row[NR] = $0; label[$1] }
        END {
            for (i = 1; i <= NR; i++) {
                $0 = row[i]
                if ($6 == "auto") { print; continue }
                for (l in label) { $1 = l; print }
            }
        }'
}

# Ratio: time of the best selector over ours. A selector that gave a wrong result somewhere (SimGrid's
# MVAPICH2 does, for operators that do not commute) does not count there, nor without a
# check. OUT/PLATFORM.csv has the same as docs/results/data/scale.csv.
compare()
{
    : >"$OUT/$1.csv"
    rows "targets-$1-" | each_known | sort -t, -k1,1 -k2,2r -k5,5r -k4,4n | awk -F, -v csv="$OUT/$1.csv" '
        function close_block() {
            if (count) printf "%12s geometric mean %.2f, least %.2f\n", "", exp(sum / count), least
            sum = count = 0; least = 1e99; split("", wrong) }
        function close_line(best, i) {
            best = 1e99
            for (i = 1; i <= 3; i++) {
                if (t[i] && note[i] == "" && t[i] + 0 < best) best = t[i] + 0
            }
            if (t[0] && note[0] == "wrong") printf "%10d %11s  wrong\n", bytes, t[0]
            else if (t[0] && best < 1e99) {
                ratio = best / t[0]; sum += log(ratio); count++
                if (ratio < least) least = ratio
                printf "%10d %11s %11s%1s %11s%1s %11s%1s %7.2f  %s\n", bytes, t[0], t[1], note[1],
                    t[2], note[2], t[3], note[3], ratio, chosen
                split(block, name, " ")
                printf "%s,%s,%s,%d,%s,%s%s,%s%s,%s%s,%s\n", name[1], name[2], name[3], bytes, t[0], t[1], note[1],
                    t[2], note[2], t[3], note[3], chosen >csv
            }
            split("", t); split("", note); line = "" }
        BEGIN { order["auto"] = 0; order["mpi-ompi"] = 1; order["mpi-mpich"] = 2
                order["mpi-mvapich2"] = 3; least = 1e99 }
        {
            key = $1 " " $2 " " $5
            if (line != key " " $4) { close_line(); line = key " " $4; bytes = $4 * 4 }
            if (block != key) {
                close_block(); block = key
                printf "\n%s on %s, %d ranks, %s; microseconds, x: wrong or not checked after wrong\n",
                    $2, $1, $3, $5 == "sum" ? "commutative" : "not commutative"
                printf "%10s %11s %12s %12s %12s %8s  %s\n", "bytes", "ours", "Open MPI", "MPICH",
                    "MVAPICH2", "ratio", "we chose" }
            i = order[$6]; t[i] = $7
            if ($6 == "auto") chosen = $9
            if ($8 == "wrong") wrong[i] = 1
            note[i] = $8 == "right" ? "" : i == 0 ? $8 : (i in wrong) ? "x" : ""
        }
        END { close_line(); close_block() }'
}

report_targets()
{
    compare ib-36x16
}

report_ethernet()
{
    compare eth-48x16
}

report_fat_tree()
{
    compare fat-tree-256x16
}

# predicted ARGUMENTS...: seconds, or nothing.
predicted()
{
    "$SUMMAND" predict "$@" --csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") c = i } NR == 2 { print $c }'
}

# A line for each platform, kind of knowledge of it, and collective: geometric mean and least ratio. From
# the tables of `compare`.
summarise()
{
    awk '
        / on .* ranks, / { platform = $3; sub(/,$/, "", platform); collective = $1
                           kind = /not commutative/ ? "not commutative" : "commutative" }
        /geometric mean/ { mean = $3; least = $5; sub(/,$/, "", mean)
                           printf "%-26s %-22s %-16s %6.2f (%.2f)\n", platform, collective, kind, mean, least }' |
        sort
}

report_placements()
{
    for platform in ${SCALE_PLATFORMS:-ib-uneven ib-cyclic eth1-7x9 ib-64x2 fat-tree-128x1 eth100-20x24}; do
        compare "$platform"
    done >"$OUT/placements.tables"
    cat "$OUT/placements.tables"
    echo
    echo "times as fast as the best selector: geometric mean (least) over the sizes above"
    summarise <"$OUT/placements.tables"
}

# By default the prediction searches the best segment; simulations without one sent whole vectors.
report_predict()
{
    rows predict- | while IFS=, read -r platform collective ranks count operator algorithm us rest; do
        set -- -c "$collective" -p "$ranks" -n "$count" -a "${algorithm%%:*}" \
            --model "$root/bench/platforms/$platform.model"
        case $algorithm in
        *:*) seconds=$(predicted "$@" -P "$(echo "${algorithm#*:}" | tr ';' ',')") ;;
        *)
            seconds=$(predicted "$@" -P "segment=$count")
            [ -n "$seconds" ] || seconds=$(predicted "$@")
            ;;
        esac
        [ -z "$seconds" ] || echo "$collective $count $algorithm $us $seconds"
    done | awk '
        BEGIN { printf "%-10s %8s %-36s %12s %12s %8s\n", "", "elements", "algorithm", "simulated us",
                       "predicted us", "error" }
        { error = $5 * 1e6 / $4 - 1; e[n++] = error < 0 ? -error : error
          printf "%-10s %8d %-36s %12.2f %12.2f %7.1f%%\n", $1, $2, $3, $4, $5 * 1e6, error * 100 }
        END { for (i = 1; i < n; i++) for (j = i; j > 0 && e[j] < e[j - 1]; j--) {
                  x = e[j]; e[j] = e[j - 1]; e[j - 1] = x }
              if (n) printf "median of the error %.1f%%, nine in ten below %.1f%%, largest %.1f%%\n",
                  e[int(n / 2)] * 100, e[int(n * 0.9)] * 100, e[n - 1] * 100 }'
}

# One line for each rank count and size: ms of each algorithm, of the best of the MPIs (at one core,
# as its product takes as long with four), and how many times as fast the choice is as these.
outer_table()
{
    { rows "outer-$1-"; rows outer-1- | grep mpi-; } | awk -F, -v result="$2" '
        split($4, side, "x") && side[1] != side[2] { next }
        $2 != result || $5 != "1/1x1" || $4 ~ /^4096/ { next }
        { key = sprintf("%2d %6d", $3, $4); seen[key]
          name = $6 ~ /^mpi-/ ? "mpi" : $6
          if (!((key, name) in t) || $7 < t[key, name]) t[key, name] = $7
          if (name == "auto") chosen[key] = $9 }
        END {
            n = split("mpi outer-allreduce:ring outer-rabenseifner:ring outer-passes outer-gather outer-pipeline outer-hybrid outer-slices outer-grid auto", column, " ")
            if (result != "whole") n = split("outer-gather outer-slices outer-grid auto", column, " ")
            printf "%2s %6s", "P", "N = M"
            for (i = 1; i <= n; i++) { sub(/outer-/, "", column[i]); printf " %18s", column[i]
                                       if (column[i] !~ /mpi|auto/) column[i] = "outer-" column[i] }
            print "  we chose"
            for (key in seen) {
                line = key
                for (i = 1; i <= n; i++)
                    line = line sprintf(" %18s", (key, column[i]) in t ? sprintf("%.2f", t[key, column[i]] / 1000) : "")
                print line "  " chosen[key] | "sort -k1,1n -k2,2n"
            }
        }'
}

outer_pairs()
{
    rows "outer-$1-targets" | awk -F, '
        $4 != "4096x4096" { next }
        { name = $6 ~ /^mpi-/ ? "mpi" : $6; key = sprintf("%-7s %5d", $2, $5); seen[key]
          if (!((key, name) in t) || $7 < t[key, name]) t[key, name] = $7
          if (name == "auto") chosen[key] = $9 }
        END { printf "%-7s %5s %10s %10s %10s %10s %10s  we chose\n", "", "pairs", "MPI", "ring", "auto", "MPI/auto", "ring/auto"
              for (key in seen) {
                  ring = t[key, "outer-allreduce:ring"]; auto = t[key, "auto"]; if (!auto || !ring) continue
                  printf "%s %10.2f %10.2f %10.2f %10.1f %10.2f  %s\n", key, t[key, "mpi"] / 1000, ring / 1000,
                      auto / 1000, t[key, "mpi"] / auto, ring / auto, chosen[key] | "sort -k1,1r -k2,2n" } }'
}

# Figure $2 of the paper, 48 nodes of $1 cores: times as fast as the MPI, or ms.
outer_figure()
{
    { rows "outer-$1-48-"; rows outer-1-48- | grep mpi-; } | awk -F, -v speedup="$2" '
        $2 != "whole" || $5 != "1/1x1" { next }
        { name = $6 ~ /^mpi-/ ? "mpi" : $6; n = $4 + 0; size[n]
          if (!((n, name) in t) || $7 < t[n, name]) t[n, name] = $7 }
        END { m = split("outer-allreduce:ring outer-rabenseifner:ring outer-passes outer-gather outer-pipeline outer-hybrid auto mpi", column, " ")
              if (speedup) m--
              printf "x"; for (i = 1; i <= m; i++) printf ",%s", column[i]; print ""
              for (n in size) { line = n
                  for (i = 1; i <= m; i++) { # a case without result is a gap
                      line = line ","
                      if ((n, column[i]) in t && (!speedup || (n, "mpi") in t))
                          line = line (speedup ? t[n, "mpi"] / t[n, column[i]] : t[n, column[i]]) }
                  print line | "sort -n" } }' >"$OUT/outer-$3-$1.csv"
    [ "$(wc -l <"$OUT/outer-$3-$1.csv")" -gt 1 ] || return 0
    "$SUMMAND-study" plot --title "$4, 48 simulated nodes, $1 core(s) each" --x-label "N = M" \
        --y-label "$5" -o "$OUT/outer-$3-$1.svg" "$OUT/outer-$3-$1.csv"
    echo "picture: $OUT/outer-$3-$1.svg"
}

report_outer()
{
    for cores in 1 4; do
        for result in whole rows blocks; do
            echo "Result $result, a pair on each of P ranks, $cores core(s) each, ms"
            outer_table $cores $result
            echo
        done
        echo "4096 x 4096 on 48 ranks, $cores core(s) each, ms"
        outer_pairs $cores
        echo
        rows outer-$cores-targets-l | awk -F, '{ printf "%-7s %-12s %-7s %2d ranks %12.3f ms  %s\n", $2, $4, $5, $3, $7 / 1000, $9 ? $9 : $6 }'
        echo
        outer_figure $cores 1 speedup "Sums of outer products" "times as fast as MPI_Allreduce"
        outer_figure $cores 0 time "Sums of outer products" microseconds
    done
}

"report_$1" | tee "$OUT/$1.txt"
