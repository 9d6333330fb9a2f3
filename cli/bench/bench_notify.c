/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench notify: half a round trip between ranks 0 and 1 of a put with notification, over
 * each window, beside what it is made of and what is used in its place:
 *
 *   notify shm, rma, p2p   summand_put_notify and summand_notify_wait over that window
 *   memcpy                 a copy into shared memory and a flag, in a bare loop
 *   put                    MPI_Put, MPI_Win_flush and a message of no bytes
 *   send                   MPI_Send and MPI_Recv
 *
 * A repetition is many round trips; both ranks put what they have and do not look at what comes. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <summand/notify.h>
#include <sys/mman.h>

#include "base/page.h"
#include "cli/bench/bench.h"
#include "cli/common/cli.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"
#include "compute/mpi/window.h"
#include "fabric/node_split.h"
#include "fabric/segment.h"

extern const struct command benchmark_notify;

enum { MOST_WINDOWS = 8, LINE = 64, PATIENCE = 1 << 14, MOST_TRIPS = 1000000 };

struct notify_case {
    int rank, peer, ranks; /* peer -1: this rank only waits */
    int trips;
    long long bytes, most;
    char *data;
    MPI_Comm comm;
};

struct over_window {
    struct notify_case *of;
    char name[32];
    summand_segment *segment;
    int id;
    uint64_t count;
};

struct over_memory {
    struct notify_case *of;
    unsigned char *memory; /* of each of the two: a page with its flag, then its slot */
    size_t share;
    uint64_t count;
};

struct over_mpi {
    struct notify_case *of;
    char *received;
    MPI_Win win;
};

static int put_notify(struct over_window *own)
{
    struct notify_case *c = own->of;
    int code = summand_put_notify(c->data, c->bytes, c->peer, 0, own->id, 1, 0, own->segment);
    while (code == SUMMAND_QUEUE_FULL) {
        code = summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, own->segment);
        if (code == MPI_SUCCESS)
            code = summand_put_notify(c->data, c->bytes, c->peer, 0, own->id, 1, 0, own->segment);
    }
    return code;
}

static int run_window(void *context)
{
    struct over_window *own = context;
    struct notify_case *c = own->of;
    int code = MPI_SUCCESS;
    for (int i = 0; i < c->trips && c->peer >= 0 && code == MPI_SUCCESS; i++) {
        if (c->rank == 0)
            code = put_notify(own);
        if (code == MPI_SUCCESS)
            code = summand_notify_wait(c->peer, own->id, ++own->count, SUMMAND_TIMEOUT_FOREVER,
                                       own->segment);
        if (c->rank == 1 && code == MPI_SUCCESS)
            code = put_notify(own);
    }
    return code;
}

static _Atomic uint64_t *flag_of(const struct over_memory *own, int rank)
{
    return (_Atomic uint64_t *)(void *)(own->memory + (size_t)rank * own->share);
}

/* If ranks share processors, yields so that the other one gets a turn. */
static void await_flag(const struct over_memory *own)
{
    _Atomic uint64_t *flag = flag_of(own, own->of->rank);
    for (int looks = 0; atomic_load_explicit(flag, memory_order_acquire) < own->count; looks++)
        if (looks >= PATIENCE)
            sched_yield();
}

static int run_memory(void *context)
{
    struct over_memory *own = context;
    struct notify_case *c = own->of;
    for (int i = 0; i < c->trips && c->peer >= 0; i++) {
        own->count++;
        if (c->rank == 1)
            await_flag(own);
        memcpy(own->memory + (size_t)c->peer * own->share + SUMMAND__PAGE, c->data,
               (size_t)c->bytes);
        atomic_store_explicit(flag_of(own, c->peer), own->count, memory_order_release);
        if (c->rank == 0)
            await_flag(own);
    }
    return MPI_SUCCESS;
}

static int send(const struct over_mpi *own)
{
    const struct notify_case *c = own->of;
    return MPI_Send(c->data, (int)c->bytes, MPI_BYTE, c->peer, 0, c->comm);
}

static int run_send(void *context)
{
    struct over_mpi *own = context;
    struct notify_case *c = own->of;
    int code = MPI_SUCCESS;
    for (int i = 0; i < c->trips && c->peer >= 0 && code == MPI_SUCCESS; i++) {
        if (c->rank == 0)
            code = send(own);
        if (code == MPI_SUCCESS)
            code = MPI_Recv(own->received, (int)c->bytes, MPI_BYTE, c->peer, 0, c->comm,
                            MPI_STATUS_IGNORE);
        if (c->rank == 1 && code == MPI_SUCCESS)
            code = send(own);
    }
    return code;
}

