/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs may look by weak symbols for functions that their MPI may lack, as mpi4py's wheels do.
 * The shim exports all, so each must do what the program does without it: a persistent collective
 * has another name in Open MPI 4 (MPIX_), and a large count is passed on as an int if it is one. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "entry/entry.h"

/* Of an MPI without large counts: MPICH 3, and Open MPI up to 5. */
enum { COUNT_IS_WRONG = 2 /* MPI_ERR_COUNT */ };

static int (*call_errhandler)(word comm, int code),
    (*call_window_errhandler)(word window, int code), (*test_inter)(word comm, int *inter),
    (*local_size)(word comm, int *size), (*remote_size)(word comm, int *size);

static word refuse(word comm)
{
    call_errhandler(comm, COUNT_IS_WRONG);
    return COUNT_IS_WRONG;
}

static int fits(word count)
{
    return count == (int)count;
}

/* Arrays that requests may still read: equal ones are one, and none is ever freed. */
static int *keep(int *array, size_t n)
{
    static struct kept {
        struct kept *next;
        size_t n;
        int *array;
    } * all;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct kept *at = all;
    while (at && (at->n != n || memcmp(at->array, array, n * sizeof *array) != 0))
        at = at->next;
    if (!at && (at = malloc(sizeof *at))) {
        *at = (struct kept){.next = all, .n = n, .array = array};
        all = at;
    }
    pthread_mutex_unlock(&lock);
    int *kept = at ? at->array : NULL;
    if (kept != array)
        free(array);
    return kept;
}

/* The array with an element per rank as ints; 0: they do not fit, or there is no memory. */
static word narrow(word array, word comm, int gathers, int lives)
{
    const word *wide = (const word *)array;
    int inter = 0, n = 0;
    test_inter(comm, &inter);
    if (!wide || (inter && gathers ? remote_size : local_size)(comm, &n) != 0 || n < 1)
        return 0;
    int *made = malloc((size_t)n * sizeof *made), at = 0;
    for (; made && at < n && fits(wide[at]); at++)
        made[at] = (int)wide[at];
    if (made && at < n) {
        free(made);
        made = NULL;
    }
    return (word)(made && lives ? keep(made, (size_t)n) : made);
}

/* ok: all counts fit, and counts and displs are what replaces arrays. */
#define NARROW(mpi_name, narrow_name, n, lives_, ok, comm)                                         \
    static word narrow_##mpi_name(TAKE_##n)                                                        \
    {                                                                                              \
        const int lives = lives_;                                                                  \
        word counts = 0, displs = 0;                                                               \
        const word code =                                                                          \
            (ok) ? ((word(*)(TAKE_##n))slots[AT_##narrow_name].real)(GIVE_##n) : refuse(comm);     \
        if (!lives) {                                                                              \
            free((void *)counts);                                                                  \
            free((void *)displs);                                                                  \
        }                                                                                          \
        return code;                                                                               \
    }
#define NARROW_FORMS(Name, name, id, blocking, nonblocking, persistent)                            \
    NARROW(MPI_##Name##_c, MPI_##Name, blocking, 0, OK_##id, COMM_##id)                            \
    NARROW(MPI_I##name##_c, MPI_I##name, nonblocking, 1, OK_##id, COMM_##id)                       \
    NARROW(MPI_##Name##_init_c, MPI_##Name##_init, persistent, 1, OK_##id, COMM_##id)

#define OK_REDUCE fits(c)
#define OK_ALLREDUCE fits(c)
#define OK_REDUCE_SCATTER (counts = narrow(c, f, 0, lives)) && (c = counts)
#define OK_REDUCE_SCATTER_BLOCK fits(c)
#define OK_BCAST fits(b)
#define OK_ALLGATHER fits(b) && fits(e)
#define OK_ALLGATHERV                                                                              \
    fits(b) && (counts = narrow(e, h, 1, lives)) && (displs = narrow(f, h, 1, lives)) &&           \
        (e = counts) && (f = displs)
#define OK_SCAN fits(c)
#define OK_EXSCAN fits(c)
#define COMM_REDUCE g
#define COMM_ALLREDUCE f
#define COMM_REDUCE_SCATTER f
#define COMM_REDUCE_SCATTER_BLOCK f
#define COMM_BCAST e
#define COMM_ALLGATHER g
#define COMM_ALLGATHERV h
#define COMM_SCAN f
#define COMM_EXSCAN f
SHIM_COLLECTIVES(NARROW_FORMS)

/* Without a communicator: the error is for the handler of the window, if there is one. */
static word refuse_aside(word window, int has_window)
{
    if (has_window)
        call_window_errhandler(window, COUNT_IS_WRONG);
    return COUNT_IS_WRONG;
}

#define NARROW_ASIDE(Name, n, ok, window, has_window)                                              \
    static word narrow_MPI_##Name##_c(TAKE_##n)                                                    \
    {                                                                                              \
        return (ok) ? ((word(*)(TAKE_##n))slots[AT_MPI_##Name].real)(GIVE_##n)                     \
                    : refuse_aside(window, has_window);                                            \
    }
#define ASIDES_WITH_COUNTS(X)                                                                      \
    X(Reduce_local, 5, fits(c), 0, 0)                                                              \
    X(Accumulate, 9, fits(b) && fits(f), i, 1)                                                     \
    X(Raccumulate, 10, fits(b) && fits(f), i, 1)                                                   \
    X(Get_accumulate, 12, fits(b) && fits(e) && fits(i), l, 1)                                     \
    X(Rget_accumulate, 13, fits(b) && fits(e) && fits(i), l, 1)
ASIDES_WITH_COUNTS(NARROW_ASIDE)

/* NULL stays where there is no substitute either. */
static void fill(struct shim_slot *slot, void *substitute)
{
    if (!slot->real)
        slot->real = substitute;
    if (!slot->next)
        slot->next = slot->real;
}

static void fill_large(enum shim_at at, enum shim_at narrow_at, void *narrow)
{
    fill(&slots[at], slots[narrow_at].real ? narrow : NULL);
}

void stand_in(void *mpi)
{
    call_errhandler = (int (*)(word, int))(size_t)dlsym(mpi, "PMPI_Comm_call_errhandler");
    test_inter = (int (*)(word, int *))(size_t)dlsym(mpi, "PMPI_Comm_test_inter");
    local_size = (int (*)(word, int *))(size_t)dlsym(mpi, "PMPI_Comm_size");
    remote_size = (int (*)(word, int *))(size_t)dlsym(mpi, "PMPI_Comm_remote_size");
#define FILL(Name, name, ...)                                                                      \
    fill(&slots[AT_MPI_##Name##_init], slots[AT_MPIX_##Name##_init].real);                         \
    fill(&slots[AT_MPIX_##Name##_init], slots[AT_MPI_##Name##_init].real);                         \
    fill_large(AT_MPI_##Name##_c, AT_MPI_##Name, (void *)narrow_MPI_##Name##_c);                   \
    fill_large(AT_MPI_I##name##_c, AT_MPI_I##name, (void *)narrow_MPI_I##name##_c);                \
    fill_large(AT_MPI_##Name##_init_c, AT_MPI_##Name##_init, (void *)narrow_MPI_##Name##_init_c);
    SHIM_COLLECTIVES(FILL)
    call_window_errhandler = (int (*)(word, int))(size_t)dlsym(mpi, "PMPI_Win_call_errhandler");
#define FILL_ASIDE(Name, ...)                                                                      \
    fill_large(AT_MPI_##Name##_c, AT_MPI_##Name, (void *)narrow_MPI_##Name##_c);
    ASIDES_WITH_COUNTS(FILL_ASIDE)
}
