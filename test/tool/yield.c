/* Loaded before MPICH (LD_PRELOAD) where a test may have more ranks than processors.
 * MPICH over UCX spins while it waits, so whoever is waited for stands in line for a processor: an
 * MPI_Allreduce of 7 ranks on 2 cores takes 300 us, and 15 us if those that find nothing to do give
 * theirs away. Other work on the machine does as more ranks do. */
#include <dlfcn.h>
#include <sched.h>

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