static int put(const struct over_mpi *own)
{
    const struct notify_case *c = own->of;
    int code =
        MPI_Put(c->data, (int)c->bytes, MPI_BYTE, c->peer, 0, (int)c->bytes, MPI_BYTE, own->win);
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush(c->peer, own->win);
    return code == MPI_SUCCESS ? MPI_Send(NULL, 0, MPI_BYTE, c->peer, 1, c->comm) : code;
}

static int run_put(void *context)
{
    struct over_mpi *own = context;
    struct notify_case *c = own->of;
    int code = MPI_SUCCESS;
    for (int i = 0; i < c->trips && c->peer >= 0 && code == MPI_SUCCESS; i++) {
        if (c->rank == 0)
            code = put(own);
        if (code == MPI_SUCCESS)
            code = MPI_Recv(NULL, 0, MPI_BYTE, c->peer, 1, c->comm, MPI_STATUS_IGNORE);
        if (c->rank == 1 && code == MPI_SUCCESS)
            code = put(own);
    }
    return code;
}

/* All measured subjects. */
struct subjects {
    struct notify_case all;
    struct over_window window[MOST_WINDOWS];
    struct over_memory memory;
    struct over_mpi mpi;
    struct timing_subject subject[MOST_WINDOWS + 3];
    int windows, count;
};

static void add(struct subjects *s, const char *name, int (*run)(void *context), void *context)
{
    s->subject[s->count++] = (struct timing_subject){name, run, context};
}

/* Leaves out an unavailable window, on all ranks. */
static void open_windows(struct subjects *s, struct trouble *trouble)
{
    for (int t = 0; summand__window_transports[t] && s->windows < MOST_WINDOWS; t++) {
        struct over_window *own = &s->window[s->windows];
        summand_segment_options options = {.transport = summand__window_transports[t]->name};
        *own = (struct over_window){.of = &s->all};
        int code = summand_segment_create(s->all.most, 1, s->all.comm, &options, &own->segment);
        if (code == MPI_ERR_UNSUPPORTED_OPERATION)
            continue;
        if (code == MPI_SUCCESS)
            code = summand_notify_range(1, &own->id, own->segment);
        trouble_note_mpi(trouble, "summand_segment_create", code);
        if (code != MPI_SUCCESS)
            return;
        snprintf(own->name, sizeof own->name, "notify %s", options.transport);
        add(s, own->name, run_window, own);
        s->windows++;
    }
}

static void open_memory(struct subjects *s, struct trouble *trouble)
{
    MPI_Comm node;
    int node_ranks;
    summand__node_split(s->all.comm, &node);
    MPI_Comm_size(node, &node_ranks);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &node_ranks, 1, MPI_INT, MPI_MIN, s->all.comm);
    if (node_ranks < s->all.ranks)
        return;
    s->memory.of = &s->all;
    s->memory.share = SUMMAND__PAGE + summand__whole_pages((size_t)s->all.most, SUMMAND__PAGE);
    int code = summand__segment_share(s->all.comm, 2 * s->memory.share, &s->memory.memory);
    trouble_note_mpi(trouble, "shared memory", code);
    if (s->memory.memory)
        add(s, "memcpy", run_memory, &s->memory);
}

