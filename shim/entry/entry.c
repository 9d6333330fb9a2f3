/* SPDX-License-Identifier: BSD-3-Clause */
/* The preloaded library. It needs no MPI, so it changes no choice of one, and a program without MPI
 * does not notice it: nothing runs before the first call of an intercepted function. That call
 * finds the MPI that is loaded, and opens the part that serves, which needs that MPI.
 *
 * Arguments are words here, whatever the MPI's handles are: each fills a register or a place on the
 * stack, so they are passed on as they are. Calls are jumps: the next function sees the program's
 * return address. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quiet.h"
#include "entry/entry.h"

static void open_once(void);

/* The exported names, and what their slots hold until the MPI is found. */
#define SHIM_ENTRY(mpi_name, pmpi_name, n)                                                         \
    __attribute__((visibility("default"))) word mpi_name(TAKE_##n);                                \
    __attribute__((visibility("default"))) word pmpi_name(TAKE_##n);                               \
    word mpi_name(TAKE_##n)                                                                        \
    {                                                                                              \
        return ((word(*)(TAKE_##n))slots[AT_##mpi_name].mpi)(GIVE_##n);                            \
    }                                                                                              \
    word pmpi_name(TAKE_##n)                                                                       \
    {                                                                                              \
        return ((word(*)(TAKE_##n))slots[AT_##mpi_name].pmpi)(GIVE_##n);                           \
    }                                                                                              \
    static word first_##mpi_name(TAKE_##n)                                                         \
    {                                                                                              \
        open_once();                                                                               \
        return ((word(*)(TAKE_##n))slots[AT_##mpi_name].mpi)(GIVE_##n);                            \
    }                                                                                              \
    static word first_##pmpi_name(TAKE_##n)                                                        \
    {                                                                                              \
        open_once();                                                                               \
        return ((word(*)(TAKE_##n))slots[AT_##mpi_name].pmpi)(GIVE_##n);                           \
    }
SHIM_ENTRIES
#undef SHIM_ENTRY

struct shim_slot slots[SHIM_AT_COUNT] = {
#define SHIM_ENTRY(mpi_name, pmpi_name, n)                                                         \
    {#mpi_name, #pmpi_name, (void *)first_##mpi_name, (void *)first_##pmpi_name, NULL, NULL, 0},
    SHIM_ENTRIES
#undef SHIM_ENTRY
};

/* A line on stderr, in one write that raises no signal; nothing of it depends on the program's
 * locale, or on what its stderr of stdio is. */
static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *format, ...)
{
    char line[PATH_MAX + 512] = "summand: ";
    const size_t begin = strlen(line);
    va_list list;
    va_start(list, format);
    summand__vformat(line + begin, sizeof line - begin - 1, format, list);
    va_end(list);
    strcat(line, "\n");
    (void)summand__write_all(STDERR_FILENO, line, strlen(line)); /* a failure cannot be reported */
}

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* MPI_X and PMPI_X of the standard ABI may lie in two libraries. */
static int is_mpi_abi(const void *address)
{
    Dl_info info;
    const char *slash = dladdr(address, &info) ? strrchr(info.dli_fname, '/') : NULL;
    return slash && !strncmp(slash + 1, "libmpi_abi", 10);
}

/* The program calls a function that its MPI does not have; without the shim it would not start. */
#define SHIM_ENTRY(mpi_name, pmpi_name, n)                                                         \
    static word missing_##mpi_name(void)                                                           \
    {                                                                                              \
        tell("the program called " #mpi_name ", which its MPI does not have");                     \
        abort();                                                                                   \
    }
SHIM_ENTRIES
#undef SHIM_ENTRY

static void *const missing[] = {
#define SHIM_ENTRY(mpi_name, pmpi_name, n) (void *)missing_##mpi_name,
    SHIM_ENTRIES
#undef SHIM_ENTRY
};

static int is_mpi(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(name, "libmpi", 6) != 0 && strncmp(name, "libpmpi", 7) != 0)
        return 0;
    void *mpi = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (mpi && dlsym(mpi, "PMPI_Comm_rank")) {
        *(void **)found = mpi;
        return 1;
    }
    if (mpi)
        dlclose(mpi);
    return 0;
}

/* The MPI that is loaded, also if a module has loaded it for itself alone (Python). Its names
 * become visible to the part that serves. NULL: there is none. */
static void *loaded_mpi(void)
{
    Dl_info info;
    void *mpi = NULL, *function = dlsym(RTLD_DEFAULT, "PMPI_Comm_rank");
    if (function && dladdr(function, &info))
        mpi = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!mpi)
        dl_iterate_phdr(is_mpi, &mpi);
    function = mpi ? dlsym(mpi, "PMPI_Comm_rank") : function;
    if (mpi && dladdr(function, &info))
        (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    return mpi ? mpi : function ? RTLD_DEFAULT : NULL;
}

static void find_next(struct shim_slot *slot, void *mpi)
{
    slot->real = dlsym(mpi, slot->profiling_name);
    slot->next = dlsym(RTLD_NEXT, slot->name);
    if (!slot->next)
        slot->next = dlsym(mpi, slot->name);
    if (!slot->next) /* the library with PMPI_X does not have MPI_X */
        slot->next = slot->real;
    slot->tool =
        slot->next && object_of(slot->next) != object_of(slot->real) && !is_mpi_abi(slot->next);
}

/* What the MPI's handles are: words of its own (openmpi, mpich), or constants of the standard ABI,
 * which an MPI of any brand may have. An MPI with words of its own may know the question, too: its
 * answer is negative. The text of the library's version tells brands only. */
static const char *kind_of(void *mpi)
{
    int major = -1, minor = -1;
    void *function = dlsym(mpi, "PMPI_Abi_get_version");
    int (*version)(int *, int *) = (int (*)(int *, int *))(size_t)function;
    if (version && version(&major, &minor) == 0 && major > 0)
        return "abi";
    return dlsym(mpi, "ompi_mpi_comm_self") ? "openmpi" : "mpich";
}

/* False if a launcher says that this process is not its first one. */
static int speaks(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    const char *rank = NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !rank; i++)
        rank = getenv(ranks[i]);
    return !rank || atoi(rank) == 0;
}

/* Nobody watches this program's reductions: it does not run if it asked for that. */
static void end_if_strict(void)
{
    const char *strict = getenv("SUMMAND_STRICT");
    if (!strict || strcmp(strict, "on") != 0)
        return;
    if (speaks())
        tell("SUMMAND_STRICT ends the program");
    _exit(2);
}

/* The part that serves lies beside this file. */
static void open_server(void *mpi)
{
    Dl_info here;
    char file[PATH_MAX + 64];
    const char *kind = kind_of(mpi);
    if (strcmp(kind, SHIM_KIND) != 0) {
        if (speaks())
            tell("all calls go to the MPI: this shim is for " SHIM_KIND
                 ", and the program's MPI is of the kind %s; take summand run --mpi %s",
                 kind, kind);
        end_if_strict();
        return;
    }
    if (!dladdr(slots, &here) || !realpath(here.dli_fname, file))
        return;
    char *name = strrchr(file, '/') + 1;
    snprintf(name, (size_t)(file + sizeof file - name), "libsummand-mpi-" SHIM_KIND "-core.so");
    void *server = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void (*open)(struct shim_slot *) =
        server ? (void (*)(struct shim_slot *))(size_t)dlsym(server, SHIM_OPEN) : NULL;
    if (open) {
        open(slots);
    } else if (speaks()) {
        const char *error = dlerror();
        const char *version = strstr(error, "undefined symbol")
                                  ? "the program's MPI is of another version of " SHIM_KIND
                                    " than this shim's: "
                                  : "";
        tell("all calls go to the MPI: %s%s", version, error);
    }
    if (!open)
        end_if_strict();
}

static void open_all(void)
{
    void *mpi = loaded_mpi();
    for (int at = 0; at < SHIM_AT_COUNT && mpi; at++)
        find_next(&slots[at], mpi);
    if (mpi)
        stand_in(mpi);
    for (int at = 0; at < SHIM_AT_COUNT; at++) {
        slots[at].mpi = slots[at].next ? slots[at].next : missing[at];
        slots[at].pmpi = slots[at].real ? slots[at].real : missing[at];
    }
    if (mpi)
        open_server(mpi);
}

static void open_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_all);
}
