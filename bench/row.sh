# SPDX-License-Identifier: BSD-3-Clause
# Sourced by node.sh and hosts.sh; they have a folder $work, where a launch of summand bench leaves `csv`.

# A line of the table from the CSV of a launch; fields in quotes have commas.
row()
{
    sed 's/""//g; s/"[^"]*"//g' "$work/csv" | awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["algorithm"] != "auto" || $at["vs_mpi"] <= 0 { next }
        {
            if (!n || $at["rounds"] + 0 < rounds) rounds = $at["rounds"] + 0
            sum += log($at["vs_mpi"]); low += log($at["vs_mpi_low"]); high += log($at["vs_mpi_high"])
            if (!n++ || $at["vs_mpi"] < least) {
                least = $at["vs_mpi"]; ends = $at["vs_mpi_low"] ", " $at["vs_mpi_high"]; bytes = $at["bytes"]
            }
        }
        END {
            if (!n) { print "| " name " | failed | | | |"; exit 1 }
            printf "| %s | %.2f [%.2f, %.2f] | %.2f [%s] | %s | %d |\n", name, exp(sum / n), exp(low / n),
                exp(high / n), least, ends, bytes, rounds
        }'
}
