/* np: 2 3 4; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are read out of the sender's memory. They are if the kernel allows it, and all
 * ranks agree if it does not. Also reads that fail in the middle of a message, withdrawn messages,
 * and a sender that has died. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "mpi/fresh.h"
#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"
#include "transport/shm/shm_domain.h"

enum { FROM = 1024 /* bytes */, LONG = 300000 /* doubles, several pieces */, TAG = 40 };

/* A separate state, on which no read was refused. */
static struct summand__state *new_state(MPI_Comm *comm)
{
    struct summand__state *state;
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    if (summand__state_of(*comm, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return state;
}

static double *new_values(int message)
{
    double *values = malloc(LONG * sizeof *values);
    for (size_t i = 0; i < LONG; i++)
        values[i] = value(harness_rank, message, i);
    return values;
}

static size_t wrong_in(const double *values, size_t n, int rank, int message)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += values[i] != value(rank, message, i);
    return wrong;
}

static void open_route(struct summand__route *route, const struct summand__state *state, int tag)
{
    CHECK(link_open(route, state, MPI_DOUBLE, tag, 4), "open");
}

static void send(struct summand__route *route, int peer, const double *data, size_t n)
{
    CHECK(link_send(route->link, 0, 0, peer, data, n) == MPI_SUCCESS, "send");
}

static void receive(struct summand__route *route, int peer, double *data, size_t n)
{
    CHECK(link_recv(route->link, 0, 0, peer, data, n, NULL) == MPI_SUCCESS, "receive");
}

static int complete(struct summand__route *route)
{
    bool done = false;
    int code = link_complete(route->link, 0, true, &done);
    return code != MPI_SUCCESS || done ? code : MPI_ERR_PENDING;
}

/* Bytes that this rank has read from the memory of the previous rank. */
static uint64_t bytes_read(const struct summand__state *state)
{
    const struct summand__segment *segment = state->segment;
    struct summand__shm_domain *domain = segment->user;
    return domain->in[summand__segment_rank(segment, last())].end.read;
}

/* Whether all ranks may read all others' memory, as the kernel answers to the same system call. */
static int may_read(void)
{
    struct {
        int64_t process;
        const double *address;
    } mine, all[8];
    double secret = 17.25 + harness_rank, found;
    int may = 1, all_may;
    mine.process = getpid();
    mine.address = &secret;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < harness_ranks; r++) {
        struct iovec here = {&found, sizeof found}, there = {(void *)all[r].address, sizeof found};
        may = may && process_vm_readv((pid_t)all[r].process, &here, 1, &there, 1, 0) ==
                         (ssize_t)sizeof found;
        may = may && found == 17.25 + r;
    }
    MPI_Allreduce(&may, &all_may, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all_may;
}

static bool refused;

/* From now on, the kernel refuses reads of others' memory to this process. */
static void be_refused(void)
{
    refused = true;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
    CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "filter: %d", errno);
}

/* Three messages and a short one between them, all sent before any is read, and received in another
 * order. `direct`: whether the long ones are read out of the sender's memory. */
static void test_order(const struct summand__state *state, int direct)
{
    enum { MESSAGES = 4 };
    static const size_t size[MESSAGES] = {LONG, 20000, 3, LONG};
    static const int order[MESSAGES] = {3, 1, 0, 2};
    struct summand__route route[MESSAGES];
    double *from[MESSAGES], *to[MESSAGES];
    uint64_t bytes = 0;
    for (int m = 0; m < MESSAGES; m++) {
        open_route(&route[m], state, TAG + m);
        from[m] = new_values(m);
        to[m] = calloc(LONG, sizeof *to[m]);
        send(&route[m], next(), from[m], size[m]);
        bytes += size[m] * sizeof(double) >= FROM ? size[m] * sizeof(double) : 0;
    }
    uint64_t before = bytes_read(state);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; i++)
        receive(&route[order[i]], last(), to[order[i]], size[order[i]]);
    for (int open = MESSAGES; open;) {
        open = 0;
        for (int i = 0; i < MESSAGES; i++) {
            bool done = false;
            struct summand__link *link = route[order[i]].link;
            CHECK(link_complete(link, 0, false, &done) == MPI_SUCCESS, "complete");
            open += !done;
        }
    }
    for (int m = 0; m < MESSAGES; m++) {
        size_t wrong = wrong_in(to[m], size[m], last(), m);
        CHECK(!wrong, "message %d: %zu wrong", m, wrong);
        summand__route_close(&route[m]);
    }
    uint64_t read = bytes_read(state) - before;
    CHECK(read == (direct ? bytes : 0), "%llu bytes read", (unsigned long long)read);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int m = 0; m < MESSAGES; m++) {
        free(from[m]);
        free(to[m]);
    }
}

static void add(const void *context, const void *left, const void *right, void *out, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        ((double *)out)[i] = ((const double *)left)[i] + ((const double *)right)[i];
}

/* Ranks 0 and 1 add the other's data to their own send buffers, in place. The reader has read a
 * part (if `reads` allows it) when an event happens. The other rank has read nothing, so nothing
 * may be added yet. */
