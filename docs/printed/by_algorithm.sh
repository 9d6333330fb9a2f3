# SPDX-License-Identifier: BSD-3-Clause
# A file of docs/results/data with a row for each algorithm, in us:
#     by_algorithm.sh table NAME
#     by_algorithm.sh plot NAME TITLE X-LABEL -o FILE       our choice and the MPIs' in colour, and the curves near the best
data=docs/results/data/$2.csv
case $1 in
table)
    awk -F, '{ line = sprintf("%-28s", NR == 1 ? "us, by " $1 : $1)
               for (i = 2; i <= NF; i++) line = line sprintf(" %11s", $i)
               sub(/ +$/, "", line)
               print line }' "$data"
    ;;
plot)
    work=$(mktemp)
    trap 'rm -f "$work"' EXIT
    awk -F, '{ for (i = 1; i <= NF; i++) cell[NR, i] = $i }
             END { for (i = 1; i <= NF; i++)
                       for (j = 1; j <= NR; j++) printf "%s%s", cell[j, i], j < NR ? "," : "\n" }' "$data" >"$work"
    summand-study plot --title "$3" --x-label "$4" --y-label microseconds \
        --keep auto,mpi-default,mpi-ompi,mpi-mpich,mpi-mvapich2 "$5" "$6" "$work"
    ;;
esac
