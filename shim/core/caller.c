/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/shim.h"

/* Call sites that were looked up: an address, and where it lies in the two lowest bits. Asking the
 * dynamic linker takes a microsecond. */
enum { SITES = 1024, OF_PROGRAM = 0, INSIDE = 1, OF_FORTRAN = 2 };
static _Atomic uintptr_t sites[SITES];

static bool begins_with_any(const char *name, const char *const *words)
{
    while (*words && strncmp(name, *words, strlen(*words)) != 0)
        words++;
    return *words;
}

static unsigned look_up(const void *caller)
{
    static const char *const components[] = {"mca_", "libopen-", NULL};
    static const char *const fortran[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort",
                                          "libmpif", NULL};
    Dl_info site, mpi, own;
    if (!dladdr(caller, &site) || !dladdr(shim_slots[AT_MPI_Allreduce].real, &mpi) ||
        !dladdr(sites, &own) || !site.dli_fname)
        return OF_PROGRAM;
    const char *slash = strrchr(site.dli_fname, '/');
    const char *name = slash ? slash + 1 : site.dli_fname;
    if (site.dli_fbase == mpi.dli_fbase || site.dli_fbase == own.dli_fbase ||
        begins_with_any(name, components))
        return INSIDE;
    return begins_with_any(name, fortran) ? OF_FORTRAN : OF_PROGRAM;
}

static unsigned place_of(const void *caller)
{
    const uintptr_t address = (uintptr_t)caller << 2;
    _Atomic uintptr_t *site = &sites[(address >> 4 ^ address >> 14) % SITES];
    const uintptr_t known = atomic_load_explicit(site, memory_order_relaxed);
    if ((known ^ address) <= 3 && known)
        return known & 3;
    const unsigned place = look_up(caller);
    atomic_store_explicit(site, address | place, memory_order_relaxed);
    return place;
}

bool shim_is_inside(const void *caller)
{
    return place_of(caller) == INSIDE;
}

/* Walks the stack, which takes microseconds, only for Fortran. */
const void *shim_site(const void *caller)
{
    enum { DEPTH = 32 };
    void *frames[DEPTH];
    if (place_of(caller) != OF_FORTRAN)
        return caller;
    const int depth = backtrace(frames, DEPTH);
    int at = 0;
    while (at < depth && frames[at] != caller)
        at++;
    while (at < depth && place_of(frames[at]) == OF_FORTRAN)
        at++;
    return at < depth ? frames[at] : caller;
}
