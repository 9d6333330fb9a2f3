# SPDX-License-Identifier: BSD-3-Clause
# A launcher that is killed leaves nothing of ours in /dev/shm of any host, and no rank. From CTest, by run.sh.
. "$HOSTS_HERE/common.sh"
launch 'host0:2 host1:2' "$PROGRAMS/hosts-struck" 2000 60 > out 2>&1 &
until [ -s "$HOSTS/host1/3.process" ]; do sleep 0.1; done
pkill -KILL -x "$(basename "$MPIEXEC")" || fail "no launcher ${MPIEXEC##*/} to kill" # in these namespaces alone
tries=0
while pgrep -x hosts-struck > /dev/null && [ $((tries += 1)) -lt 100 ]; do sleep 0.2; done
! pgrep -x hosts-struck > /dev/null || fail 'ranks go on without their launcher'
for host in host0 host1; do
    "$HOSTS_HERE/on.sh" $host 'ls /dev/shm' > left
    # Files of the MPI itself are its own matter.
    ! grep -v '^vader_segment\|^mpich\|^ucx' left || fail "$host: /dev/shm has $(cat left)"
done
finish
