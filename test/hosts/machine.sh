# SPDX-License-Identifier: BSD-3-Clause
# The machine of run.sh, as process 1 of its namespaces: starts the hosts and the switch, then COMMAND on the front.
set -u
trap 'exit 130' INT TERM
mount -t tmpfs tmpfs /run
mkdir -p "$HOSTS"
: > "$HOSTS/control"
{
    echo 127.0.0.1 localhost
    for host in $(seq 0 "$HOSTS_COUNT"); do
        [ "$host" = "$HOSTS_COUNT" ] && name=front || name=host$host
        echo "10.99.1.$((host + 1)) $name"
    done
} > "$HOSTS/names"
leave_out() {
    echo "Hosts are left out: $*"
    exit 77
}
mount --bind "$HOSTS/names" /etc/hosts || leave_out 'the kernel refuses another /etc/hosts'
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || leave_out "there is no $cc for the switch"
$cc -O2 -o "$HOSTS/switch" "$HOSTS_HERE/switch.c" || exit

ports=
for host in $(seq 0 "$HOSTS_COUNT"); do
    [ "$host" = "$HOSTS_COUNT" ] && name=front || name=host$host
    mkdir "$HOSTS/$name"
    # The front shares the machine's processes and mounts, so that on.sh can enter the others from there.
    inner='--mount --pid --fork --kill-child --mount-proc'
    [ $name = front ] && inner=
    # shellcheck disable=SC2086
    unshare --net --uts --ipc $inner sh -c 'hostname "$1" &&
        { [ "$1" = front ] || { mount -t tmpfs tmpfs /dev/shm && mount -t sysfs sysfs /sys; }; } &&
        : > "$HOSTS/$1/up"; while :; do sleep 1000 & wait; done' sh $name </dev/null >"$HOSTS/$name.log" 2>&1 &
    echo $! > "$HOSTS/$name.process"
    ports="$ports $!:$((host + 1))"
done
mount -t tmpfs tmpfs /dev/shm
for name in $(awk 'NR > 1 { print $2 }' "$HOSTS/names"); do
    tries=0
    until [ -e "$HOSTS/$name/up" ]; do
        [ $((tries += 1)) -lt 200 ] || leave_out "$name does not start ($(head -n 1 "$HOSTS/$name.log"))"
        sleep 0.05
    done
done
: > "$HOSTS/switch.log"
# shellcheck disable=SC2086
"$HOSTS/switch" "$HOSTS/control" "$HOSTS_DELAY" "$HOSTS_RATE" $ports 2> "$HOSTS/switch.log" &
tries=0
until grep -q up "$HOSTS/switch.log"; do
    [ $((tries += 1)) -lt 200 ] || leave_out "the switch does not start ($(head -n 1 "$HOSTS/switch.log"))"
    sleep 0.05
done

# Both launchers reach hosts by on.sh, which takes the place of ssh, over quick0; messages go over slow0.
# shellcheck disable=SC2046
export $(grep -v '^#' "$HOSTS_HERE/../../packaging/launcher.env")
export OMPI_MCA_plm_rsh_agent="$HOSTS_HERE/on.sh" OMPI_MCA_plm_rsh_no_tree_spawn=1 OMPI_MCA_pml=ob1 \
    OMPI_MCA_btl=tcp,self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_oob_tcp_if_include=10.99.0.0/24 OMPI_MCA_btl_tcp_if_include=10.99.1.0/24 \
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_odls_base_sigkill_timeout=0
export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$HOSTS_HERE/on.sh" HYDRA_IFACE=quick0 UCX_NET_DEVICES=slow0 UCX_TLS=tcp,posix,self
export HOME="$HOSTS/front" TMPDIR="$HOSTS/front"
unset XDG_CACHE_HOME
front=/proc/$(cat "$HOSTS/front.process")/ns
timeout -k 5 "$HOSTS_TIME" nsenter --net="$front/net" --uts="$front/uts" --wdns="$PWD" "$@"
