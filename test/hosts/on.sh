#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command on a host of run.sh, as `ssh HOST COMMAND...` does: its words are joined, and read by a shell. In the
# folder of the caller, and with its environment, but for HOME and TMPDIR. HOST: a name or an address.
while :; do
    case $1 in
    -l) shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
host=$1
case $host in 10.99.*) host=host$((${host##*.} - 1)) ;; esac
shift
process=/proc/$(cat "${HOSTS:?}/$host.process")/ns
exec nsenter --net="$process/net" --uts="$process/uts" --ipc="$process/ipc" --mount="$process/mnt" \
    --pid="$process/pid_for_children" sh -c "export HOME=$HOSTS/$host TMPDIR=$HOSTS/$host; cd '$PWD'; $*"
