#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two simulated nodes, as most people try first, with what the library measures of the network at the first use: how
# many times as fast the library's own choice is as the better of the simulator's schedules of Open MPI and MPICH, five
# collectives of 8 bytes to 4 MiB. A line for each: sizes, mean, least, and the elements and the choice there. Fails below
# 1.2 in the mean of all, or 0.9 anywhere.
#
#     two_nodes.sh SCALE SMPI-SETUP SOURCE
set -u
scale=$1 setup=$2 source=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# run LABEL PLATFORM RANKS ALGORITHM OPTION...: the cases by this algorithm.
run()
{
    label=$1 platform=$2 ranks=$3 algorithm=$4
    shift 4
    for collective in reduce allreduce reduce_scatter bcast allgatherv; do
        for count in 2 16 128 1024 8192 65536 1048576; do
            case $collective in
            reduce_scatter | allgatherv) [ "$count" -lt "$ranks" ] || echo "$collective $((count / ranks)) sum $algorithm" ;;
            *) echo "$collective $count sum $algorithm" ;;
            esac
        done
    done >cases
    SUMMAND_TRANSPORT=p2p LD_PRELOAD=$setup timeout 300 smpirun -np "$ranks" -hostfile hosts \
        -platform "$source/bench/platforms/$platform.xml" --log=root.thres:error "$@" \
        "$scale" cases "$label" "$algorithm" 2>err | grep "^$label,"
}

for platform in ib-36x16 eth1-7x9; do
    for nodes in '1 1' '4 4' '3 1' '16 8'; do
        first=${nodes% *} second=${nodes#* }
        printf 'node-0:%d\nnode-1:%d\n' "$first" "$second" >hosts
        label=$platform-$first+$second ranks=$((first + second))
        run "$label" "$platform" "$ranks" auto
        for rival in ompi mpich; do
            set --
            for collective in reduce allreduce reduce_scatter bcast allgatherv; do
                set -- "$@" "--cfg=smpi/$collective:$rival"
            done
            run "$label" "$platform" "$ranks" mpi "$@"
        done
    done
done >rows
awk -F, '
    { key = $1 " " $2 "," $4 }
    !/,right/ { print "not right: " $0; failed = 1 }
    $6 == "auto" { ours[key] = $7; how[key] = $9 }
    $6 != "auto" && (!(key in best) || $7 < best[key]) { best[key] = $7 }
    END {
        for (key in ours) {
            if (!(key in best)) { print "no rival: " key; failed = 1; continue }
            split(key, part, ",")
            row = part[1]
            ratio = best[key] / ours[key]
            if (!n[row]++ || ratio < least[row]) { least[row] = ratio; at[row] = part[2]; by[row] = how[key] }
            logs[row] += log(ratio)
            count++
            all += log(ratio)
        }
        sort = "sort"
        for (row in n) {
            split(row, name, " ")
            printf "%-16s %-16s %2d %6.2f %6.2f %8d  %s\n", name[1], name[2], n[row], exp(logs[row] / n[row]), least[row],
                at[row], by[row] | sort
            if (least[row] < 0.9) failed = 1
        }
        close(sort)
        mean = count ? exp(all / count) : 0
        printf "all %d: %.3f\n", count, mean
        exit failed || count < 250 || mean < 1.2
    }' rows
