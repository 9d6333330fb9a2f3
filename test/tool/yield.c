/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before MPICH (LD_PRELOAD) for tests that may have more ranks than processors.
 * MPICH over UCX spins while it waits, so the rank that it waits for queues for a processor: an
 * MPI_Allreduce of 8 ranks on 2 cores takes 26 ms, and 35 us if idle ranks yield. But Linux delays
 * a yielding process by a time slice (2.8 ms by default), so other work on the machine, even of low
 * priority, runs every few yields. Then it takes 7 ms, and 0.9 ms with the shortest possible slices
 * (Linux 6.12; older ones ignore the request). */
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE = 100000 }; /* nanoseconds */

/* The struct of sched_setattr(2), which glibc 2.36 lacks. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Threads have their parent's. */
__attribute__((constructor)) static void shorten_slices(void)
{
    struct attributes attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 &&
        attributes.policy == SCHED_OTHER) {
        attributes.runtime = SLICE;
        syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    unsigned events;
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    events = progress(worker);
    if (events == 0)
        sched_yield();
    return events;
}