static void begin_exchange(struct summand__route *route, int reader, bool reads, double *own,
                           double *room)
{
    struct summand__arrival arrival = {add, NULL, own, own, true, false};
    bool done;
    send(route, 1 - harness_rank, own, LONG);
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == reader) {
        link_recv(route->link, 0, 0, 1 - reader, room, LONG, &arrival);
        link_complete(route->link, 0, false, &done);
        CHECK(!done && !wrong_in(own, LONG, reader, 0), "added before it was read");
        size_t missing = wrong_in(room, LONG, 1 - reader, 0);
        CHECK(reads ? missing && missing < LONG : missing == LONG, "%zu not read", missing);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Those that do not take part. */
static void watch(int barriers)
{
    while (barriers--)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* ... and then the kernel refuses: the rest comes in pieces. */
static void test_refused_amid(const struct summand__state *state, int reader, bool reads)
{
    struct summand__route route;
    double *own = new_values(0), *room = calloc(LONG, sizeof *room);
    open_route(&route, state, TAG);
    if (harness_rank < 2) {
        begin_exchange(&route, reader, reads, own, room);
        if (harness_rank == reader && reads)
            be_refused();
        struct summand__arrival arrival = {add, NULL, own, own, true, false};
        if (harness_rank != reader)
            link_recv(route.link, 0, 0, reader, room, LONG, &arrival);
        int code = complete(&route);
        size_t wrong = 0;
        for (size_t i = 0; i < LONG; i++)
            wrong += own[i] != value(0, 0, i) + value(1, 0, i);
        CHECK(code == MPI_SUCCESS && !wrong, "code %d, %zu wrong", code, wrong);
    } else {
        watch(2);
    }
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
    free(room);
}

/* ... and then the sender aborts, before or (`refuse`) after the reader has found that it cannot
 * read on. The reader gets an error, and later data is not taken for the rest. */
static void test_withdrawn_amid(const struct summand__state *state, int reader, bool refuse)
{
    struct summand__route route, later;
    double *own = new_values(0), *room = calloc(LONG, sizeof *room);
    open_route(&route, state, TAG);
    open_route(&later, state, TAG + 1);
    if (harness_rank < 2) {
        begin_exchange(&route, reader, true, own, room);
        if (harness_rank == reader && refuse) {
            struct summand__shm_domain *domain = state->segment->user;
            be_refused();
            for (bool done; !domain->in[1 - reader].end.refused;)
                link_complete(route.link, 0, false, &done);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (harness_rank != reader) {
            summand__route_close(&route);
            memset(own, 255, LONG * sizeof *own);
            open_route(&route, state, TAG);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (harness_rank != reader)
            receive(&route, reader, room, LONG);
        int code = complete(&route);
        CHECK(code == (harness_rank == reader ? MPI_ERR_OTHER : MPI_SUCCESS), "code %d", code);
        double *more = new_values(1);
        send(&later, 1 - harness_rank, more, LONG);
        receive(&later, 1 - harness_rank, room, LONG);
        CHECK(complete(&later) == MPI_SUCCESS, "complete");
        CHECK(!wrong_in(room, LONG, 1 - harness_rank, 1), "the next message");
        MPI_Barrier(MPI_COMM_WORLD);
        free(more);
    } else {
        watch(5);
    }
    summand__route_close(&route);
    summand__route_close(&later);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
    free(room);
}

/* An impossible process number: that process cannot send the rest. */
static void test_gone(struct summand__state *state)
{
    enum { NOBODY = 4194305 /* one above what Linux allows */ };
    struct summand__route route;
    double *own = new_values(0);
    open_route(&route, state, TAG);
    pid_t *process = &state->segment->processes[summand__segment_rank(state->segment, 1)];
    pid_t kept = *process;
    if (harness_rank < 2) {
        if (harness_rank == 0)
            *process = NOBODY;
        if (harness_rank == 1)
            send(&route, 0, own, LONG);
        else
            receive(&route, 1, own, LONG);
        int code = complete(&route);
        CHECK(code == (harness_rank ? MPI_SUCCESS : MPI_ERR_OTHER), "code %d", code);
    }
    *process = kept; /* ranks of other states are the same */
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(own);
}

int main(int argc, char **argv)
{
    enum { STATES = 6 };
    struct summand__state *state[STATES];
    MPI_Comm comm[STATES];
    setenv("SUMMAND_DIRECT_READ", "1k", 1);
    harness_begin(&argc, &argv);
    if (harness_spans_nodes()) { /* each rank sends to the next one through its memory */
        CHECK(true, "for the ranks of one node");
        return harness_end();
    }
    int may = may_read();
    for (int s = 0; s < STATES; s++) {
        state[s] = new_state(&comm[s]);
        CHECK(!state[s]->segment->processes == !may, "state %d: kernel %d", s, may);
    }
    test_order(state[0], may);
    if (may) {
        test_withdrawn_amid(state[1], 0, false);
        test_gone(state[2]);
        test_refused_amid(state[3], 0, true);
        test_withdrawn_amid(state[4], 1, true);
        test_refused_amid(state[5], 0, false);
    }
    if (harness_rank == harness_ranks - 1)
        be_refused();
    MPI_Comm late;
    fresh_settings();
    struct summand__state *later = new_state(&late);
    CHECK(!later->segment->processes, "agreement");
    CHECK(later->context.fabric->reads_refused, "what was asked for");
    test_order(later, 0);
    test_order(state[0], may && !refused);
    setenv("SUMMAND_DIRECT_READ", "never", 1);
    MPI_Comm_free(&late);
    later = new_state(&late);
    CHECK(!later->segment->processes && !later->context.fabric->reads_refused, "never");
    MPI_Comm_free(&late);
    for (int s = 0; s < STATES; s++)
        MPI_Comm_free(&comm[s]);
    return harness_end();
}
