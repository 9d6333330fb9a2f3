#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hosts on one machine: namespaces with their own network, name, IPC, processes and mounts, joined by a switch
# (switch.c). As root or as any user, where the kernel allows namespaces; else status 77 and a sentence.
#
#     run.sh [--hosts 3] [--delay MICROSECONDS] [--rate MBIT/S] [--time SECONDS] -- COMMAND...
#     run.sh --hosts 2 -- mpirun.openmpi -H host0:2,host1:2 -np 4 ./a      (MPICH: mpirun.mpich -hosts host0:2,host1:2)
#
# COMMAND runs on a host of its own, `front`. The hosts host0, host1, ... have each
#   /dev/shm; a folder for HOME and TMPDIR, $HOSTS/NAME; 10.99.0.x on quick0, by which launchers reach them; 10.99.1.x on
#   slow0, for messages, with the delay (default 100 us) and the rate (1000 Mbit/s).
# on.sh runs a command on a host; the text of $HOSTS/control tells the switch what to lose. All of it ends with COMMAND,
# after --time (default 600 s), or when the process that called run.sh ends.
here=$(cd "$(dirname "$0")" && pwd)
hosts=3 delay=100 rate=1000 time=600
while [ $# -gt 0 ]; do
    case $1 in
    --hosts) hosts=$2 ;;
    --delay) delay=$2 ;;
    --rate) rate=$2 ;;
    --time) time=$2 ;;
    --) break ;;
    *) sed -n '6,7s/^# *//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
[ $# -gt 1 ] && [ "$hosts" -ge 1 ] && [ "$hosts" -le 5 ] || { echo 'run.sh: 1 to 5 hosts, and a command after --' >&2; exit 2; }
shift
[ "$(id -u)" = 0 ] && user= || user='--user --map-root-user'
# The parent process of a namespace, and with it all of its processes, ends with the process that made it.
namespaces="$user --net --uts --ipc --mount --pid --fork --kill-child --mount-proc"
# shellcheck disable=SC2086
refusal=$(setpriv --pdeathsig KILL unshare $namespaces sh -c 'mount -t tmpfs tmpfs /run && : <>/dev/net/tun' 2>&1) || {
    echo "Hosts are left out: the kernel refuses namespaces or TAP devices here (${refusal:-no reason})"
    exit 77
}
export HOSTS=/run/hosts HOSTS_HERE="$here" HOSTS_COUNT="$hosts" HOSTS_DELAY="$delay" HOSTS_RATE="$rate" HOSTS_TIME="$time"
# shellcheck disable=SC2086
exec setpriv --pdeathsig KILL unshare $namespaces sh "$here/machine.sh" "$@"
