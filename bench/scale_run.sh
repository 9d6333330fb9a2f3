#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One simulation of bench/scale.sh: scale_run.sh TOTAL LAUNCH. The file LAUNCH describes it (NAME
# PLATFORM RANKS MPI), and LAUNCH.cases has its cases. Adds its rows to those in OUT/rows.
set -eu
total=$1
launch=$2
read -r name platform ranks mpi <"$launch"
begin=$(date +%s)

# The library gets the model of the machine from NAME.model, from `summand tune --measure` there,
# or not at all.
label=$platform
"$SUMMAND" predict --model "$root/bench/platforms/$platform.model" --print-model |
    sed 's/#.*//; s/^/model /' >"$launch.tuning"
# By names without a folder: simulated times depend on their length.
known="SUMMAND_TUNING=${launch##*/}.tuning"
case $mpi in
unknown) label=$platform-unknown known= ;;
measured) label=$platform-measured ;;
esac
value()
{
    awk -v name="$1" '$2 == name { print $4 }' "$launch.tuning"
}

# Ranks lie on nodes as in NAME.nodes, and the library finds the nodes itself; without that file, per_node ranks
# lie on each node, in order. The platform NAME-Ncore is the cluster NAME with N cores.
nodes=$root/bench/platforms/$platform.nodes
if [ -e "$nodes" ]; then
    sed '/^#/d' "$nodes" | awk '{
        n = split($1, size, ",")
        if ($2 == "block") { for (i = 1; i <= n; i++) print "node-" i - 1 ":" size[i]; exit }
        do { left = 0
             for (i = 1; i <= n; i++) if (size[i]-- > 0) { print "node-" i - 1; left = 1 }
        } while (left) }' >"$launch.hosts"
    placed=SUMMAND_TRANSPORT=p2p
else
    node=$(value per_node)
    awk -v ranks="$ranks" -v node="$node" \
        'BEGIN { for (n = 0; n * node < ranks; n++) print "node-" n ":" node }' >"$launch.hosts"
    placed=SUMMAND_NODE_SIZE=$node
fi
cluster=${platform%-[0-9]core}
program=$SCALE thresh=4000000
case $platform in *-[0-9]core) program=$SCALE-outer thresh=1048576 ;; esac

# Names each collective: one selector for all of them makes everything slow.
selector=
case $mpi in default | unknown | measured) ;; *)
    for collective in allgather allgatherv allreduce bcast gather reduce reduce_scatter scatter; do
        selector="$selector --cfg=smpi/$collective:$mpi"
    done ;;
esac

if [ "$mpi" = measured ]; then
    (cd "$OUT/launches" &&
        env $placed LD_PRELOAD="$(dirname "$SCALE")/smpi-setup.so" smpirun -np "$ranks" \
        -hostfile "$launch.hosts" -platform "$root/bench/platforms/$cluster.xml" \
        --log=root.thres:error "$(dirname "$SCALE")/../summand" tune --measure \
        -o "$launch.measured" >/dev/null 2>"$launch.err")
    cp "$launch.measured" "$OUT/$platform.model"
    sed 's/#.*//; /=/!d; s/^/model /' "$launch.measured" >"$launch.tuning"
fi

# If the vectors of all ranks, three of each, do not fit in memory, they share it, and there are
# no results to check. Memory below `thresh` bytes is not shared: schedules, which differ from rank to
# rank, take up to some MB.
#
# simulate CASES FOLDED: 1 for such cases of the file, 0 for the others.
simulate()
{
    awk -v ranks="$ranks" -v most="${SCALE_MEMORY:-4000}" -v folded="$2" \
        '{ elements = split($2, n, "x") == 2 ? 2 * n[1] * n[2] : $2 }
         (elements * 4 * 3 * ranks > most * 1e6) == folded' "$1" >"$launch.part"
    [ -s "$launch.part" ] || return 0
    unchecked='' fold=''
    if [ "$2" = 1 ]; then
        unchecked='env SCALE_UNCHECKED=1'
        fold="--cfg=smpi/auto-shared-malloc-thresh:$thresh --cfg=smpi/shared-malloc-blocksize:16777216"
    fi
    # smpirun also prints on standard output if it fails.
    (cd "$OUT/launches" &&
        env $known $placed SCALE_FLOP="$(value flop)" SCALE_WRITE="$(value write)" \
        LD_PRELOAD="$(dirname "$SCALE")/smpi-setup.so" $unchecked smpirun -np "$ranks" \
        -hostfile "$launch.hosts" -platform "$root/bench/platforms/$cluster.xml" \
        --log=root.thres:error $selector $fold "$program" "${launch##*/}.part" "$label" "$mpi" \
        </dev/null 2>>"$launch.err" || echo "smpirun ended with status $? (137, 9: killed, as where memory is short)" >>"$launch.err") |
        while read -r line; do
            case $line in "$label,"*) echo "$line" >>"$OUT/rows/$name.csv" ;; esac
        done
}

# The cases that have no row.
left()
{
    awk -F'[, ]' -v mpi="$mpi" '
        FILENAME == ARGV[1] { done[$2 " " $4 " " $5 " " $6] = 1; next }
        { what = $4 == "mpi" ? "mpi-" mpi : $4 }
        !(($1 " " $2 " " $3 " " what) in done)' "$OUT/rows/$name.csv" "$launch.cases"
}

# A case that ends its simulation also ends those after it. So the remaining cases run again, each
# by itself, and only that run's output counts as the reason.
: >"$launch.err"
simulate "$launch.cases" 0
simulate "$launch.cases" 1
left >"$launch.left"
if [ -s "$launch.left" ]; then
    : >"$launch.err"
    while read -r case; do
        echo "$case" >"$launch.one"
        simulate "$launch.one" 0
        simulate "$launch.one" 1
    done <"$launch.left"
fi
mv "$launch" "$launch.done"
left=$(left)
finished=$(find "$OUT/launches" -name '*.done' | wc -l)
echo "[$finished/$total] $name: $(wc -l <"$launch.cases") cases, $(($(date +%s) - begin)) s"
rm "$launch.cases"
wrong=$(awk -F, '$6 !~ /^mpi-/ && $8 !~ /right|unchecked/' "$OUT/rows/$name.csv")
[ -z "$wrong" ] || {
    echo "$wrong" | sed "s/^/    $name: wrong: /"
    exit 1
}
[ -z "$left" ] || {
    echo "$left" | sed "s/^/    $name: no result: /"
    sed 's/ [^ ]*smpimain .*//; /smpitmp/d' "$launch.err" | sort | uniq -c | sort -rn | head -n 5
    exit 1
}