static void open_mpi(struct subjects *s, struct trouble *trouble)
{
    char *base;
    s->mpi.of = &s->all;
    s->mpi.received = calloc((size_t)s->all.most + 1, 1);
    if (!s->mpi.received)
        trouble_note(trouble, "out of memory");
    int code =
        MPI_Win_allocate(s->all.most + LINE, 1, MPI_INFO_NULL, s->all.comm, &base, &s->mpi.win);
    if (code == MPI_SUCCESS)
        code = MPI_Win_set_errhandler(s->mpi.win, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Win_lock_all(MPI_MODE_NOCHECK, s->mpi.win);
    if (code == MPI_SUCCESS)
        add(s, "put", run_put, &s->mpi);
    else
        s->mpi.win = MPI_WIN_NULL;
    add(s, "send", run_send, &s->mpi);
}

static void open_all(struct subjects *s, long long most, struct trouble *trouble)
{
    *s = (struct subjects){.all = {.peer = -1, .most = most}, .mpi.win = MPI_WIN_NULL};
    MPI_Comm_dup(MPI_COMM_WORLD, &s->all.comm);
    MPI_Comm_set_errhandler(s->all.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(s->all.comm, &s->all.rank);
    MPI_Comm_size(s->all.comm, &s->all.ranks);
    if (s->all.rank < 2)
        s->all.peer = 1 - s->all.rank;
    s->all.data = calloc((size_t)most + 1, 1);
    if (!s->all.data)
        trouble_note(trouble, "out of memory");
    else
        memset(s->all.data, 1, (size_t)most + 1); /* own pages */
    open_windows(s, trouble);
    open_memory(s, trouble);
    open_mpi(s, trouble);
}

static void close_all(struct subjects *s)
{
    for (int w = 0; w < s->windows; w++)
        summand_segment_free(&s->window[w].segment);
    if (s->memory.memory)
        munmap(s->memory.memory, 2 * s->memory.share);
    if (s->mpi.win != MPI_WIN_NULL) {
        MPI_Win_unlock_all(s->mpi.win);
        MPI_Win_free(&s->mpi.win);
    }
    free(s->mpi.received);
    free(s->all.data);
    MPI_Comm_free(&s->all.comm);
}

static const struct bench_key keys[] = {{"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
                                        {"subject", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

static void print(const struct bench_report *report)
{
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report, "# bytes|<subject|half trip/us|CI95|of memcpy|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%" PRIu64, row->bytes);
        table_cell(&table, "%s", row->method);
        table_cell(&table, "%.3f", 1e6 * row->time.median);
        bench_interval_cell(&table, row, 1e-6, row->time);
        bench_ratio_cell(&table, row->ratio[0].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark(
        "of memcpy: times as fast as a copy into shared memory and a flag, the median of the "
        "ratios within a round. Above 0.83 is the aim for notify shm.");
    bench_print_foot(report);
}

static const struct bench_form form = {.references = {"memcpy", "send"},
                                       .ratios = {"vs_memcpy", "vs_send"},
                                       .x = offsetof(struct bench_row, bytes),
                                       .x_label = "bytes",
                                       .keys = keys,
                                       .print = print};

static int list_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    const struct subjects *s = context;
    (void)trouble;
    memcpy(subjects, s->subject, (size_t)s->count * sizeof *subjects);
    return s->count;
}

static const struct bench_kind kind = {.subjects = list_subjects};

/* Repetitions take about 100 us: the start would dominate shorter ones, and other processes would
 * disturb many longer ones. */
static int usual_trips(long long bytes)
{
    long long trips = (1 << 20) / (bytes + 1);
    return trips < 2 ? 2 : trips > 500 ? 500 : (int)trips;
}

static int measure(const struct numbers *sizes, long long trips, const struct bench_common *common)
{
    struct subjects s;
    struct bench_report report;
    struct trouble trouble = {""};
    long long most = 0;
    for (int i = 0; i < sizes->count; i++)
        most = sizes->value[i] > most ? sizes->value[i] : most;
    bench_report_begin(&report, benchmark_notify.name, &form, common,
                       json_make("I", "trips_per_repetition", (json_int_t)trips));
    open_all(&s, most, &trouble);
    bool fine = agree(benchmark_notify.name, &trouble);
    struct timing_options how = bench_timing(common);
    how.most = 10000;
    for (int i = 0; i < sizes->count && fine && !interrupt_agreed(); i++) {
        const uint64_t bytes = (uint64_t)sizes->value[i];
        const struct bench_row row = {.n = bytes, .bytes = bytes};
        s.all.bytes = sizes->value[i];
        s.all.trips = trips ? (int)trips : usual_trips(s.all.bytes);
        fine = bench_measure(&report, &kind, &s, &row, &how, 2 * s.all.trips);
    }
    close_all(&s);
    return bench_report_end(&report, fine);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct bench_common common = {
        .budget = 1, .launcher = BENCH_LAUNCHER, .start = BENCH_START_BARRIER};
    struct trouble trouble = {""};
    struct numbers sizes = {.count = 0};
    const char *list = "8,4k,32k,256k,2m";
    long long trips = 0;
    int ranks;
    const struct option_row rows[] = {
        {"sizes", 0, OPTION_TEXT, &list, "B,...", "bytes of a put, up to 1g", NULL},
        {"trips", 0, OPTION_INT, &trips, "K", "round trips per repetition; else by size", NULL, 1,
         MOST_TRIPS},
        BENCH_OPTIONS(common),
        {0}};
    int status;
    if (!bench_parse(parsing, &benchmark_notify, &form, &common, rows, argc, argv, NULL, &status))
        return status;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2)
        trouble_note(&trouble, "needs at least two ranks: mpirun -np 2 summand bench notify");
    bench_numbers("sizes", list, 0, 1 << 30, &sizes, &trouble);
    return agree(benchmark_notify.name, &trouble) ? measure(&sizes, trips, &common) : 2;
}

const struct command benchmark_notify = {
    "bench notify",
    "puts with notification against a copy and a flag, MPI_Put and MPI_Send",
    "bench notify [options]",
    "  mpirun -np 2 summand bench notify\n"
    "  mpirun -np 2 summand bench notify --sizes 8,64k --budget 3 --json notify.json\n"
    "  mpirun -np 2 summand bench notify --sizes 8..8m:8 --plot notify.svg\n",
    true,
    run,
    NULL};
